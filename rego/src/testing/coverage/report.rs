//! The report of a coverage, as OPA writes it in JSON.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashSet;
use serde::{Serialize, Serializer};

use super::Coverage;
use super::range::{Contained, Range, lines, row_spans};
use crate::compile::depth_of;
use crate::program::Program;
use crate::syntax::parse;
use crate::syntax::source::{Source, Sources};
use crate::syntax::span::Span;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Expr, ExprKind, Module, Rule};
use crate::syntax::visit::{Node, walk};

/// Why something is not covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The rule index left it out.
    IndexExcluded,
    /// Another definition that holds was enough.
    EarlyExit,
}

/// The coverage of a set.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// By the names of the texts.
    pub files: BTreeMap<String, FileReport>,
    /// Lines with something that was covered.
    pub covered_lines: usize,
    /// Lines with something that was not.
    pub not_covered_lines: usize,
    /// Percent of the lines.
    #[serde(serialize_with = "as_go")]
    pub coverage: f64,
}

/// The coverage of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FileReport {
    /// What was covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<Range>,
    /// What was not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<Range>,
    /// Lines with something that was covered.
    #[serde(skip_serializing_if = "is_zero")]
    pub covered_lines: usize,
    /// Lines with something that was not.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_covered_lines: usize,
    /// Percent of the lines.
    #[serde(serialize_with = "as_go", skip_serializing_if = "is_nothing")]
    pub coverage: f64,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_nothing(number: &f64) -> bool {
    *number == 0.0
}

/// Without a fraction when there is none.
fn as_go<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // At most 100.
    if number.fract() == 0.0 { serializer.serialize_u64(*number as u64) } else { serializer.serialize_f64(*number) }
}

fn percent(covered: usize, not_covered: usize) -> f64 {
    let all = covered.saturating_add(not_covered);
    if all == 0 { 0.0 } else { 100.0 * covered as f64 / all as f64 }
}

impl FileReport {
    fn new(covered: Vec<Range>, not_covered: Vec<Range>) -> Self {
        let (covered_lines, not_covered_lines) = (lines(&covered), lines(&not_covered));
        let coverage = percent(covered_lines, not_covered_lines);
        Self { covered, not_covered, covered_lines, not_covered_lines, coverage }
    }

    /// The rows of what was covered.
    pub fn covered_rows(&self) -> impl Iterator<Item = u32> {
        self.covered.iter().flat_map(Range::rows)
    }

    /// First and last rows of what is not covered.
    pub fn missed_rows(&self) -> Vec<(u32, u32)> {
        row_spans(&self.not_covered)
    }
}

impl Coverage {
    /// The report on a program's texts.
    pub fn report(&self, program: &Program) -> Report {
        let sources = program.sources();
        let files = program.compiled().modules.iter().filter_map(|module| {
            let source = sources.get(module.source)?;
            Some((source.name.to_string(), self.file(sources, source, module)))
        });
        let files: BTreeMap<_, _> = files.collect();
        let sum = |count: fn(&FileReport) -> usize| files.values().map(count).sum();
        let (covered_lines, not_covered_lines) = (sum(|file| file.covered_lines), sum(|file| file.not_covered_lines));
        Report { covered_lines, not_covered_lines, coverage: percent(covered_lines, not_covered_lines), files }
    }

    fn file(&self, sources: &Sources, source: &Source, module: &Module) -> FileReport {
        let ranges = |spans: &HashSet<Span>| -> Vec<Range> {
            let here = spans.iter().filter(|span| span.source == module.source);
            here.map(|span| Range::of(source, *span)).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let covered = ranges(&self.covered);
        let others = [(Kind::IndexExcluded, ranges(&self.without_indices)), (Kind::EarlyExit, ranges(&self.without_early_exit))];
        let within = Contained::new(&covered);
        let written = written(sources, module).into_iter().map(|span| Range::of(source, span));
        let missed: BTreeSet<Range> = written.filter(|range| !within.has(range)).collect();
        let mut missed: Vec<Range> = missed.into_iter().collect();
        for (kind, ranges) in &others {
            let within = Contained::new(ranges);
            missed.iter_mut().filter(|range| within.has(range)).for_each(|range| range.kinds.push(*kind));
        }
        FileReport::new(covered, missed)
    }
}

/// Heads of rules and expressions of a module as it was written.
fn written(sources: &Sources, module: &Module) -> Vec<Span> {
    let Some(source) = sources.get(module.source) else { return Vec::new() };
    let options = parse::Options { skip_annotations: true, ..parse::Options::of(module.version) };
    let Ok(module) = parse::parse_module(source, module.source, &options) else { return Vec::new() };
    with_depth(depth_of(std::slice::from_ref(&module)), || {
        let mut found = Vec::new();
        module.rules.iter().for_each(|rule| rule_spans(rule, &mut found));
        drop(module);
        found
    })
}

fn rule_spans(rule: &Rule, found: &mut Vec<Span>) {
    walk(Node::Rule(rule), &mut |node| {
        match node {
            Node::Rule(rule) => found.push(rule.head.span),
            Node::Expr(Expr { kind: ExprKind::Some(_), .. }) => {}
            Node::Expr(expr) => found.push(expr.span),
            _ => {}
        }
        false
    });
}
