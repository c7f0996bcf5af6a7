//! Tables on standard output, printed row by row, and all numbers as JSON.

use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A table with columns of fixed widths.
pub(crate) struct Table {
    widths: Vec<usize>,
}

impl Table {
    /// Prints the head, from names and widths of columns. The first column is left-aligned, the others are
    /// right-aligned.
    pub(crate) fn new(columns: &[(&str, usize)]) -> Self {
        let table = Self { widths: columns.iter().map(|(_, width)| *width).collect() };
        table.row(columns.iter().map(|(name, _)| (*name).to_owned()));
        table
    }

    /// Prints a row.
    pub(crate) fn row(&self, cells: impl IntoIterator<Item = String>) {
        let mut line = String::new();
        for (i, (cell, &width)) in cells.into_iter().zip(&self.widths).enumerate() {
            line += &if i == 0 { format!("{cell:<width$}") } else { format!(" {cell:>width$}") };
        }
        println!("{}", line.trim_end());
    }
}

/// A table in machine-readable form.
#[derive(Serialize)]
pub(crate) struct TableReport<'a, T> {
    /// The version of λV.
    pub(crate) version: &'static str,
    /// The architecture of the machine.
    pub(crate) architecture: &'static str,
    /// Number of runs of each median.
    pub(crate) runs: usize,
    /// The rows.
    pub(crate) rows: &'a [T],
}

/// Writes the rows of a table to a file.
pub(crate) fn write_json<T: Serialize>(path: &Path, runs: usize, rows: &[T]) -> io::Result<()> {
    let report = TableReport {
        version: env!("CARGO_PKG_VERSION"),
        architecture: std::env::consts::ARCH,
        runs,
        rows,
    };
    let mut out = BufWriter::new(File::create(path)?);
    serde_json::to_writer_pretty(&mut out, &report)?;
    writeln!(out)?;
    out.flush()
}
