//! Reports in JUnit's XML, for continuous integration.

use crate::failure::{Failure, Result};
use crate::test::result::{Status, Summary};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// Text of the file.
pub(super) fn text(summary: &Summary) -> Result<String> {
    let mut out = Vec::new();
    write(summary, &mut out).map_err(|error| Failure::machine(error.to_string()))?;
    String::from_utf8(out).map_err(|error| Failure::machine(error.to_string()))
}

fn write(summary: &Summary, out: &mut Vec<u8>) -> io::Result<()> {
    let mut writer = Writer::new_with_indent(out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let of = |wanted: &dyn Fn(Status) -> bool| {
        summary.results.iter().filter(|result| wanted(result.status)).count().to_string()
    };
    let is_error = |status| matches!(status, Status::Broken | Status::Machine);
    let failures = of(&|status| !status.is_good() && !is_error(status));
    let errors = of(&is_error);
    let skipped = of(&|status| status == Status::Unsupported);
    let (tests, time) = (summary.results.len().to_string(), format!("{:.3}", summary.seconds));
    let totals = [
        ("name", "lambdav"),
        ("tests", &tests),
        ("failures", &failures),
        ("errors", &errors),
        ("skipped", &skipped),
        ("time", &time),
    ];
    writer.create_element("testsuites").with_attributes(totals).write_inner_content(|writer| {
        let suite = writer.create_element("testsuite").with_attributes(totals);
        suite.write_inner_content(|writer| {
            for result in &summary.results {
                let (class, name) = result.id.rsplit_once(':').unwrap_or((&result.id, "picture"));
                let (class, name) = (permitted(class), permitted(name));
                let time = format!("{:.3}", result.seconds);
                let case = writer.create_element("testcase").with_attributes([
                    ("classname", class.as_str()),
                    ("name", &name),
                    ("time", &time),
                ]);
                if result.status.is_good() && result.status != Status::Unsupported {
                    case.write_empty()?;
                    continue;
                }
                let message = permitted(&result.message);
                if result.status == Status::Unsupported {
                    case.write_inner_content(|writer| {
                        let skipped = writer.create_element("skipped");
                        skipped.with_attribute(("message", &*message)).write_empty()?;
                        Ok(())
                    })?;
                    continue;
                }
                let first = message.lines().next().unwrap_or_default();
                let element = if is_error(result.status) { "error" } else { "failure" };
                case.write_inner_content(|writer| {
                    let kind = result.status.name();
                    let attributes = [("type", kind), ("message", first)];
                    let element = writer.create_element(element).with_attributes(attributes);
                    let golden = match &*result.golden {
                        "" => message.clone(),
                        golden => format!("{message}\ngolden: {}", permitted(golden)),
                    };
                    let traces =
                        result.traces.all().map(|trace| format!("\n\n{}", permitted(trace)));
                    let content = format!("{golden}{}", traces.collect::<String>());
                    element.write_text_content(BytesText::new(&content))?;
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

/// Replaces characters that XML cannot represent.
fn permitted(text: &str) -> String {
    let is_permitted = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if is_permitted(c) { c } else { '\u{fffd}' }).collect()
}
