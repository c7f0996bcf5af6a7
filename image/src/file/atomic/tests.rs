use std::collections::BTreeSet;
use std::ffi::OsString;

use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().expect("the system's folder for temporary files can be written to")
}

fn names(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).expect("it was just made");
    entries.map(|entry| entry.expect("it is readable").file_name()).collect()
}

fn put(path: &Path, content: &[u8]) -> Result<(), SaveError<io::Error>> {
    write_atomically(path, |out| out.write_all(content))
}

/// Kind of the system's error.
fn kind(result: Result<(), SaveError<io::Error>>) -> io::ErrorKind {
    match result.expect_err("it must fail") {
        SaveError::File { source, .. } | SaveError::Content { source, .. } => source.kind(),
    }
}

#[test]
fn files_are_made_and_replaced() {
    let folder = folder();
    let path = folder.path().join("a.png");
    for content in [b"first".as_slice(), b"", b"second"] {
        put(&path, content).expect("the folder is writable");
        assert_eq!(fs::read(&path).expect("it was just written"), content);
        assert_eq!(names(folder.path()).len(), 1);
    }
}

#[test]
fn an_error_leaves_everything_as_it_was() {
    let folder = folder();
    let path = folder.path().join("a.png");
    let fail = || {
        write_atomically(&path, |out| {
            out.write_all(&[7; 100_000])?;
            Err(io::Error::other("on purpose"))
        })
    };
    assert!(matches!(fail(), Err(SaveError::Content { .. })));
    assert!(names(folder.path()).is_empty());

    put(&path, b"old").expect("the folder is writable");
    assert!(fail().is_err());
    assert_eq!(fs::read(&path).expect("it exists"), b"old");
    assert_eq!(names(folder.path()).len(), 1);
}

/// Where files need names, temporary names work as well, and are removed after an error.
#[test]
fn named_files_are_as_good() {
    let folder = folder();
    let path = folder.path().join("a.png");
    for content in [b"first", b"other"] {
        let mut file = Temporary::named(folder.path()).expect("the folder is writable");
        file.write_all(content).expect("there is room");
        assert!(names(folder.path()).iter().any(|name| name.to_string_lossy().ends_with(".tmp")));
        file.persist(&path, folder.path()).expect("the folder is writable");
        assert_eq!(fs::read(&path).expect("it was just written"), content);
        assert_eq!(names(folder.path()).len(), 1);
    }
    drop(Temporary::named(folder.path()).expect("the folder is writable"));
    assert_eq!(names(folder.path()).len(), 1);
}

/// So no temporary file can remain.
#[cfg(target_os = "linux")]
#[test]
fn what_is_being_written_has_no_name() {
    let folder = folder();
    if Temporary::unnamed(folder.path()).is_none() {
        println!("this file system has no files without names");
        return;
    }
    let path = folder.path().join("a.png");
    put(&path, b"old").expect("the folder is writable");
    let written = write_atomically(&path, |out| {
        out.write_all(&[7; 100_000])?;
        assert_eq!(names(folder.path()).len(), 1);
        assert_eq!(fs::read(&path)?, b"old");
        Ok::<_, io::Error>(())
    });
    written.expect("the folder is writable");
    assert_eq!(fs::read(&path).expect("it was just written"), [7; 100_000]);
}

/// Checks report the errors that writing would report, and change nothing.
#[test]
fn targets_are_checked_before() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    put(&at("file"), b"old").expect("the folder is writable");
    for path in [at("file"), at("new.png")] {
        assert!(check_target(&path).is_ok());
    }
    for path in [at(""), at("new/"), at("no/such/a.png"), at("file/a.png"), "/".into(), "".into()] {
        let (early, late) = (check_target(&path).unwrap_err(), put(&path, b"").unwrap_err());
        assert_eq!(early.to_string(), late.to_string());
        let [early, late]: [&dyn std::error::Error; 2] = [&early, &late];
        assert_eq!(early.source().map(|e| e.to_string()), late.source().map(|e| e.to_string()));
    }
    assert_eq!(fs::read(at("file")).expect("it exists"), b"old");
    assert_eq!(names(folder.path()).len(), 1);
}

#[test]
fn a_panic_leaves_everything_as_it_was() {
    let folder = folder();
    let path = folder.path().join("a.png");
    let result = std::panic::catch_unwind(|| {
        write_atomically(&path, |_| -> io::Result<()> { panic!("on purpose") })
    });
    assert!(result.is_err());
    assert!(names(folder.path()).is_empty());
}

#[test]
fn places_where_no_file_can_be() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(kind(put(folder.path(), b"")), io::ErrorKind::IsADirectory);
    assert_eq!(kind(put(&at("new/"), b"")), io::ErrorKind::IsADirectory);
    assert_eq!(kind(put(&at("no/such/a.png"), b"")), io::ErrorKind::NotFound);
    put(&at("file"), b"").expect("the folder is writable");
    assert_eq!(kind(put(&at("file/a.png"), b"")), io::ErrorKind::NotADirectory);
    assert!(put(Path::new(""), b"").is_err());
    assert!(put(Path::new("/"), b"").is_err());
    assert_eq!(names(folder.path()).len(), 1);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it exists").permissions().mode() & 0o777
    }

    #[test]
    fn permissions_are_the_usual_ones_and_are_kept() {
        let folder = folder();
        let plain = folder.path().join("plain");
        File::create(&plain).expect("the folder is writable");
        let path = folder.path().join("a.png");
        put(&path, b"1").expect("the folder is writable");
        assert_eq!(mode(&path), mode(&plain));

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
        put(&path, b"2").expect("the folder is writable");
        assert_eq!(mode(&path), 0o640);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("it is ours");
        assert_eq!(kind(put(&path, b"3")), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&path).expect("it exists"), b"2");
    }

    #[test]
    fn links_stay_and_their_targets_are_replaced() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).expect("the folder is writable");
        symlink("sub/file", at("link")).expect("the folder is writable");
        symlink("link", at("link2")).expect("the folder is writable");
        for content in [b"new".as_slice(), b"again"] {
            put(&at("link2"), content).expect("the folder is writable");
            assert_eq!(fs::read(at("sub/file")).expect("it was just written"), content);
            assert_eq!(fs::read_link(at("link2")).expect("it stays a link"), Path::new("link"));
        }
        assert_eq!(names(&at("sub")).len(), 1);

        symlink("ring", at("ring")).expect("the folder is writable");
        assert!(put(&at("ring"), b"").is_err());
    }

    #[test]
    fn devices_are_written_to() {
        put(Path::new("/dev/null"), b"gone").expect("it takes everything");
        let null = fs::metadata("/dev/null").expect("it is still there");
        assert!(!null.is_file());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        for length in [1, 1 << 20] {
            let result = put(Path::new("/dev/full"), &vec![0; length]);
            assert_eq!(kind(result), io::ErrorKind::StorageFull);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn open_files_are_appended_to() {
        use std::os::fd::AsRawFd;

        let folder = folder();
        let path = folder.path().join("redirected");
        let mut file = File::create(&path).expect("the folder is writable");
        file.write_all(b"before ").expect("there is room");
        // Like /dev/stdout after `> redirected`.
        let link = folder.path().join("stdout");
        symlink(format!("/proc/self/fd/{}", file.as_raw_fd()), &link).expect("it is writable");
        put(&link, b"after").expect("the file is open for writing");
        assert_eq!(fs::read(&path).expect("it exists"), b"before after");
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn pipes_are_written_to() {
        let folder = folder();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is part of every Unix").success());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).expect("a pipe can be read")
        });
        put(&path, b"through").expect("there is a reader");
        assert_eq!(reader.join().expect("it does not panic"), b"through");
        assert!(!fs::metadata(&path).expect("it is still there").is_file());
    }
}
