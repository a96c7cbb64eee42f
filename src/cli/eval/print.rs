//! Results in OPA's formats (`internal/presentation/presentation.go` of its sources).

use std::io::Write;

use serde::Serialize;

use super::Format;
use super::table::Table;
use crate::cli::failure::{self, Failure, Failures};
use crate::rego::Document;
use crate::rego::query::expressions::Row;

#[derive(Serialize)]
struct Whole<'r> {
    #[serde(skip_serializing_if = "<[Row]>::is_empty")]
    result: &'r [Row],
}

/// Prints results.
pub(super) fn rows(format: Format, rows: &[Row], out: &mut dyn Write) -> anyhow::Result<()> {
    match format {
        Format::Json => failure::json(&Whole { result: rows }, out),
        Format::Values => rows.iter().try_for_each(|row| failure::json(&values(row), out)),
        Format::Bindings => rows.iter().try_for_each(|row| failure::json(&row.bindings, out)),
        Format::Raw => rows.iter().try_for_each(|row| Ok(writeln!(out, "{}", raw(row))?)),
        Format::Pretty => pretty(rows, out),
        Format::Discard if rows.is_empty() => failure::json(&serde_json::json!({}), out),
        Format::Discard | Format::Source => failure::json(&serde_json::json!({ "result": "discarded" }), out),
    }
}

/// Prints errors: as JSON they are the answer, otherwise they go where errors go.
pub(super) fn errors(format: Format, errors: &[Failure], out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    match (errors, format) {
        ([error], _) if error.bare => Ok(writeln!(err, "{}", error.message)?),
        (_, Format::Json | Format::Discard) => failure::json(&Failures { errors }, out),
        _ => Ok(failure::print(errors, err)?),
    }
}

fn values(row: &Row) -> Vec<&Document> {
    row.expressions.iter().map(|expression| &expression.value).collect()
}

fn raw(row: &Row) -> String {
    let word = |value: &Document| value.as_str().map_or_else(|| text(value), str::to_owned);
    values(row).into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// On one line, as Go writes it.
fn text(value: &Document) -> String {
    // It is known to be JSON.
    failure::escaped(&serde_json::to_string(value).unwrap_or_default())
}

fn pretty(rows: &[Row], out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(first) = rows.first() else { return Ok(writeln!(out, "undefined")?) };
    if let ([row], true) = (rows, first.bindings.is_empty()) {
        let values = values(row);
        if let Some(value) = values.first().filter(|_| values.len() == 1 || values.iter().all(|value| value.is_boolean())) {
            return failure::json(value, out);
        }
    }
    // Values before variables: OPA sorts by the variable's name, and an expression has none.
    let shown = |(_, value): &(usize, &Document)| !value.is_boolean() || first.bindings.is_empty();
    let columns: Vec<_> = values(first).into_iter().enumerate().filter(shown).map(|(index, _)| index).collect();
    let shown = |index: &usize| first.expressions.get(*index).map(|expression| expression.text.clone()).unwrap_or_default();
    let mut table = Table::new(columns.iter().map(shown).chain(first.bindings.keys().cloned()));
    for row in rows {
        let values = columns.iter().map(|index| row.expressions.get(*index).map(|expression| &expression.value));
        let bindings = first.bindings.keys().map(|name| row.bindings.get(name));
        table.row(values.chain(bindings).map(|value| value.map_or_else(|| "null".to_owned(), text)));
    }
    Ok(table.print(out)?)
}
