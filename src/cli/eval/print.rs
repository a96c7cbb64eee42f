//! Prints results in the formats of `opa eval` (`internal/presentation/presentation.go` of its sources).

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use super::Format;
use super::shown::{Members, Shown};
use super::table::Table;
use crate::cli::failure::{self, Failure};
use crate::rego::Document;
use crate::rego::query::expressions::Row;

/// The document that the JSON formats print.
#[derive(Serialize)]
struct Whole<'r, T> {
    #[serde(skip_serializing_if = "<[Failure]>::is_empty")]
    errors: &'r [Failure],
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<T>,
    #[serde(flatten)]
    shown: Members<'r>,
}

/// Prints results or errors and, in the formats that have a place for it, what is shown beside them. Errors are members of the JSON
/// formats; in the others they go to standard error. Fails when the output cannot be written.
pub(super) fn answer(
    format: Format,
    answer: &Result<Vec<Row>, Vec<Failure>>,
    shown: &Shown,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<()> {
    let (rows, errors) = match answer {
        Err(errors)
            if let [error] = errors.as_slice()
                && error.bare =>
        {
            return Ok(writeln!(err, "{}", error.message)?);
        }
        Err(errors) => (&[][..], errors.as_slice()),
        Ok(rows) => (rows.as_slice(), &[][..]),
    };
    let result = (!rows.is_empty()).then_some(rows);
    match format {
        Format::Json => failure::json(&Whole { errors, result, shown: shown.members() }, out),
        Format::Discard | Format::Source => {
            failure::json(&Whole { errors, result: result.map(|_| "discarded"), shown: shown.members() }, out)
        }
        Format::Pretty => people(answer, shown, out, err),
        _ if !errors.is_empty() => Ok(failure::print(errors, err)?),
        Format::Values => rows.iter().try_for_each(|row| failure::json(&values(row), out)),
        Format::Bindings => rows.iter().try_for_each(|row| failure::json(&row.bindings, out)),
        Format::Raw => rows.iter().try_for_each(|row| Ok(writeln!(out, "{}", raw(row))?)),
    }
}

fn people(
    answer: &Result<Vec<Row>, Vec<Failure>>,
    shown: &Shown,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<()> {
    shown.before(out)?;
    match answer {
        Ok(rows) => pretty(rows, out)?,
        Err(errors) => failure::print(errors, err)?,
    }
    Ok(shown.behind(out)?)
}

fn values(row: &Row) -> Vec<&Document> {
    row.expressions.iter().map(|expression| &expression.value).collect()
}

fn raw(row: &Row) -> String {
    let word = |value: &Document| value.as_text().map_or_else(|| text(value), Cow::into_owned);
    values(row).into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns a value as JSON on one line, escaped as Go's encoder does.
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
