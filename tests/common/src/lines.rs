//! Command lines in documents and in headers of shaders.

/// The arguments in a line that runs `lambdav`, also from the repository. For a pipeline, the arguments of
/// its first command.
pub fn command_line(line: &str) -> Option<String> {
    let line = line.trim();
    let line = line.strip_prefix("$ ").or(line.strip_prefix("- run: ")).unwrap_or(line);
    let words = line.strip_prefix("lambdav").or(line.strip_prefix("cargo run --release --"))?;
    let words =
        [" > ", " | "].iter().fold(words, |words, end| words.split(end).next().unwrap_or(words));
    words.starts_with(' ').then(|| words.trim().to_owned())
}

/// The command lines of a block, in order. A `\` at the end of a line continues it.
pub fn command_lines(block: &str) -> Vec<String> {
    block.replace("\\\n", " ").lines().filter_map(command_line).collect()
}

/// The command lines in a shader's leading comment.
pub fn header_command_lines(shader: &str) -> Vec<String> {
    let header = shader.lines().take_while(|line| line.starts_with(';'));
    let header: Vec<&str> = header.map(|line| line.trim_start_matches(';')).collect();
    command_lines(&header.join("\n"))
}

/// The bindings in the first command line of a shader's header: names of textures and buffers, and files.
///
/// # Panics
///
/// If a `--bind` is not followed by `NAME=FILE`.
pub fn header_bindings(shader: &str) -> Vec<(String, String)> {
    let lines = header_command_lines(shader);
    let mut words = lines.first().map_or("", String::as_str).split_whitespace();
    let mut bindings = Vec::new();
    while words.any(|word| word == "--bind") {
        let binding = words.next().and_then(|word| word.split_once('='));
        let (name, file) = binding.expect("`--bind` is followed by NAME=FILE");
        bindings.push((name.to_owned(), file.to_owned()));
    }
    bindings
}
