//! Every command line in the documents is run as it is written.
//!
//! The documents are the README, the pages of `docs/`, the gallery's page, the headers of its shaders, and
//! the output of `--help`. A *command line* begins with `lambdav`, in a code block (also behind `$ `, `- run:
//! ` or a shader's comment marker) or between backquotes. `cargo run --release --` stands for `lambdav`.
//! Sessions with output (`console`) belong to the walk-through, which `documents` compares word for word.
//!
//! Each document has its own folder. Its lines are run in order and must succeed. Words in capitals are
//! replaced as in [`stands_for`]. `shader.lv` is the program shown last that needs no mesh. Alternatives (`a\|b`) are all run.
//! Short mentions such as `lambdav render --specialise` lack arguments; these are taken from the command's
//! error message. There is no list of exceptions.

use super::harness::TestFolder;
use lambdav_test_support::{command_line, command_lines, header_command_lines, skipped};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::fs;
use std::path::{Path, PathBuf};

fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(project(name)).expect("the document is there")
}

/// The replacement of a word in capitals, in the prepared folder.
fn stands_for(word: &str) -> Option<&'static str> {
    Some(match word.trim_end_matches("...").trim_end_matches('…') {
        "SHADER" => "shader.lv",
        "MODULE" | "FILE" => "module.spv",
        "OUT" => "out.png",
        "A" | "IMAGE" => "a.png",
        "B" => "b.png",
        "CODE" => "LV0401",
        "STAGE" => "core",
        "PROGRAM" => "compute.wgsl",
        "X[,Y[,Z]]" | "X" => "1",
        "Y" => "2",
        "PATH" => "tested",
        "DIR" => "gpu-pictures",
        "SHELL" => "bash",
        "COMMAND" => "explain",
        _ => return None,
    })
}

/// A folder with all files named by documents.
fn prepared() -> TestFolder {
    let place = TestFolder::new();
    for folder in ["tested", "gpu-pictures"] {
        fs::create_dir(place.path(folder)).expect("a folder can be made");
    }
    place.copy_gallery();
    fs::copy(place.path("shaders/hello.lv"), place.path("shader.lv")).expect("it was written");
    // Tests for the four parts of a matrix, and their pictures from a GPU.
    for number in 0..4 {
        let test = format!("; test: --size 8x8\n(vec3 (/ (.x (frag-coord)) {}))", number + 8);
        for folder in ["tested", "shaders"] {
            place.write(&format!("{folder}/tested-{number}.lv"), &test);
        }
    }
    place.run(&["test", "tested", "shaders", "--bless"]).done();
    for number in 0..4 {
        let [shader, picture] =
            [format!("tested/tested-{number}.lv"), format!("gpu-pictures/tested-{number}.png")];
        place.run(&["render", &shader, &picture, "--size", "8x8"]).done();
    }
    place.run(&["compile", "shader.lv", "-o", "module.spv"]).done();
    let compute = "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
        @compute @workgroup_size(1) fn main() { atomicAdd(&n, 1u); }";
    place.write("compute.wgsl", compute);
    for (foreign, name) in [("plasma.wgsl", "shader.wgsl"), ("disc.frag", "shader.frag")] {
        let text = read(&format!("tests/foreign/{foreign}"));
        place.write(name, &text);
    }
    let pages = [
        ("docs/glsl.md", "glsl", 1, "rings.frag"),
        ("docs/textures.md", "glsl", 1, "tiles.frag"),
        ("docs/debugging.md", "wgsl", 1, "bands.wgsl"),
        ("docs/debugging.md", "glsl", 2, "disc.frag"),
        ("docs/debugging.md", "lv", 3, "root.lv"),
        ("docs/debugging.md", "glsl", 3, "root.frag"),
    ];
    for (page, language, number, name) in pages {
        let page = read(page);
        let opened = format!("```{language}\n");
        let text = page.split(&opened).nth(number).and_then(|rest| rest.split("```").next());
        place.write(name, text.expect("the page has a text in this language"));
    }
    place.write("lib/fog.glsl", "vec4 fog() { return vec4(0.1 * float(QUALITY)); }\n");
    let fog = "#include \"fog.glsl\"\nvoid main() { gl_FragColor = fog(); }\n";
    place.write("fog.frag", fog);
    for image in ["a.png", "b.png"] {
        place.run(&["render", "shader.lv", image, "--size", "8x8"]).done();
    }
    place
}

/// The shaders of the gallery.
fn gallery() -> Vec<(String, String)> {
    let entries = fs::read_dir(project("shaders")).expect("the gallery is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let shaders = paths.filter(|path| path.extension().is_some_and(|ending| ending == "lv"));
    let mut all: Vec<(String, String)> = shaders
        .map(|path| {
            let text = fs::read_to_string(&path).expect("it can be read");
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text)
        })
        .collect();
    all.sort();
    all
}

/// The commands and programs of a document, in order.
#[derive(Debug)]
enum Found {
    /// A program: from here on `shader.lv` and `disk.lv`.
    Program(String),
    /// A command line.
    Line(String),
}

/// The command lines and programs in a Markdown text.
fn in_markdown(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            match kind {
                "console" | "glsl" => {}
                // Comments alone are no program.
                "lv" | "scheme" if block.iter().all(|line| line.starts_with(';')) => {}
                "lv" if block.iter().any(|line| line.starts_with("(attribute ")) => {}
                // Passes alone draw nothing.
                "lv" if block.last().is_some_and(|line| line.starts_with("  (scatter ")) => {}
                "lv" | "scheme" => found.push(Found::Program(block.join("\n"))),
                _ => found.extend(in_block(&block)),
            }
        } else if line.starts_with("    ") {
            found.extend(in_block(&[line]));
        } else {
            // Text between backquotes.
            let spans = line.split('`').skip(1).step_by(2);
            found.extend(spans.filter_map(command_line).map(Found::Line));
        }
    }
    found
}

/// The command lines of a code block.
fn in_block(block: &[&str]) -> Vec<Found> {
    command_lines(&block.join("\n")).into_iter().map(Found::Line).collect()
}

/// All command lines that a line stands for.
fn alternatives(line: &str) -> Vec<String> {
    if line.contains("${{ matrix.part }}") {
        let part = |number: u32| line.replace("${{ matrix.part }}", &number.to_string());
        return (1..=4).map(part).collect();
    }
    let several = line.split(' ').find(|word| word.contains("\\|"));
    match several {
        Some(word) => word.split("\\|").map(|one| line.replace(word, one)).collect(),
        None => vec![line.to_owned()],
    }
}

/// The words of a line after replacements.
fn words(line: &str) -> Vec<String> {
    let line = line.replace("NAME.lv", "hello.lv");
    let words = shlex::split(&line).expect("quotation marks are closed");
    let is_said = |word: &String| word != "…" && word != "[OPTIONS]" && !word.starts_with('[');
    let word = |word: String| {
        let plain = word.trim_start_matches('<').trim_end_matches("...").trim_end_matches('>');
        stands_for(plain).map_or(word.clone(), str::to_owned)
    };
    words.into_iter().filter(is_said).map(word).collect()
}

/// The missing arguments that an error message lists, as words.
fn missing(message: &str) -> Vec<String> {
    // A compute shader has workgroups, passes have none.
    if message.contains("say how many workgroups run") {
        return ["--groups", "1"].map(str::to_owned).into();
    }
    let lines = message.lines().skip_while(|line| !line.contains("were not provided"));
    let named = lines.skip(1).take_while(|line| line.starts_with("  "));
    named.flat_map(words).collect()
}

/// Errors for a missing device, or a command built without devices.
const NO_DEVICE: [&str; 2] =
    ["error: there is no Vulkan", "error: this lambdav was built without the feature `gpu`"];

/// Runs a line, which must succeed, or report that there is no device.
#[track_caller]
fn run(place: &TestFolder, document: &str, line: &str) {
    for line in alternatives(line) {
        let mut words = words(&line);
        let mut outcome = place.run(&words);
        for _ in 0..2 {
            let more = missing(&outcome.err);
            if !more.is_empty() {
                words.extend(more);
                outcome = place.run(&words);
            }
        }
        if outcome.status == 3 && NO_DEVICE.iter().any(|said| outcome.err.starts_with(said)) {
            skipped(&format!(
                "`lambdav {line}` needs a Vulkan device; .ci/install-tools installs one"
            ));
            continue;
        }
        assert_eq!(outcome.status, 0, "{document}: `lambdav {line}`: {words:?}: {}", outcome.err);
    }
}

/// Runs everything found in a document. The result is the number of lines.
fn run_all(place: &TestFolder, document: &str, found: &[Found]) -> usize {
    let mut count = 0;
    for found in found {
        match found {
            Found::Program(text) => {
                place.write("shader.lv", text);
                place.write("disk.lv", text);
                place.write("ball.lv", text);
            }
            Found::Line(line) => {
                run(place, document, line);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn documents() {
    let mut documents = vec!["README.md".to_owned(), "shaders/README.md".to_owned()];
    documents.push("shaders/data/README.md".to_owned());
    for entry in fs::read_dir(project("docs")).expect("there are pages") {
        let name = entry.expect("they can be listed").file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            documents.push(format!("docs/{name}"));
        }
    }
    let counts: Vec<usize> = documents
        .par_iter()
        .map(|document| run_all(&prepared(), document, &in_markdown(&read(document))))
        .collect();
    assert!(counts.iter().all(|&count| count > 0), "{documents:?}: {counts:?}");
    assert!(counts.iter().sum::<usize>() > 30, "{documents:?}: {counts:?}");
}

#[test]
fn headers_of_the_gallery() {
    let count = |(name, text): &(String, String)| {
        let found: Vec<Found> = header_command_lines(text).into_iter().map(Found::Line).collect();
        assert!(!found.is_empty(), "{name} does not say how it is drawn");
        run_all(&prepared(), name, &found)
    };
    let counts: Vec<usize> = gallery().par_iter().map(count).collect();
    assert!(counts.iter().sum::<usize>() >= 30, "{counts:?}");
}

/// The synopsis of each command is valid, and so are the command lines in its help.
#[test]
fn help() {
    let place = prepared();
    let all = place.run(&["--help"]).done();
    let (_, commands) = all.text().split_once("Commands:\n").expect("they are listed");
    let commands: Vec<&str> = commands
        .lines()
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 8, "{commands:?}");
    let mut texts = vec![all.text().to_owned()];
    for command in commands {
        texts.push(place.run(&[command, "--help"]).done().text().to_owned());
    }
    let mut shown = 0;
    for text in &texts {
        let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "));
        let usage = usage.and_then(command_line).expect("there is a synopsis");
        run(&place, "--help", &usage);
        shown += run_all(&place, "--help", &in_markdown(text));
    }
    assert!(shown > 0, "the help has no example");
}

/// The directives of tests in documents are valid.
#[test]
fn directives() {
    let place = prepared();
    let help = place.run(&["test", "--help"]).done();
    let texts = [help.text().to_owned(), read("README.md"), read("docs/ci.md")];
    let mut count = 0;
    for line in texts.iter().flat_map(|text| text.split(['\n', '`'])) {
        let Some(directive) = line.trim().strip_prefix("; test: ") else { continue };
        // In the help, an explanation follows the directive.
        let directive = directive.split("   ").next().unwrap_or(directive);
        if directive.contains('…') {
            continue;
        }
        place.write("tested/directive.lv", format!("; test: {directive}\n(vec4 1)"));
        place.run(&["test", "tested/directive.lv", "--list"]).done();
        // `--list` accepts any directive; errors show when the test is run.
        let outcome = place.run(&["test", "tested/directive.lv", "--message-format", "json"]);
        let is_wrong = outcome.text().contains("directive.lv:1:");
        assert!(!is_wrong, "`; test: {directive}`: {}", outcome.text());
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn lines_are_found() {
    let text = "Say `lambdav check a.lv`, or `lambdav`.\n\n    lambdav render a.lv out.png\n\n\
        ```sh\nlambdav diff \\\n  a.png b.png > c\n```\n```console\n$ lambdav test\n```\n\
        ```yaml\n- run: lambdav test x --shard ${{ matrix.part }}/4\n```\n```lv\n(vec4 1)\n```\n\
        | `lambdav compile SHADER --emit lanes\\|asm` |";
    let found: Vec<String> = in_markdown(text).iter().map(|found| format!("{found:?}")).collect();
    assert_eq!(
        found,
        [
            r#"Line("check a.lv")"#,
            r#"Line("render a.lv out.png")"#,
            r#"Line("diff    a.png b.png")"#,
            r#"Line("test x --shard ${{ matrix.part }}/4")"#,
            r#"Program("(vec4 1)")"#,
            r#"Line("compile SHADER --emit lanes\\|asm")"#,
        ]
    );
    let all = alternatives(r"compile SHADER --emit lanes\|asm");
    assert_eq!(all, ["compile SHADER --emit lanes", "compile SHADER --emit asm"]);
    assert_eq!(words("diff A B [PATH]... <OUT> …"), ["diff", "a.png", "b.png", "out.png"]);
}
