//! Patterns: an object in one matches objects with the same keys and no others (opa `v1/topdown/eval.go`, `biunifyObjects`), in the
//! interpreter larger ones too. `{"image": v} = input.c` is `{"image": v} = plimsoll__.exact(input.c, {"image": null})`. Where the
//! pattern stands for what is gone through, a variable takes its place, and the pattern comes behind: `some {"name": n} in xs` is
//! `some p in xs; {"name": n} := plimsoll__.exact(p, {"name": null})`. And `p = ["c", _]` is refused for a `p` that gets its value
//! from `walk`: it is `plimsoll__.exact(p, [null, null]) = ["c", _]`.

use std::collections::{BTreeMap, BTreeSet};

use regorus::Engine;
use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Module as Tree, Query};

use super::bare::bare;
use super::callees::Callees;
use super::frames::Frames;
use super::negation::{global, prefix};
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

mod arguments;
mod equations;
mod exact;
mod places;
mod shape;

/// Makes the function that patterns are rewritten with one of an engine.
pub(super) fn install(engine: &mut Engine) {
    exact::install(engine);
}

/// Writes the patterns of a module so; nothing if there are none to write.
pub(super) fn name(text: &str, tree: &Tree, packages: &Packages) -> Result<Option<Spliced>, anyhow::Error> {
    let mut patterns = Patterns::of(text, tree, packages);
    for rule in &tree.policy {
        patterns.frames.rule(rule);
        patterns.current = None;
        patterns.walked.clear();
        patterns.arguments(rule);
        walk::rule(rule, &mut patterns);
    }
    patterns.finish()
}

struct Patterns<'t> {
    text: &'t str,
    v1: bool,
    frames: Frames,
    /// Names that always have a value, or are undefined: rules and import aliases.
    known: BTreeSet<String>,
    /// What `walk` gives its results to, in the bodies that the walk is in.
    walked: Vec<BTreeSet<String>>,
    callees: Callees<'t>,
    /// No name of the module begins so.
    prefix: String,
    count: usize,
    /// The statement that the walk is in, if it is in one.
    current: Option<Statement>,
    /// That around the expressions that the walk is in, and how many sets `walked` had there.
    outside: Vec<(Option<Statement>, usize)>,
    /// What comes before and behind statements.
    around: BTreeMap<(usize, usize), (String, String)>,
    splices: Splices,
    /// Up to here the text was moved.
    covered: usize,
    refusal: Option<anyhow::Error>,
}

#[derive(Clone, Copy)]
struct Statement {
    start: usize,
    end: usize,
    negated: bool,
}

impl<'t> Patterns<'t> {
    fn of(text: &'t str, tree: &Tree, packages: &'t Packages) -> Self {
        let prefix = prefix(text, "pattern");
        let mut known = global(tree, &packages.rules_of(&syntax::package(tree)));
        known.extend(tree.imports.iter().filter_map(syntax::import).map(|(name, _)| name));
        Self {
            text,
            v1: tree.rego_v1,
            frames: Frames::of(tree, packages),
            known,
            walked: Vec::new(),
            callees: Callees::of(tree, packages),
            prefix,
            count: 0,
            current: None,
            outside: Vec::new(),
            around: BTreeMap::new(),
            splices: Splices::default(),
            covered: 0,
            refusal: None,
        }
    }

    fn finish(mut self) -> Result<Option<Spliced>, anyhow::Error> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        let bare = bare(self.text);
        for ((start, end), (before, behind)) in std::mem::take(&mut self.around) {
            let (open, close) = if bare.contains(&start) { ("{ ", " }") } else { ("", "") };
            self.splices.insert(start, start, format!("{open}{before}"));
            self.splices.insert(end, end, format!("{behind}{close}"));
        }
        Ok((!self.splices.is_empty()).then(|| self.splices.apply(self.text)))
    }

    fn fresh(&mut self) -> String {
        let name = format!("{}{}", self.prefix, self.count);
        self.count = self.count.saturating_add(1);
        name
    }

    /// Puts a variable in the place of a pattern; gives the statement that matches the pattern, whose text may be changed.
    fn moved(&mut self, pattern: &Expr, written: &str, operator: &str) -> String {
        if walk::has_comprehension(pattern) {
            // Nothing would look at what is inside.
            self.refuse(pattern);
        }
        let (name, range) = (self.fresh(), syntax::range(pattern, self.text));
        let breaks = self.text.get(range.clone()).map_or(0, |text| text.matches('\n').count());
        self.splices.insert(range.start, range.end, format!("{}{name}", "\n".repeat(breaks)));
        self.covered = self.covered.max(range.end);
        format!("{written} {operator} {}({name}, {})", exact::NAME, shape::shape(pattern, self.text))
    }

    /// Adds a statement behind the one that the walk is in.
    fn behind(&mut self, statement: &str) {
        if let Some(Statement { start, end, .. }) = self.current {
            self.around.entry((start, end)).or_default().1.push_str(&format!("; {statement}"));
        }
    }

    /// Where a statement begins: spans leave out the quotes of strings.
    fn start(&self, stmt: &LiteralStmt) -> usize {
        let start = place(stmt.span.start);
        let opened = self.text.get(..start).is_some_and(|before| before.ends_with(['"', '`']));
        start.saturating_sub(usize::from(opened))
    }

    fn refuse(&mut self, pattern: &Expr) {
        let message = "a pattern with an object is not supported here: match it in a statement of its own, `{\"a\": x} = value`";
        self.refusal.get_or_insert_with(|| pattern.span().error(message));
    }
}

impl Visitor for Patterns<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::RefBrack { index, .. } = expr {
            self.index(index);
        }
        self.frames.enter(expr);
        self.outside.push((self.current, self.walked.len()));
        if syntax::is_comprehension(expr) {
            self.current = None;
        }
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
        let Some((current, walked)) = self.outside.pop() else { return };
        self.current = current;
        self.walked.truncate(walked);
    }

    fn body(&mut self, query: &Query) {
        self.walked.extend(places::walked(query));
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let (start, end) = (self.start(stmt), syntax::closed(stmt.span.end, self.text));
        let negated = matches!(stmt.literal, Literal::NotExpr { .. });
        self.current = Some(Statement { start, end, negated });
        if start < self.covered {
            return;
        }
        match &stmt.literal {
            Literal::SomeIn { key, value, .. } => {
                let (mut seen, mut statements) = (BTreeSet::new(), Vec::new());
                key.iter().chain([value]).for_each(|part| self.declare(part, &mut seen, &mut statements));
                statements.iter().for_each(|statement| self.behind(statement));
            }
            Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => match expr.as_ref() {
                Expr::AssignExpr { lhs, rhs, .. } if negated => self.comparison(lhs, rhs),
                Expr::AssignExpr { op, lhs, rhs, .. } => self.equation(*op == AssignOp::ColEq, lhs, rhs),
                call => {
                    self.output(call, negated);
                }
            },
            Literal::SomeVars { .. } | Literal::Every { .. } => {}
        }
    }
}
