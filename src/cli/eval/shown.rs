//! Prints what is shown beside the answer, in OPA's formats.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::profile;
use super::table::Table;
use super::timers::Timers;
use crate::rego::coverage::Report;
use crate::rego::trace::QueryReport;

/// What is shown beside the answer.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// What the evaluation recorded.
    pub(super) recorded: QueryReport,
    /// How long each step took; `None` if it is not shown.
    pub(super) metrics: Option<Timers>,
}

/// The same facts as members of the JSON document that holds the answer.
#[derive(Serialize)]
pub(super) struct Members<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<&'s Timers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profile: Vec<profile::Row<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Report>,
}

impl Shown {
    /// Returns the members of the JSON document.
    pub(super) fn members(&self) -> Members<'_> {
        let trace = self.recorded.trace.as_ref().filter(|trace| !trace.is_empty());
        Members {
            metrics: self.metrics.as_ref(),
            explanation: trace.map(|trace| trace.for_command_line("  ")),
            profile: self.recorded.profile.iter().map(Into::into).collect(),
            coverage: self.recorded.lines.as_ref().map(|lines| lines.report()),
        }
    }

    /// Prints what stands above the answer for people: the steps of the evaluation.
    pub(super) fn before(&self, out: &mut dyn Write) -> io::Result<()> {
        self.recorded.trace.as_ref().map_or(Ok(()), |trace| write!(out, "{}", trace.lines()))
    }

    /// Prints what stands below the answer for people: tables of metrics, profile and coverage.
    pub(super) fn behind(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(metrics) = self.metrics.as_ref().filter(|metrics| !metrics.is_empty()) {
            let mut table = Table::new(["Metric", "Value"].map(str::to_owned));
            metrics.rows().for_each(|row| table.row(row));
            table.print(out)?;
        }
        if !self.recorded.profile.is_empty() {
            profile::table(&self.recorded.profile).print(out)?;
        }
        if let Some(lines) = &self.recorded.lines {
            let mut table = Table::new([]);
            table.row(["Overall Coverage".to_owned(), format!("{:.2}", lines.report().coverage)]);
            table.print(out)?;
        }
        Ok(())
    }
}
