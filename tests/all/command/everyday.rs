//! Everyday conveniences: `--watch`, `--stats`, completions, colours.

use super::harness::{LAMBDAV, TestFolder};
use serde_json::Value;
use std::process::Command;

#[test]
fn stats_as_json() {
    let place = TestFolder::with([("a.lv", "(vec3 (/ (.x (frag-coord)) 8))")]);
    let render = ["render", "a.lv", "a.png", "--size", "20x10", "--stats=json"];
    let one = place.run(&render).done();
    let object: Value = serde_json::from_str(one.text()).expect("one object");
    assert_eq!((&object["kind"], &object["pixels"]), (&"stats".into(), &200.0.into()));
    let parts = object["parts"].as_array().expect("parts");
    let names: Vec<&str> = parts.iter().filter_map(|part| part["name"].as_str()).collect();
    assert_eq!(names, ["read and check", "compile", "render", "write", "sample lanes"]);
    for part in parts {
        let seconds = part["seconds"].as_f64().expect("a number");
        let stages = part["stages"].as_array().expect("stages").iter();
        let of_stages: f64 = stages.filter_map(|stage| stage["seconds"].as_f64()).sum();
        assert!(0.0 <= of_stages && of_stages <= seconds && seconds < 600.0, "{object}");
    }
    let about = |about: &str| {
        let mut notes = object["notes"].as_array().expect("notes").iter();
        notes.any(|note| note["about"] == about && note["text"].is_string())
    };
    assert!(["code", "target", "lanes", "active"].into_iter().all(about), "{object}");
    // For a sequence, the sum over all pictures.
    let frames =
        ["render", "a.lv", "%d.png", "--size", "20x10", "--frames", "0..5", "--stats=json"];
    let all = place.run(&frames).done();
    let object: Value = serde_json::from_str(all.text()).expect("one object");
    assert_eq!(object["pixels"], 1000.0);
    // Text goes to standard error.
    let text = place.run(&[&render[..5], &["--stats"]].concat());
    assert_eq!((text.status, text.text()), (0, ""));
    assert!(text.err.contains("lane program"), "{}", text.err);
    let named = place.run(&[&render[..5], &["--stats=text"]].concat());
    assert!(named.err.contains("lane program"), "{}", named.err);
}

#[test]
fn what_cannot_be_written_twice() {
    let place = TestFolder::with([("a.lv", "(vec4 1)")]);
    let image = ["render", "a.lv", "-", "--format", "png", "--stats=json"];
    place.fails(&image, 2, "--stats=json writes to standard output, and so would the image");
    place.fails(&["render", "a.lv", "a.png", "--stats=xml"], 2, "[possible values: text, json]");
    for command in ["render - a.png --watch", "check a.lv - --watch"] {
        let arguments: Vec<&str> = command.split(' ').collect();
        place.fails(&arguments, 2, "--watch is for files, and `-` is standard input");
    }
    place.fails(&["completions", "csh"], 2, "invalid value 'csh'");
}

/// Shells load the scripts and then know all commands and options.
#[test]
fn shells_complete() {
    let place = TestFolder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(&["completions", shell]).done();
        for word in ["render", "inspect", "completions", "max-iterations", "frames", "watch"] {
            assert!(script.text().contains(word), "{shell}: {word}");
        }
    }
    place.write("script", place.run(&["completions", "bash"]).done().out);
    let ask = "source ./script; COMP_WORDS=(lambdav render --fr); COMP_CWORD=2; \
               _lambdav lambdav --fr render; echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    let output = bash.current_dir(place.path("")).args(["--norc", "-c", ask]).output();
    let output = output.expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), "--frame --frames", "{}", String::from_utf8_lossy(&output.stderr));
}

/// Colours depend on `--color`, whatever standard error is.
#[test]
fn colours() {
    let place = TestFolder::with([("bad.lv", "(vec4 oops)")]);
    for arguments in [["check", "bad.lv"], ["check", "--nothing"]] {
        let has_colours = |more: &[&str]| {
            let outcome = place.run(&[more, &arguments[..]].concat());
            assert!(outcome.status > 0 && outcome.err.contains("error"), "{}", outcome.err);
            outcome.err.contains("\x1b[")
        };
        assert!(has_colours(&["--color", "always"]), "{arguments:?}");
        assert!(has_colours(&["--color=always"]), "{arguments:?}");
        assert!(!has_colours(&["--color", "never"]), "{arguments:?}");
        assert!(!has_colours(&["--color", "auto"]), "{arguments:?}");
        assert!(!has_colours(&[]), "{arguments:?}");
    }
    // The option may follow the command.
    let outcome = place.run(&["check", "bad.lv", "--color", "always"]);
    assert!(outcome.err.contains("\x1b["), "{}", outcome.err);
    place.fails(&["check", "bad.lv", "--color", "often"], 2, "invalid value 'often'");
}

#[cfg(target_os = "linux")]
mod watch {
    use super::{LAMBDAV, TestFolder};
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ChildStderr, Command, Stdio};

    /// A running command with `--watch`.
    struct Watching {
        child: Child,
        said: BufReader<ChildStderr>,
    }

    impl Watching {
        fn start(place: &TestFolder, arguments: &[&str]) -> Self {
            let mut command = Command::new("env");
            command.arg("--default-signal").arg(LAMBDAV).args(arguments);
            command.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("it can be started");
            let said = BufReader::new(child.stderr.take().expect("it is a pipe"));
            Self { child, said }
        }

        /// The messages up to the next wait, and the number of watched files.
        fn round(&mut self) -> (String, usize) {
            let mut said = String::new();
            loop {
                let mut line = String::new();
                let read = self.said.read_line(&mut line).expect("it is text");
                assert!(read > 0, "it has ended: {said}");
                if let Some(rest) = line.strip_prefix("watching ") {
                    let count = rest.split(' ').next().and_then(|count| count.parse().ok());
                    return (said, count.expect("a number of files"));
                }
                said += &line;
            }
        }

        /// Sends Ctrl-C.
        fn end(mut self) {
            let id = self.child.id().to_string();
            let status = Command::new("kill").args(["-INT", &id]).status();
            assert!(status.expect("there is `kill`").success());
            assert_eq!(self.child.wait().expect("it ends").signal(), Some(2));
        }
    }

    /// Every change is drawn, and no error ends the command.
    #[test]
    fn what_changes_is_drawn_again() {
        let place = TestFolder::with([
            ("a.lv", "(include \"b.lv\") (uniform gain num 1) (vec3 (* gain x))"),
            ("b.lv", "(define x 0.5)"),
            ("u.json", "{\"gain\": 1}"),
        ]);
        let size = ["--size", "2x2", "--uniforms", "u.json", "--watch"];
        let arguments = [&["render", "a.lv", "a.npy"][..], &size].concat();
        let mut watching = Watching::start(&place, &arguments);
        let mut round = |value: Option<f32>, message: &str| {
            let (said, files) = watching.round();
            assert!(said.contains(message), "{said}");
            match value {
                Some(value) => {
                    assert_eq!((said.as_str(), files), ("", 3));
                    let pixel = place.frame("a.npy").pixel(0, 0);
                    assert_eq!(pixel, Some([value, value, value, 1.0]));
                }
                None => assert!(said.contains("error"), "{said}"),
            }
        };
        round(Some(0.5), "");
        place.write("b.lv", "(define x 0.25) ; included");
        round(Some(0.25), "");
        place.write("u.json", "{\"gain\": 2.0}");
        round(Some(0.5), "");
        place.write("a.lv", "(vec3 oops)");
        round(None, "`oops` is not bound");
        place.write("u.json", "{\"gain\":");
        place.write("a.lv", "(include \"b.lv\") (uniform gain num) (vec3 (- gain x))");
        // The command may see both changes at once, or one after the other.
        round(None, "error");
        std::fs::rename(place.path("a.lv"), place.path("away.lv")).expect("it is there");
        round(None, "error");
        place.write("u.json", "{\"gain\": 1}");
        std::fs::rename(place.path("away.lv"), place.path("a.lv")).expect("it is there");
        loop {
            let (said, _) = watching.round();
            if said.is_empty() {
                break;
            }
        }
        assert_eq!(place.frame("a.npy").pixel(0, 0), Some([0.75, 0.75, 0.75, 1.0]));
        watching.end();
    }

    /// Missing files are watched, too: the work is done again when a file appears or reappears.
    #[test]
    fn files_that_were_not_there_are_seen() {
        let place = TestFolder::with([("a.lv", "(include \"b.lv\") (vec3 x)")]);
        let render = ["render", "a.lv", "a.npy", "--size", "2x2", "--watch"];
        let mut watching = [
            Watching::start(&place, &render),
            Watching::start(&place, &["check", "a.lv", "--watch"]),
        ];
        let mut round = |is_right: bool| {
            for watching in &mut watching {
                loop {
                    let (said, _) = watching.round();
                    if said.contains("error") != is_right {
                        break;
                    }
                }
            }
        };
        round(false);
        // A file that never existed appears, vanishes and reappears; then a file in a folder that did not
        // exist.
        place.write("b.lv", "(define x 0.5)");
        round(true);
        std::fs::remove_file(place.path("b.lv")).expect("it is there");
        round(false);
        place.write("b.lv", "(define x 0.25)");
        round(true);
        place.write("a.lv", "(include \"new/c.lv\") (vec3 x)");
        round(false);
        place.write("new/c.lv", "(define x 0.75)");
        round(true);
        assert_eq!(place.frame("a.npy").pixel(0, 0), Some([0.75, 0.75, 0.75, 1.0]));
        watching.into_iter().for_each(Watching::end);
    }

    /// Missing goldens, programs and files of tests are watched, too.
    #[test]
    fn tests_that_were_not_there_are_seen() {
        let place = TestFolder::with([("a.lv", "; test: --size 2x2\n(vec4 1)")]);
        let mut watching = Watching::start(&place, &["test", "--watch", "--report", "r"]);
        let results = || String::from_utf8(place.read("r/results.jsonl")).expect("it is text");
        watching.round();
        assert!(results().contains("\"status\":\"missing\""));
        place.run(&["test", "--bless"]);
        loop {
            watching.round();
            if results().contains("\"status\":\"passed\"") {
                break;
            }
        }
        place.write(
            "b.wgsl",
            "// test: --size 2x2\n@fragment fn m() -> @location(0) vec4f { return vec4f(1); }",
        );
        watching.round();
        assert!(results().contains("\"tests\":2"));
        place.write("c.lv", "(vec4 1)");
        watching.round();
        assert!(results().contains("\"untested\":[\"c.lv\"]"));
        place.write("c.lv.test", "; test: --size 2x2");
        watching.round();
        assert!(results().contains("\"tests\":3"));
        watching.end();
    }

    #[test]
    fn checks_and_tests_are_done_again() {
        let place = TestFolder::with([("a.lv", "; test: --size 2x2\n(vec4 1)")]);
        place.run(&["test", "--bless"]).done();
        let mut check = Watching::start(&place, &["check", "a.lv", "--watch"]);
        let mut test = Watching::start(&place, &["test", "--watch"]);
        assert_eq!(check.round(), (String::new(), 1));
        // Two files: the program, which is read twice, and its golden.
        assert_eq!(test.round(), (String::new(), 2));
        place.write("a.lv", "; test: --size 2x2\n(vec4 0 oops)");
        assert!(check.round().0.contains("`oops` is not bound"));
        test.round();
        place.write("a.lv", "; test: --size 2x2\n(vec4 1) ; again");
        assert_eq!(check.round(), (String::new(), 1));
        assert_eq!(test.round(), (String::new(), 2));
        check.end();
        test.end();
    }

    /// An error that no change of a file can repair ends the command.
    #[test]
    fn a_wrong_command_line_ends_it() {
        let place = TestFolder::with([("a.lv", "(vec4 1)")]);
        place.fails(&["render", "a.lv", "a.jpg", "--watch"], 2, "`jpg` is not an image format");
        place.fails(&["test", "none", "--watch"], 2, "there is neither a file nor a folder");
    }
}
