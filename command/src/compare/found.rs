//! Results of a comparison, as text and as JSON.

use lambdav_core::core_text::operation_name;
use lambdav_core::diagnostics::printable;
use lambdav_core::op::Op;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Scalar;
use lambdav_engine::compare::{Binding, Cause, Found, MAX_OPERATIONS, Operation, Outcome};
use lambdav_gpu::Difference;
use serde_json::{Value, json};

/// Text for "no single operation differs"; `is_cut`: only the first `MAX_OPERATIONS` of each kind were tested.
fn none_differs(is_cut: bool) -> String {
    match is_cut {
        true => {
            format!("no operation differs by itself, of the first {MAX_OPERATIONS} of each kind")
        }
        false => "no operation differs by itself".to_owned(),
    }
}

/// Text for people.
pub(super) fn text(outcome: &Outcome, source: &SourceFile) -> String {
    let Outcome { location, size, found, .. } = outcome;
    let Some(Found { difference, pixel, cause }) = found else {
        return format!("output {location}: equal: {size} pixels\n");
    };
    let Difference { components, nans, ulps, levels } = difference;
    let all = size.pixels() * 4;
    let mut text = format!("output {location}: different: {components} of {all} components");
    if *nans > 0 {
        text += &format!(", {nans} of them NaN on one side alone");
    }
    let plural = if *levels == 1 { "level" } else { "levels" };
    text += &format!(", by up to {ulps} ULP and {levels} {plural} of 8 bits\n");
    let [x, y] = pixel.at;
    text += &format!(
        "  first at ({x}, {y}):\n    the device says {}\n    λV says         {}\n",
        tuple(Scalar::F32, &pixel.found),
        tuple(Scalar::F32, &pixel.expected)
    );
    text += &match cause {
        Cause::Operation(operation) => {
            let Operation { op, operands, ty, expected, found, span } = operation;
            let operands: Vec<String> =
                operands.iter().map(|(scalar, word)| value(*scalar, *word)).collect();
            format!(
                "  `{}` of {}{}: the device says {}, λV says {}\n",
                name(*op),
                listed(&operands),
                place(source, *span),
                value(*ty, *found),
                value(*ty, *expected)
            )
        }
        Cause::Binding { binding, is_cut } => {
            let Binding { name, scalar, expected, found, span } = binding;
            let name = match name {
                Some(name) => format!("binding that does is `{}`", printable(name)),
                None => "loop that does is that".to_owned(),
            };
            format!(
                "  {}; the first {name}{}: the device says {}, λV says {}\n",
                none_differs(*is_cut),
                place(source, *span),
                tuple(*scalar, found),
                tuple(*scalar, expected)
            )
        }
        Cause::Triangles => {
            "  the program draws triangles, whose coverage and interpolation are the device's\n"
                .to_owned()
        }
        Cause::Unknown { is_cut } => {
            let none = none_differs(*is_cut);
            format!("  {none}, nor any binding or loop outside of loops\n")
        }
    };
    text
}

/// JSON for programs.
pub(super) fn json(outcome: &Outcome, source: &SourceFile) -> Value {
    let Outcome { location, size, found, remark } = outcome;
    let mut object = json!({
        "output": location,
        "verdict": if found.is_some() { "different" } else { "equal" },
        "size": [size.width(), size.height()],
    });
    if let Some(remark) = remark {
        object["remark"] = json!(remark);
    }
    let Some(Found { difference, pixel, cause }) = found else { return object };
    let Difference { components, nans, ulps, levels } = difference;
    object["differing_components"] = json!(components);
    object["nan_components"] = json!(nans);
    object["largest_ulp"] = json!(ulps);
    object["largest_levels_of_8_bits"] = json!(levels);
    object["first"] = json!({
        "x": pixel.at[0],
        "y": pixel.at[1],
        "device": all(Scalar::F32, &pixel.found),
        "expected": all(Scalar::F32, &pixel.expected),
    });
    object["cause"] = match cause {
        Cause::Operation(operation) => {
            let Operation { op, operands, ty, expected, found, span } = operation;
            let operands: Vec<Value> =
                operands.iter().map(|(scalar, word)| one(*scalar, *word)).collect();
            json!({
                "kind": "operation",
                "name": name(*op),
                "operands": operands,
                "device": one(*ty, *found),
                "expected": one(*ty, *expected),
                "place": place_json(source, *span),
            })
        }
        Cause::Binding { binding, is_cut } => {
            let Binding { name, scalar, expected, found, span } = binding;
            json!({
                "kind": if name.is_some() { "binding" } else { "loop" },
                "name": name,
                "device": all(*scalar, found),
                "expected": all(*scalar, expected),
                "place": place_json(source, *span),
                "all_operations": !is_cut,
            })
        }
        Cause::Triangles => json!({"kind": "triangles"}),
        Cause::Unknown { is_cut } => json!({"kind": "unknown", "all_operations": !is_cut}),
    };
    object
}

/// λV's name for an operation, or its name in core text.
fn name(op: Op) -> String {
    let name = match op {
        Op::Add => "+",
        Op::Sub | Op::Neg => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Less => "<",
        Op::LessEqual => "<=",
        Op::Equal => "=",
        Op::RoundEven => "round",
        Op::Convert(to) => match to {
            Scalar::F32 => "num",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::Bool => "bool",
        },
        op => return operation_name(op),
    };
    name.to_owned()
}

/// Place in the source, such as ` at shader.lv:12:8`; empty without a span.
fn place(source: &SourceFile, span: Span) -> String {
    if span == Span::default() || source.text().is_empty() {
        return String::new();
    }
    let place = source.line_column(span.start);
    let file = printable(&source.file(span.start).name);
    format!(" at {file}:{}:{}", place.line, place.column)
}

fn place_json(source: &SourceFile, span: Span) -> Value {
    if span == Span::default() || source.text().is_empty() {
        return Value::Null;
    }
    let place = source.line_column(span.start);
    let file = &source.file(span.start).name;
    json!({"file": file, "line": place.line, "column": place.column})
}

/// `a`, `a and b`, `a, b and c`.
fn listed(all: &[String]) -> String {
    match all {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        all => all.join(", "),
    }
}

/// A number; floats with their bits.
fn value(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::F32 => format!("{} ({word:#010x})", f32::from_bits(word)),
        Scalar::I32 => (word as i32).to_string(),
        Scalar::U32 => word.to_string(),
        Scalar::Bool => (word != 0).to_string(),
    }
}

fn tuple(scalar: Scalar, words: &[u32]) -> String {
    let all: Vec<String> = words.iter().map(|word| value(scalar, *word)).collect();
    if let [one] = &all[..] { one.clone() } else { format!("({})", all.join(", ")) }
}

/// A value and its bits. Infinities and NaNs are strings, since JSON has no numbers for them.
fn one(scalar: Scalar, word: u32) -> Value {
    let number = f32::from_bits(word);
    let value = match scalar {
        Scalar::F32 if number.is_finite() => json!(f64::from(number)),
        Scalar::F32 => json!(number.to_string()),
        Scalar::I32 => json!(word as i32),
        Scalar::U32 => json!(word),
        Scalar::Bool => json!(word != 0),
    };
    json!({"value": value, "bits": format!("{word:#010x}")})
}

fn all(scalar: Scalar, words: &[u32]) -> Value {
    words.iter().map(|word| one(scalar, *word)).collect()
}
