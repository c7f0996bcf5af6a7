//! `lambdav diff`: compares two images, all images of two folders, or the pictures of two programs.

mod programs;

use crate::comparison::{CompareArguments, outcome_json};
use crate::failure::{Failure, Result, save_failure};
use crate::files::{check_target, image_files, is_program, load_image_whole, one_standard_input};
use crate::messages::{MessageFormat, Messages, note, print};
use clap::Args;
use lambdav_engine::metadata;
use lambdav_image::AnyImage;
use lambdav_image::file::{self, EncodeError, Format, LeftOut, write_atomically};
use lambdav_image::quantize::Transfer;
use lambdav_image_compare::{
    CompareOptions, CompareOutcome, Depth, Verdict, compare, diagnose, heat_map,
};
use programs::{DrawArguments, draw_both};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Compare two images, or the pictures of two shaders, exactly by default
///
/// Equal means equal bit for bit; all NaNs count as one value. 8-bit images are compared with 16-bit
/// images as 16 bits; a float image is quantised for the comparison with an integer image. Two folders
/// are compared file by file, by name. With --run, A and B are programs of any kind: both are drawn
/// with the same inputs and compared as floats. Exit status 0: the same; 1: different.
#[derive(Args)]
pub(super) struct DiffArguments {
    /// An image (PNG, OpenEXR, NPY or another common format) or a folder of images; with --run a
    /// program; `-` is standard input
    a: PathBuf,
    /// The second one; only one of the two can be `-`
    b: PathBuf,
    /// Write a picture of the differences (PNG; for folders, a folder with one for each differing
    /// pair): black where the images are equal, lighter for larger differences
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    allowed: CompareArguments,
    /// Quantise the float image with the sRGB encoding for a comparison with an integer image
    #[arg(long, conflicts_with = "run")]
    srgb: bool,
    /// Print no differences; only the exit status shows them
    #[arg(long, short)]
    quiet: bool,
    /// Format of the result on standard output; json is one object per pair
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
    /// A and B are programs: shaders in λV, SPIR-V, WGSL or GLSL. A uniform, texture or input that one
    /// program lacks is given to the other only. An unset uniform of a module takes the default that
    /// the other program, if in λV, gives to the uniform of the same name
    #[arg(long)]
    run: bool,
    #[command(flatten)]
    draw: DrawArguments,
}

pub(super) fn run(options: &DiffArguments) -> Result {
    let transfer = if options.srgb { Transfer::Srgb } else { Transfer::Linear };
    let compare_options = options.allowed.options(transfer);
    if options.run {
        return images(options, &compare_options);
    }
    match (options.a.is_dir(), options.b.is_dir()) {
        (true, true) => folders(options, &compare_options),
        (false, false) => images(options, &compare_options),
        (is_a, _) => {
            let (folder, file) =
                if is_a { (&options.a, &options.b) } else { (&options.b, &options.a) };
            let (folder, file) = (folder.display(), file.display());
            Err(Failure::usage(format!("`{folder}` is a folder, and `{file}` is not")))
        }
    }
}

fn images(options: &DiffArguments, compare_options: &CompareOptions) -> Result {
    one_standard_input([&options.a, &options.b])?;
    if let Some(out) = &options.out {
        check_target(out, &[&options.a, &options.b])?;
        if Format::from_path(out) != Ok(Format::Png) {
            return Err(Failure::usage(format!(
                "the picture of the differences is PNG; let the name `{}` end in .png",
                out.display()
            )));
        }
    }
    let ([a, b], left_out) = match options.run {
        true => {
            let files = [&options.a, &options.b];
            (draw_both(files, &options.draw, options.message_format)?, Value::Null)
        }
        false => load_both(&options.a, &options.b, options)?,
    };
    let outcome = compare(&a, &b, compare_options);
    check_ulps(&outcome, compare_options)?;
    let findings = if options.quiet { Vec::new() } else { diagnose(&a, &b, compare_options) };
    let text = match options.message_format {
        _ if options.quiet => String::new(),
        MessageFormat::Text => {
            let is_identical = matches!(
                &outcome,
                CompareOutcome::Pixels(comparison) if comparison.verdict() == Verdict::Identical
            );
            let findings = findings.iter().filter(|_| !is_identical);
            let findings = findings.map(|finding| format!("of the second image: {finding}\n"));
            format!("{outcome}\n{}", findings.collect::<String>())
        }
        MessageFormat::Json => {
            let mut object = outcome_json(&outcome, &findings);
            object["a"] = json!(options.a.to_string_lossy());
            object["b"] = json!(options.b.to_string_lossy());
            object["left_out"] = left_out;
            format!("{object}\n")
        }
    };
    print(text)?;
    if let Some(path) = &options.out {
        write_heat(path, &a, &b, compare_options)?;
    }
    if outcome.is_same() { Ok(()) } else { Err(Failure::reported()) }
}

/// Loads two images. A note, and the returned JSON, list the contents of the files that the comparison
/// ignores.
fn load_both(a: &Path, b: &Path, options: &DiffArguments) -> Result<([AnyImage; 2], Value)> {
    let load = |path: &Path| -> Result<(AnyImage, Value)> {
        let (image, left_out) = load_image_whole(path)?;
        let names: Vec<String> = left_out.iter().map(LeftOut::to_string).collect();
        if !names.is_empty() && !options.quiet {
            let (path, names) = (path.display(), names.join(", "));
            let text = format!("`{path}`: not compared: {names}");
            note(&text, Messages::of(options.message_format));
        }
        Ok((image, json!(names)))
    };
    if let Some(program) = [a, b].into_iter().find(|path| is_program(path)) {
        return Err(Failure::usage(format!(
            "`{}` is a program, not an image: `lambdav diff --run {} {}` compares what two programs draw",
            program.display(),
            a.display(),
            b.display()
        )));
    }
    let ((a, of_a), (b, of_b)) = (load(a)?, load(b)?);
    Ok(([a, b], json!({"a": of_a, "b": of_b})))
}

/// Rejects `--max-ulp` for images that are not compared as floats.
fn check_ulps(outcome: &CompareOutcome, compare_options: &CompareOptions) -> Result {
    match outcome {
        CompareOutcome::Pixels(comparison)
            if compare_options.ulps.is_some() && comparison.depth != Depth::Float =>
        {
            let depth = comparison.depth;
            Err(Failure::usage(format!(
                "the images are compared as {depth}, which has no ULP; --tolerance allows levels"
            )))
        }
        _ => Ok(()),
    }
}

fn write_heat(path: &Path, a: &AnyImage, b: &AnyImage, compare_options: &CompareOptions) -> Result {
    let Some(heat) = heat_map(a, b, compare_options) else {
        return Err(Failure::input("images of different sizes have no heat map"));
    };
    write_atomically::<EncodeError>(path, |out| {
        file::png::encode(&heat, Transfer::Linear, &metadata(), out)
    })
    .map_err(|error| save_failure(&error))
}

/// Compares the files that both folders hold under the same name.
fn folders(options: &DiffArguments, compare_options: &CompareOptions) -> Result {
    let (of_a, of_b) = (image_files(&options.a)?, image_files(&options.b)?);
    let all: BTreeSet<&PathBuf> = of_a.iter().chain(&of_b).collect();
    if all.is_empty() {
        let (a, b) = (options.a.display(), options.b.display());
        return Err(Failure::input(format!("there are no images in `{a}` and `{b}`")));
    }
    let (mut same, mut different, mut alone) = (0, 0, 0);
    for name in all {
        let (in_a, in_b) = (of_a.contains(name), of_b.contains(name));
        let (object, line) = if in_a && in_b {
            let paths = [&options.a, &options.b].map(|folder| folder.join(name));
            let ([a, b], left_out) = load_both(&paths[0], &paths[1], options)?;
            let outcome = compare(&a, &b, compare_options);
            check_ulps(&outcome, compare_options)?;
            let findings =
                if options.quiet { Vec::new() } else { diagnose(&a, &b, compare_options) };
            if outcome.is_same() {
                same += 1;
            } else {
                different += 1;
            }
            if let (Some(out), false) = (&options.out, outcome.is_same()) {
                let target = out.join(name).with_extension("png");
                let folder = target.parent().unwrap_or(out);
                std::fs::create_dir_all(folder).map_err(|error| {
                    Failure::file(format!("cannot make `{}`: {error}", folder.display()), &error)
                })?;
                if a.size() == b.size() {
                    write_heat(&target, &a, &b, compare_options)?;
                }
            }
            let cause = findings.first().map_or(String::new(), |finding| format!("; {finding}"));
            let mut object = outcome_json(&outcome, &findings);
            object["left_out"] = left_out;
            (object, format!("{}{cause}", in_brief(&outcome)))
        } else {
            alone += 1;
            let folder = if in_a { &options.a } else { &options.b };
            let only = folder.to_string_lossy();
            (json!({"verdict": "missing", "only_in": only}), format!("only in {only}"))
        };
        if options.quiet {
            continue;
        }
        print(match options.message_format {
            MessageFormat::Text => format!("{}: {line}\n", name.display()),
            MessageFormat::Json => {
                let mut object = object;
                object["name"] = json!(name.to_string_lossy());
                format!("{object}\n")
            }
        })?;
    }
    if !options.quiet && options.message_format == MessageFormat::Text {
        print(format!("{same} the same, {different} different, {alone} in one folder only\n"))?;
    }
    if different + alone == 0 { Ok(()) } else { Err(Failure::reported()) }
}

/// Summary of the result in one line.
pub(super) fn in_brief(outcome: &CompareOutcome) -> String {
    let CompareOutcome::Pixels(comparison) = outcome else { return outcome.to_string() };
    let verdict = comparison.verdict();
    if verdict == Verdict::Identical {
        return verdict.to_string();
    }
    let (differing, pixels) = (comparison.differing, comparison.compared);
    let mut text = format!("{verdict}: {differing} of {pixels} pixels");
    if let Some(peak) = &comparison.steps {
        text += &format!(", by up to {} {}", peak.value, comparison.depth.unit());
    }
    if let Some(first) = &comparison.first {
        text += &format!(", first at ({}, {})", first.x, first.y);
    }
    text
}
