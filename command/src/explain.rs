//! `lambdav explain`: the page of a diagnostic.

use super::failure::{Failure, Result};
use super::messages::print;
use clap::Args;
use lambdav_core::diagnostics::DiagnosticCode;
use std::fmt::Write;

/// Explain a diagnostic, with an example
#[derive(Args)]
pub(super) struct ExplainArguments {
    /// A code such as LV0401; without one, all codes are listed
    code: Option<String>,
}

pub(super) fn run(options: &ExplainArguments) -> Result {
    match &options.code {
        Some(text) => match DiagnosticCode::parse(text) {
            Some(code) => print(code.page()),
            None => Err(Failure::usage(format!(
                "there is no diagnostic `{text}`; `lambdav explain` lists them all"
            ))),
        },
        None => {
            let mut list = String::new();
            for code in DiagnosticCode::ALL {
                writeln!(list, "{}  {}", code.as_str(), code.title())
                    .expect("writing to a string succeeds");
            }
            print(&list)
        }
    }
}
