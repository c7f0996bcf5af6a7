//! Tests of imports, on files in memory.

use crate::{Compiled, Options, compile};
use lambdav_core::files::Files;
use lambdav_core::source::SourceFile;
use std::io;
use std::path::{Path, PathBuf};

/// Files by their paths.
struct Memory(Vec<(&'static str, &'static str)>);

impl Files for Memory {
    fn canonical(&mut self, path: &Path) -> io::Result<PathBuf> {
        let mut canonical = PathBuf::new();
        for part in path.components() {
            match part {
                std::path::Component::ParentDir => {
                    canonical.pop();
                }
                std::path::Component::CurDir => {}
                other => canonical.push(other),
            }
        }
        let known = self.0.iter().any(|(file, _)| Path::new(file).starts_with(&canonical));
        if known { Ok(canonical) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn read(&mut self, path: &Path, _: usize) -> io::Result<Vec<u8>> {
        let path = self.canonical(path)?;
        let found = self.0.iter().find(|(file, _)| Path::new(file) == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let folder = self.canonical(folder)?;
        let mut all: Vec<PathBuf> = Vec::new();
        for (file, _) in &self.0 {
            if let Ok(rest) = Path::new(file).strip_prefix(&folder)
                && let Some(first) = rest.components().next()
            {
                let path = folder.join(first);
                if !all.contains(&path) {
                    all.push(path);
                }
            }
        }
        all.sort();
        Ok(all)
    }
}

fn compiled(files: &[(&'static str, &'static str)], defines: &[(&str, &str)]) -> Compiled {
    let mut files = Memory(files.to_vec());
    let (path, text) = files.0[0];
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let roots = [PathBuf::from("/roots/lib")];
    let options = Options {
        defines: &defines,
        roots: &roots,
        path: Some(Path::new(path)),
        ..Options::default()
    };
    compile(SourceFile::new(path, text), &options, &mut files)
}

fn accepted(files: &[(&'static str, &'static str)], defines: &[(&str, &str)]) {
    let compiled = compiled(files, defines);
    let said: Vec<&str> = compiled.diagnostics.iter().map(|one| &*one.message).collect();
    assert!(compiled.words.is_some(), "{said:?}");
}

const MAIN: &str = "/a/main.wgsl";

#[test]
fn modules_of_naga_oil_are_found_by_their_paths() {
    let text = "#import lib::shapes::{circle, Style as S}
        #import lib::colour as c
        #import lib::colour::paint
        @fragment fn fs() -> @location(0) vec4f {
            let s = S(1.0);
            return c::mixed(circle(s)) + paint(lib::shapes::circle(s));
        }";
    let shapes = "#define_import_path lib::shapes
        #import lib::consts::ONE
        struct Style { width: f32 }
        fn circle(s: Style) -> f32 { return s.width * ONE; }";
    let colour = "#define_import_path lib::colour
        fn mixed(x: f32) -> vec4f { return vec4f(x); }
        fn paint(x: f32) -> vec4f { return mixed(x); }";
    let consts = "#define_import_path lib::consts\nconst ONE = 1.0;";
    let files = [
        (MAIN, text),
        ("/roots/lib/src/shapes.wgsl", shapes),
        ("/a/colour.wgsl", colour),
        ("/roots/lib/c.wgsl", consts),
    ];
    accepted(&files, &[]);
}

#[test]
fn modules_of_naga_oil_that_nothing_refers_to_are_not_read() {
    let text = "#import lib::march::{march, Settings}
        #ifdef MARCH
        fn marched() -> f32 { return march(1.0); }
        #endif
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }";
    let march = "#define_import_path lib::march
        struct Settings { steps: u32 }
        fn march(x: f32) -> f32 { return depth_prepass(x); }";
    let files = [(MAIN, text), ("/a/march.wgsl", march)];
    accepted(&files, &[]);
    assert!(compiled(&files, &[("MARCH", "1")]).words.is_none());
}

#[test]
fn conditions_and_values_choose_text() {
    let text = "#ifdef RED
            const colour = vec3f(1, 0, 0);
        #else ifdef GREEN
            const colour = vec3f(0, 1, 0);
        #else
            const colour = wrong here;
        #endif
        #if COUNT >= 3
        const n = #{COUNT};
        #endif
        @group(#{GROUP}) @binding(0) var<uniform> u: f32;
        const_assert n == 4 && colour.y == 1.0;
        @fragment fn fs() -> @location(0) vec4f { return vec4f(colour, u); }";
    accepted(&[(MAIN, text)], &[("GREEN", ""), ("COUNT", "4"), ("GROUP", "2")]);
}

#[test]
fn functions_replace_others() {
    let text = "#import lib::light
        override fn lib::light::power() -> f32 { return 2.0 * lib::light::power(); }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(light::shade()); }";
    let light = "#define_import_path lib::light
        virtual fn power() -> f32 { return 1.0; }
        fn shade() -> f32 { return power(); }";
    accepted(&[(MAIN, text), ("/a/light.wgsl", light)], &[]);
}

#[test]
fn modules_of_wesl_are_files() {
    let text = "import package::util::{half, deep::third};
        import super::other;
        import pack::things::four;
        @fragment fn fs() -> @location(0) vec4f {
            return vec4f(half(1.0), third(1.0), other::two(), four());
        }";
    let files = [
        (MAIN, text),
        ("/a/util.wesl", "import super::other::two;\nfn half(x: f32) -> f32 { return x / two(); }"),
        ("/a/util/deep.wgsl", "fn third(x: f32) -> f32 { return x / package::other::three(); }"),
        ("/a/other.wgsl", "fn two() -> f32 { return 2.0; }\nfn three() -> f32 { return 3.0; }"),
        ("/roots/lib/pack/things.wgsl", "fn four() -> f32 { return 4.0; }"),
    ];
    accepted(&files, &[]);
}

#[test]
fn texts_stand_in_place_of_lines() {
    let text = "#import <./types.wgsl>
        #include \"lib/math.wgsl\"
        #include \"lib/math.wgsl\"
        #import bbox
        @fragment fn fs() -> @location(0) vec4f { return vec4f(double(T(1.0).x), size(), 0, 1); }";
    let files = [
        (MAIN, text),
        ("/a/types.wgsl", "struct T { x: f32 }"),
        (
            "/a/lib/math.wgsl",
            "#include \"../consts.wgsl\"\nfn double(x: f32) -> f32 { return TWO * x; }",
        ),
        ("/a/consts.wgsl", "const TWO = 2.0;"),
        ("/roots/lib/shared/bbox.wgsl", "fn size() -> f32 { return 1.0; }"),
    ];
    accepted(&files, &[]);
}

#[test]
fn wrong_imports_are_reported_with_their_places() {
    let cases = [
        ("#import lib::none::x\n", "no file has the module of `lib::none::x`"),
        ("#import a::{b\n", "this is no import"),
        ("#include \"../../etc/passwd\"\n", "there is no such file"),
        ("#include \"/etc/passwd\"\n", "absolute path"),
        ("#include \"../b/secret.wgsl\"\n", "outside of the folders"),
        ("#ifdef A\n", "is not closed"),
        ("#endif\n", "has no `#if`"),
        ("#wrong\n", "no directive `#wrong`"),
        ("const a = #{NONE};", "`NONE` has no value"),
        ("#if COUNT >= 3\n#endif\n", "`COUNT` has no value"),
        ("#if 3 >= COUNT\n#endif\n", "is no condition"),
        ("const a = ##FORMAT##;", "a name is expected behind `#`"),
        ("import package::none::x;", "no file is the module"),
        ("const a = b::c;", "`b::c` is unknown"),
    ];
    for (text, message) in cases {
        let compiled = compiled(&[(MAIN, text), ("/b/secret.wgsl", "SECRET")], &[]);
        let found = compiled.diagnostics.first().expect("an error");
        assert!(found.message.contains(message), "{text}: {}", found.message);
        assert!(!compiled.source.text().contains("SECRET"));
    }
}

/// A value is text that joins the words beside it.
#[test]
fn values_of_conditions_are_joined_with_words() {
    let text = "const layer_3: array<i32, #{COUNT}u> = array(7, 8);
        @fragment fn fs() -> @location(0) vec4f {
            return vec4f(f32(layer_#{LAYER}[#{COUNT} - 1]) + f32(#{COUNT}u + 1u));
        }";
    accepted(&[(MAIN, text)], &[("COUNT", "2"), ("LAYER", "3")]);
}

/// A path in quotation marks may begin at a folder of assets.
#[test]
fn files_below_folders_of_assets_are_found() {
    let text = "#import \"shaders/colour.wgsl\"::paint
        @fragment fn fs() -> @location(0) vec4f { return paint(); }";
    let colour = "fn paint() -> vec4f { return vec4f(1); }";
    accepted(&[(MAIN, text), ("/roots/lib/game/assets/shaders/colour.wgsl", colour)], &[]);
    let compiled = compiled(
        &[(MAIN, "#import \"../b.wgsl\"::x\n@fragment fn fs() {}"), ("/roots/lib/b.wgsl", "")],
        &[],
    );
    assert!(compiled.words.is_none());
}
