//! Rules whose head may be undefined for some bindings of their body.
//!
//! The interpreter then loses what the rule had for the others: `x[n] := c.k if some n, c in clusters` is empty, or an error,
//! when one cluster has no `k`; and `x contains input.list[_]` is an error without the list. Comprehensions do it right, so
//! the parts of the head become statements of one:
//! `x[out0_] := out1_ if { [out0_, out1_] := [[[in0_, in1_] | in0_ := n; in1_ := c.k] | some n, c in clusters][_][_] }`.
//! Where the body has variables that only the head binds (see [`through`]), the parts become statements behind those of the body.
//! Nor does it go on to `else` when the value of what stands before is undefined: `f(x) := x.tier else := "none"`.
//! The parts and the body stay where they are in the text, line breaks too; only what stands between them changes.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Tree, Ref, Rule, RuleBody, RuleHead};

use super::super::splice::{Spliced, Splices, place};
use super::super::syntax;
use super::super::walk;
use super::certain::{Certainty, iterates};

mod computed;
mod layout;
mod through;

use layout::head_keys;
pub(in crate::rego) use layout::head_parts;
pub(in crate::rego) use through::Indexes;

/// Rewrites the rules of a module that need it. `rules` are the names of the package's rules: they may be undefined.
pub(super) fn rewrite(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Spliced {
    let mut suffix = "_".to_owned();
    while text.contains(&format!("out0{suffix}")) || text.contains(&format!("in0{suffix}")) {
        suffix.push('_');
    }
    let mut writer = Writer { text, v1: tree.rego_v1, rules, suffix, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| writer.rule(rule));
    writer.splices.apply(text)
}

/// A range of the text.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: usize,
    end: usize,
}

/// What a rule's head is made of: its parts in the order of the text, and where it begins and ends.
struct Shape {
    head: Range,
    parts: Vec<Range>,
}

struct Writer<'t> {
    text: &'t str,
    v1: bool,
    rules: &'t BTreeSet<String>,
    suffix: String,
    splices: Splices,
}

impl Writer<'_> {
    fn rule(&mut self, rule: &Rule) {
        let Rule::Spec { head, bodies, .. } = rule else { return };
        let main: Vec<_> = bodies.iter().filter(|body| !body.is_else).collect();
        let last = bodies.iter().rposition(|body| body.is_else);
        let parts = head_parts(head);
        // The interpreter cannot schedule a comprehension in a key of a head.
        let comprehends = head_keys(head).into_iter().any(walk::has_comprehension) || computed::is_path(head);
        let body = main.first().copied();
        let open = body.is_some_and(|body| through::the_head(arguments(head), &parts, &body.query));
        if (open || comprehends || self.fills(head) || self.lossy(parts, body, last.is_some()))
            && main.len() < 2
            && let Some(shape) = self.shape(head)
        {
            self.replace(&shape, body, "", open);
        }
        for (at, body) in bodies.iter().enumerate().filter(|(_, body)| body.is_else) {
            let Some(assign) = &body.assign else { continue };
            let open = through::the_head(arguments(head), &[&*assign.value], &body.query);
            if open || self.lossy(vec![&*assign.value], Some(body), last > Some(at)) {
                let (value, start) = (self.value(assign), place(body.span.start));
                let shape = Shape { head: Range { start, end: value.end }, parts: vec![value] };
                self.replace(&shape, Some(body), "else", open);
            }
        }
    }

    /// Whether a head makes a set at a place that is computed, or a member of an object there: the interpreter makes an
    /// empty one where the body does not hold. And it refuses keys before a name that are no references.
    fn fills(&self, head: &RuleHead) -> bool {
        let certain = Certainty { rules: self.rules };
        let mut keys = head_keys(head).into_iter();
        match head {
            RuleHead::Set { .. } => keys.any(|key| !certain.of(key)),
            // What the last key is a member of is there.
            RuleHead::Compr { refr, .. } if matches!(**refr, Expr::RefBrack { .. }) => keys.skip(1).any(|key| !certain.of(key)),
            RuleHead::Compr { .. } => keys.any(|key| !certain.of(key) && syntax::path(key).is_none()),
            RuleHead::Func { .. } => false,
        }
    }

    /// Whether the parts of a head may be undefined for one of several bindings, or before an `else`.
    fn lossy(&self, parts: Vec<&Expr>, body: Option<&RuleBody>, before_else: bool) -> bool {
        let certain = Certainty { rules: self.rules };
        let query = body.map(|body| &*body.query);
        parts.iter().any(|part| !certain.of(part)) && (before_else || iterates(&parts, query))
    }

    /// Writes `head if { [out…] := [[[in…] | parts] | body][_][_] }` around parts and body, after `keyword` (of an else body);
    /// with `open`, `head if { [out…] := [[in…] | body; parts][_] }`.
    fn replace(&mut self, shape: &Shape, body: Option<&RuleBody>, keyword: &str, open: bool) {
        let Some(inner) = self.inner(shape.head.end, body) else { return };
        let number = |name: &str| (0..shape.parts.len()).map(|i| format!("{name}{i}{}", self.suffix)).collect::<Vec<_>>();
        let (names, inside) = (number("out"), number("in"));
        let opening = if self.v1 { "if {" } else { "{" };
        let skeleton = if keyword.is_empty() { self.skeleton(shape, &names) } else { format!("else := {}", names.join("")) };
        let opening = format!("{skeleton} {opening} [{}] := [[", names.join(", "));
        if open {
            self.behind(shape, &inner, &opening, &inside)
        } else {
            self.around(shape, &inner, &opening, &inside)
        };
    }

    /// The parts before the body, where they are.
    fn around(&mut self, shape: &Shape, inner: &Inner, opening: &str, names: &[String]) {
        let (Some(first), Some(last)) = (shape.parts.first(), shape.parts.last()) else { return };
        let first_in = names.first().map(String::as_str).unwrap_or_default();
        self.gap(shape.head.start, first.start, &format!("{opening}[{}] | {first_in} := ", names.join(", ")));
        for ((part, next), name) in shape.parts.iter().zip(shape.parts.iter().skip(1)).zip(names.iter().skip(1)) {
            self.gap(part.end, next.start, &format!("; {name} := "));
        }
        let Some((body, end)) = inner.range() else { return self.gap(last.end, last.end, "] | true][_][_] }") };
        self.gap(last.end, body.start, "] | ");
        self.gap(body.end, end, "][_][_] }");
    }

    /// The parts behind the body, with their line breaks: they may separate statements of a comprehension.
    fn behind(&mut self, shape: &Shape, inner: &Inner, opening: &str, names: &[String]) {
        let Some((body, end)) = inner.range() else { return };
        let text = |range: &Range| self.text.get(range.start..range.end).unwrap_or_default();
        let parts = shape.parts.iter().zip(names).map(|(part, name)| format!("{name} := {}", text(part)));
        let parts = parts.collect::<Vec<_>>().join("; ");
        // A comment may end the last line of the body.
        let joint = if text(&body).trim_end_matches([' ', '\t', '\r']).ends_with('\n') { "" } else { "; " };
        let breaks = |range: &Range| text(range).matches('\n').count();
        let moved: usize = shape.parts.iter().map(breaks).sum();
        let kept = "\n".repeat(breaks(&Range { start: shape.head.start, end: body.start }).saturating_sub(moved));
        let opening = format!("{opening}{}] | {kept}", names.join(", "));
        self.splices.insert(shape.head.start, body.start, opening);
        self.gap(body.end, end, &format!("{joint}{parts}][_] }}"));
    }

    /// The head with variables for its parts, on one line.
    fn skeleton(&self, shape: &Shape, names: &[String]) -> String {
        let (mut skeleton, mut at) = (String::new(), shape.head.start);
        for (part, name) in shape.parts.iter().zip(names) {
            skeleton.push_str(&syntax::flat(self.text.get(at..part.start).unwrap_or_default()));
            let space = if skeleton.ends_with(['[', ' ']) { "" } else { " " };
            skeleton.extend([space, name]);
            at = part.end;
        }
        skeleton.push_str(&syntax::flat(self.text.get(at..shape.head.end).unwrap_or_default()));
        skeleton
    }

    /// Replaces what stands between two places, but its line breaks.
    fn gap(&mut self, start: usize, end: usize, text: &str) {
        let breaks = self.text.get(start..end).map_or(0, |gap| gap.matches('\n').count());
        self.splices.insert(start, end, format!("{text}{}", "\n".repeat(breaks)));
    }
}

/// The statements of a body.
enum Inner {
    None,
    Braces(Range),
    Literal(Range),
}

impl Inner {
    /// Where they are, and where the body ends.
    fn range(&self) -> Option<(Range, usize)> {
        match self {
            Self::None => None,
            Self::Braces(body) => Some((*body, body.end.saturating_add(1))),
            Self::Literal(body) => Some((*body, body.end)),
        }
    }
}

fn arguments(head: &RuleHead) -> &[Ref<Expr>] {
    match head {
        RuleHead::Func { args, .. } => args,
        RuleHead::Compr { .. } | RuleHead::Set { .. } => &[],
    }
}
