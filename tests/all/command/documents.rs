//! The README, pages of docs/ and `--help` agree with the command and the crates.

use super::harness::TestFolder;
#[cfg(feature = "foreign")]
use lambdav_test_support::skipped;
use std::collections::BTreeMap;
use std::path::Path;

const COMMANDS: [&str; 10] = [
    "render",
    "compile",
    "run",
    "check",
    "test",
    "diff",
    "inspect",
    "trace",
    "explain",
    "completions",
];

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(path).expect("the document is there")
}

fn readme() -> String {
    document("README.md")
}

/// The programs of the README and of the page on partial evaluation are accepted, and draw the same picture
/// on each engine.
#[test]
fn programs_in_the_readme_render() {
    let documents = readme() + &document("docs/partial-evaluation.md");
    let programs: Vec<&str> = documents
        .split("```lv\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a split has a first part"))
        .collect();
    assert!(programs.len() >= 4, "the tour has programs");
    let place = TestFolder::new();
    place.copy_gallery();
    for program in programs {
        place.run_with(&["check", "-"], program).done();
        let draw = |engine| {
            let mut arguments =
                vec!["render", "-", "-", "--format", "npy", "--size", "7x5", "--engine", engine];
            if program.contains("(attribute ") {
                arguments.extend(["--mesh", "shaders/data/knot.glb", "--camera", "front"]);
            }
            place.run_with(&arguments, program).done().out
        };
        assert_eq!(draw("core"), draw("source"), "{program}");
    }
}

/// The GLSL of the README and of docs/glsl.md is drawn, with one note about its dialect and one about its values.
#[test]
#[cfg(feature = "foreign")]
fn glsl_in_documents_renders() {
    for name in ["README.md", "docs/glsl.md"] {
        let document = document(name);
        let (_, rest) = document.split_once("```glsl\n").expect("it has a text in GLSL");
        let (text, _) = rest.split_once("```").expect("it ends");
        let place = TestFolder::with([("rings.frag", text)]);
        let outcome = place.run_line("render rings.frag rings.png --size 64x36 --time 1.5");
        assert_eq!((outcome.status, outcome.err.lines().count()), (0, 2), "{}", outcome.err);
    }
}

/// The README's program that embeds the library is the crate's first example, which is a doc test.
#[test]
fn the_readme_embeds_as_the_crate_does() {
    let readme = readme();
    let (_, rest) = readme.split_once("```rust\n").expect("it has a Rust program");
    let (program, _) = rest.split_once("```").expect("it ends");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let library = std::fs::read_to_string(library).expect("the library is there");
    let lines: Vec<&str> = library.lines().filter_map(|line| line.strip_prefix("//!")).collect();
    let example = lines.split(|line| *line == " ```").nth(1).expect("it has an example");
    let example = example.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let shown: Vec<&str> = example.filter(|line| !line.trim_start().starts_with("# ")).collect();
    assert_eq!(shown, program.lines().collect::<Vec<_>>());
}

/// The test in docs/ci.md is the example of the crate `lambdav-test`, which is a doc test.
#[test]
fn the_page_on_ci_tests_as_the_crate_does() {
    let page = document("docs/ci.md");
    let (_, rest) = page.split_once("```rust\n").expect("it has a Rust program");
    let (program, _) = rest.split_once("```").expect("it ends");
    let library = document("testing/src/lib.rs");
    let lines = library.lines().filter_map(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let example = lines.split(|line| *line == "```").nth(1).expect("it has an example");
    assert_eq!(example, program.lines().collect::<Vec<_>>());
}

/// The README names only existing commands and options, and it names all commands.
#[test]
fn the_readme_names_what_there_is() {
    let place = TestFolder::new();
    let readme = readme();
    let help: String =
        COMMANDS.map(|c| place.run(&[c, "--help"]).done().text().to_owned()).concat();
    for command in COMMANDS {
        assert!(readme.contains(&format!("| `lambdav {command} ")), "{command}");
    }
    let (_, section) = readme.split_once("## The command").expect("a section on the command");
    for option in section.split('`').filter(|code| code.starts_with("--")) {
        let name = option.split(' ').next().expect("a split has a first part");
        let ends = [' ', '\n', '['];
        assert!(ends.iter().any(|end| help.contains(&format!("{name}{end}"))), "{name}");
    }
}

/// An option shared by several commands takes the same value in each. The option for an output file has one
/// name.
#[test]
fn options_mean_one_thing() {
    let place = TestFolder::new();
    let mut known: BTreeMap<String, (String, &str)> = BTreeMap::new();
    let mut shared = 0;
    for command in COMMANDS {
        let help = place.run(&[command, "--help"]).done();
        for line in help.text().lines().map(str::trim_start) {
            let Some(at) = line.find("--").filter(|at| line.starts_with('-') && *at <= 4) else {
                continue;
            };
            let (name, value) = line[at..].split_once([' ', '[']).unwrap_or((&line[at..], ""));
            let value = value.split("  ").next().unwrap_or_default().to_owned();
            match known.get(name) {
                None => {
                    known.insert(name.to_owned(), (value, command));
                }
                Some((before, of)) => {
                    assert_eq!(*before, value, "{name} of {of} and of {command}");
                    shared += 1;
                }
            }
        }
    }
    // Shared options include --output, --out, --set, --message-format, --engine, --timeout and --watch.
    assert!(shared > 20, "{known:?}");
    assert_eq!(known["--output"].0, "<LOC>");
    assert_eq!(known["--out"].0, "<FILE>");
}

/// Every option has a name for its value, and a description.
#[test]
fn every_option_is_documented() {
    let place = TestFolder::new();
    for command in COMMANDS {
        let outcome = place.run(&[command, "--help"]).done();
        let text = outcome.text();
        let mut lines = text.lines().skip_while(|line| *line != "Options:").skip(1).peekable();
        while let Some(line) = lines.next() {
            if !line.trim_start().starts_with('-') || line.trim_start().starts_with("- ") {
                continue;
            }
            let beside = line.trim().contains("  ");
            let below = lines.peek().is_some_and(|next| next.starts_with("          "));
            assert!(beside || below, "{command}: {line}");
        }
    }
    let outcome = place.run(&["--help"]).done();
    for part in COMMANDS.into_iter().chain(["Exit status:", "  0  ", "  1  ", "  2  ", "  3  "]) {
        assert!(outcome.text().contains(part), "{part}");
    }
}

#[test]
fn without_arguments_there_is_help() {
    let place = TestFolder::new();
    let outcome = place.run(&[""; 0]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("Usage: lambdav [OPTIONS] <COMMAND>"), "{}", outcome.err);
    place.fails(&["rendre"], 2, "a similar subcommand exists: 'render'");
}

/// The first block of a language in a text.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let begin = format!("```{language}\n");
    let block = text.split(begin.as_str()).nth(1).and_then(|rest| rest.split("```").next());
    block.expect("the page has such a block")
}

/// Runs the command lines that are shown in the sessions of a page: the output is the actual one, except for times. Behind the
/// output of a command that fails are its messages and its status.
/// `before` is called with the number of each session, and may change a command line. Returns the number of lines.
fn walk(place: &TestFolder, text: &str, before: &dyn Fn(usize, &str) -> String) -> usize {
    let mut ran = 0;
    for (index, session) in text.split("```console\n").skip(1).enumerate() {
        let session = session.split("```").next().expect("a split has a first part");
        for shown in session.split("$ lambdav ").skip(1) {
            let (arguments, shown) = shown.split_once('\n').expect("what it says");
            let outcome = place.run_line(&before(index, arguments));
            let lines = outcome.text().lines().map(|line| match line.rsplit_once(" (") {
                Some((front, time)) if time.ends_with(" s)") => format!("{front}\n"),
                _ => format!("{line}\n"),
            });
            let status = match outcome.status {
                0 => String::new(),
                status => format!("{}[{status}]\n", outcome.err),
            };
            assert_eq!(lines.collect::<String>() + &status, shown, "{arguments:?}");
            ran += 1;
        }
    }
    ran
}

/// The walk-through of docs/ci.md.
#[test]
fn the_page_on_ci_is_true() {
    let text = document("docs/ci.md");
    let place = TestFolder::new();
    place.write("disk.lv", block(&text, "scheme"));
    let before = |index, arguments: &str| {
        if index == 2 {
            let shader = String::from_utf8(place.read("disk.lv")).expect("it is text");
            place.write("disk.lv", shader.replace("0.8", "0.6"));
        }
        if index == 3 {
            let shader = block(&text, "lv");
            place.write("tones.lv", shader.replace("(vec3 0.2126 0.7152", "(vec3 0.2126 0.7"));
        }
        arguments.to_owned()
    };
    assert_eq!(walk(&place, &text, &before), 5);
}

/// The shader and the session of docs/compute.md; its Rust program is a doc test.
#[test]
#[cfg(feature = "foreign")]
fn the_page_on_compute_is_true() {
    let text = document("docs/compute.md");
    let files = [("sums.wgsl", block(&text, "wgsl")), ("histogram.lv", block(&text, "lv"))];
    let place = TestFolder::with(files);
    for name in ["values.json", "numbers.json"] {
        let (_, values) = text.split_once(&format!("$ cat {name}\n")).expect("it is shown");
        place.write(name, values.lines().next().expect("it has a line"));
    }
    assert_eq!(walk(&place, &text, &|_, arguments| arguments.to_owned()), 2);
    let library = document("engine/src/compute.rs");
    for line in block(&text, "rust").lines().filter(|line| !line.is_empty()) {
        assert!(library.contains(&format!("/// {line}\n")), "{line}");
    }
}

/// The walks of docs/debugging.md, and their pictures.
#[test]
#[cfg(feature = "foreign")]
fn the_page_on_debugging_is_true() {
    let text = document("docs/debugging.md");
    let of_walk = |title: &str, language| {
        let (_, section) = text.split_once(&format!("## A walk: {title}\n")).expect("a section");
        block(section, language).to_owned()
    };
    let ball = of_walk("a NaN in the picture", "lv");
    let floor = of_walk("precision that flickers", "glsl");
    let bands = of_walk("an index out of bounds", "wgsl");
    let disc = of_walk("a GPU that draws something else", "glsl");
    let cells = of_walk("an order that nothing promises", "lv");
    let (_, messages) = text.split_once("## Messages\n").expect("a section");
    let files = [
        ("ball.lv", &*ball),
        ("floor.frag", &*floor),
        ("bands.wgsl", &*bands),
        ("disc.frag", &*disc),
        ("cells.lv", &*cells),
        ("root.lv", block(messages, "lv")),
        ("root.frag", block(messages, "glsl")),
    ];
    let place = TestFolder::with(files);
    // What each walk ends with.
    let right_ball = ball.replace("(pow (- 1 d) 2.5)", "(pow (/ 1 d) 2.5)");
    let right_floor = floor.replace("square.x + square.y + square.z", "square.x + square.z");
    let right_bands = bands.replace("4 * distance", "4 * min(distance, 0.99)");
    let ramp = "1.0 - smoothstep(radius, radius + soft, length(p))";
    let right_disc = disc.replace("smoothstep(radius + soft, radius, length(p))", ramp);
    let unique_cells = cells.replace("(uint (id)))", "(uint (id)) unique)");
    let right_cells =
        cells.replace("(scatter cells cell (uint (id)))", "(combine cells cell (uint (id)) max)");
    let before = |index, arguments: &str| {
        let changed = match index {
            1 => Some(("ball.lv", &right_ball)),
            5 => Some(("cells.lv", &unique_cells)),
            6 => Some(("cells.lv", &right_cells)),
            _ => None,
        };
        if let Some((name, text)) = changed {
            assert_ne!(
                files.iter().find(|(of, _)| *of == name).map(|(_, text)| *text),
                Some(&**text)
            );
            place.write(name, text);
        }
        arguments.to_owned()
    };
    assert_eq!(walk(&place, &text, &before), 9);
    place.write("ball.lv", &ball);
    let mut reports = 0;
    for (shown, rest) in text.split("` says:\n\n```text\n").zip(text.split("` says:\n\n").skip(1)) {
        let (_, line) = shown.rsplit_once("`lambdav ").expect("a command line");
        let outcome = place.run_line(line);
        let is_report = |line: &&str| !line.starts_with("note: ");
        let lines: Vec<&str> = outcome.err.lines().filter(is_report).collect();
        assert_eq!(lines.join("\n"), block(rest, "text").trim_end());
        reports += 1;
    }
    assert_eq!(reports, 5);
    // The pictures: what is wrong, and what is right.
    let draws = |name: &str, arguments: &[&str], picture: &str| {
        let all = [&["render", name, "a.png", "--size", "128x128"], arguments].concat();
        let outcome = place.run(&all);
        assert_eq!(outcome.status, 0, "{name}: {}", outcome.err);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures").join(picture);
        let path = path.to_str().expect("the path is text");
        assert_eq!(place.run(&["diff", "a.png", path]).status, 0, "{picture}");
    };
    let is_defined = ["--undefined", "error"];
    place.write("disc.frag", &right_disc);
    draws("disc.frag", &is_defined, "disc.png");
    for (name, wrong, text, right) in [
        ("ball.lv", "ball-wrong.png", &right_ball, "ball-right.png"),
        ("floor.frag", "floor-wrong.png", &right_floor, "floor-right.png"),
        ("bands.wgsl", "bands.png", &right_bands, "bands.png"),
    ] {
        draws(name, &[], wrong);
        place.write(name, text);
        draws(name, &is_defined, right);
    }
}

/// The wgpu project of docs/wgsl.md. Its files are those of the example.
#[test]
#[cfg(feature = "foreign")]
fn the_page_on_wgsl_tests_a_wgpu_project() {
    let text = document("docs/wgsl.md");
    let (text, _) = text.split_once("## A Bevy project").expect("a section");
    let shader = block(text, "wgsl");
    assert_eq!(shader, document("examples/wgpu/shaders/waves.wgsl"));
    assert!(document("examples/wgpu/tests/wgsl.rs").ends_with(block(text, "rust")));
    let place = TestFolder::with([("shaders/waves.wgsl", shader)]);
    let before = |index, arguments: &str| {
        if index == 3 {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/wgpu/shaders/waves.png");
            place.run(&["diff", path, "shaders/waves.png"]).done();
            place.write("shaders/waves.wgsl", shader.replace("0.2 * p", "0.4 * p"));
        }
        arguments.to_owned()
    };
    assert_eq!(walk(&place, text, &before), 5);
}

/// The Bevy project of docs/wgsl.md, where Cargo has unpacked Bevy.
#[test]
#[cfg(feature = "foreign")]
fn the_page_on_wgsl_tests_a_bevy_project() {
    let home = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let crates = home.expect("there is a home folder").join("registry/src");
    let folders = std::fs::read_dir(&crates).into_iter().flatten().flatten();
    let mut crates_of = folders.flat_map(|folder| std::fs::read_dir(folder.path()));
    let is_bevy = |name: std::ffi::OsString| {
        name.to_str().is_some_and(|name| name.starts_with("bevy_sprite_render-"))
    };
    if !crates_of.any(|all| all.flatten().any(|folder| is_bevy(folder.file_name()))) {
        skipped("the sources of Bevy are not there");
        return;
    }
    let text = document("docs/wgsl.md");
    let (_, text) = text.split_once("## A Bevy project").expect("a section");
    let directive = document("examples/bevy/assets/rings.wgsl.test");
    assert_eq!(block(text, "text"), directive);
    let shader = document("examples/bevy/assets/rings.wgsl");
    let place = TestFolder::with([
        ("assets/rings.wgsl", &*shader),
        ("assets/rings.wgsl.test", &*directive),
    ]);
    let before = |_, arguments: &str| {
        arguments.replace("~/.cargo/registry/src", crates.to_str().expect("the path is text"))
    };
    assert_eq!(walk(&place, text, &before), 2);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bevy/assets/rings.png");
    place.run(&["diff", path, "assets/rings.png"]).done();
}
