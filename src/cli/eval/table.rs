//! A table drawn with lines, as OPA draws it: the header is centred, cells are aligned to the left.

use std::io::{self, Write};

/// A table. Its rows have one length.
#[derive(Debug, Default)]
pub(in crate::cli) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether all columns but the first hold numbers, which are aligned to the right.
    numbers: bool,
}

impl Table {
    /// Returns an empty table with a header.
    pub(in crate::cli) fn new(header: impl IntoIterator<Item = String>) -> Self {
        Self { header: header.into_iter().collect(), ..Self::default() }
    }

    /// Returns an empty table without a header, for names and numbers.
    pub(in crate::cli) fn of_numbers() -> Self {
        Self { numbers: true, ..Self::default() }
    }

    /// Adds a row below the others.
    pub(in crate::cli) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table. Fails when the output cannot be written.
    pub(in crate::cli) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths();
        line(&widths, ["┌", "┬", "┐"], out)?;
        if !self.header.is_empty() {
            let cells = self.header.iter().zip(&widths).map(|(cell, width)| centred(cell, *width));
            writeln!(out, "│ {} │", cells.collect::<Vec<_>>().join(" │ "))?;
            line(&widths, ["├", "┼", "┤"], out)?;
        }
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
                let gap = " ".repeat(width.saturating_sub(length(cell)));
                if self.numbers && at > 0 { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
            });
            writeln!(out, "│ {} │", cells.collect::<Vec<_>>().join(" │ "))?;
        }
        line(&widths, ["└", "┴", "┘"], out)
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            widths.resize(widths.len().max(row.len()), 0);
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = length(cell).max(*width));
        }
        widths
    }
}

fn length(cell: &str) -> usize {
    cell.chars().count()
}

fn centred(cell: &str, width: usize) -> String {
    let gap = width.saturating_sub(length(cell));
    format!("{}{cell}{}", " ".repeat(gap / 2), " ".repeat(gap - gap / 2))
}

fn line(widths: &[usize], [left, middle, right]: [&str; 3], out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<_> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    writeln!(out, "{left}{}{right}", columns.join(middle))
}
