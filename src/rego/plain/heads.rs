//! Rules whose head may be undefined for some bindings of their body.
//!
//! The interpreter then loses what the rule had for the others: `x[n] := c.k if some n, c in clusters` is empty, or an error,
//! when one cluster has no `k`; and `x contains input.list[_]` is an error without the list. Comprehensions do it right, so
//! the parts of the head become statements of one:
//! `x[out0_] := out1_ if { [out0_, out1_] := [[[in0_, in1_] | in0_ := n; in1_ := c.k] | some n, c in clusters][_][_] }`.
//! Where the body has variables that only the head binds (see [`through`]), the parts become statements behind those of the body.
//! Nor does it go on to `else` when the value of what stands before is undefined: `f(x) := x.tier else := "none"`.
//! The parts and the body stay where they are in the text, line breaks too; only what stands between them changes.

mod computed;
mod through;

use std::collections::BTreeSet;

use regorus::unstable::{AssignOp, Expr, Module as Tree, Ref, Rule, RuleAssign, RuleBody, RuleHead};

use super::super::splice::{Spliced, Splices, place};
use super::super::syntax;
use super::super::walk;
use super::certain::{Certainty, iterates};

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

    /// Whether a head makes a set at a place that is computed: the interpreter makes an empty one where the body does not hold.
    fn fills(&self, head: &RuleHead) -> bool {
        let certain = Certainty { rules: self.rules };
        matches!(head, RuleHead::Set { .. }) && head_keys(head).into_iter().any(|key| !certain.of(key))
    }

    /// Whether the parts of a head may be undefined for one of several bindings, or before an `else`.
    fn lossy(&self, parts: Vec<&Expr>, body: Option<&RuleBody>, before_else: bool) -> bool {
        let certain = Certainty { rules: self.rules };
        let query = body.map(|body| &*body.query);
        parts.iter().any(|part| !certain.of(part)) && (before_else || iterates(&parts, query))
    }

    fn shape(&self, head: &RuleHead) -> Option<Shape> {
        let (span, refr, last) = match head {
            RuleHead::Compr { span, refr, assign } => (span, refr, assign.as_ref().map(|assign| self.value(assign))),
            RuleHead::Func { span, refr, assign, .. } => (span, refr, assign.as_ref().map(|assign| self.value(assign))),
            RuleHead::Set { span, refr, .. } => (span, refr, Some(self.set_key(refr, syntax::closed(span.end, self.text))?)),
        };
        let mut parts = self.indexes(refr)?;
        parts.extend(last);
        (!parts.is_empty())
            .then_some(Shape { head: Range { start: place(span.start), end: syntax::closed(span.end, self.text) }, parts })
    }

    /// The ranges inside the brackets of a head reference that are not constant.
    fn indexes(&self, refr: &Expr) -> Option<Vec<Range>> {
        let mut ranges = Vec::new();
        let mut rest = refr;
        while let Expr::RefDot { refr: inner, .. } | Expr::RefBrack { refr: inner, .. } = rest {
            if let Expr::RefBrack { span, index, .. } = rest
                && syntax::constant_name(index).is_none()
            {
                // In heads, the span of a bracket ends with the index.
                let start = self.after(place(syntax::end(inner, self.text)), "[")?;
                let end = syntax::closed(span.end, self.text);
                self.after(end, "]")?;
                ranges.push(Range { start, end });
            }
            rest = inner;
        }
        ranges.reverse();
        Some(ranges)
    }

    /// `s contains key` or, in Rego v0, `s[key]`.
    fn set_key(&self, refr: &Expr, end: usize) -> Option<Range> {
        let behind = place(syntax::end(refr, self.text));
        match self.after(behind, "contains") {
            Some(start) => Some(Range { start, end }),
            None => Some(Range { start: self.after(behind, "[")?, end: end.checked_sub(1)? }),
        }
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

    /// The parts behind the body, on one line.
    fn behind(&mut self, shape: &Shape, inner: &Inner, opening: &str, names: &[String]) {
        let Some((body, end)) = inner.range() else { return };
        let text = |range: &Range| self.text.get(range.start..range.end).unwrap_or_default();
        let parts = shape.parts.iter().zip(names).map(|(part, name)| format!("{name} := {}", syntax::flat(text(part).trim())));
        let parts = parts.collect::<Vec<_>>().join("; ");
        // A comment may end the last line of the body.
        let joint = if text(&body).trim_end_matches([' ', '\t', '\r']).ends_with('\n') { "" } else { "; " };
        self.gap(shape.head.start, body.start, &format!("{opening}{}] | ", names.join(", ")));
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

    /// Where the statements of a body stand; `head` is where the head ends.
    fn inner(&self, head: usize, body: Option<&RuleBody>) -> Option<Inner> {
        let Some(body) = body.filter(|body| !body.query.stmts.is_empty()) else { return Some(Inner::None) };
        let end = syntax::closed(body.span.end, self.text);
        let keyword = if self.v1 { self.after(head, "if")? } else { self.after(head, "if").unwrap_or(head) };
        let start = self.skip(keyword);
        let first = place(body.query.stmts.first()?.span.start);
        match self.after(start, "{") {
            Some(start) if first >= start => Some(Inner::Braces(Range { start, end: end.checked_sub(1)? })),
            _ => Some(Inner::Literal(Range { start: first, end })),
        }
    }

    /// The range of the value that is assigned.
    fn value(&self, assign: &RuleAssign) -> Range {
        let operator = match assign.op {
            AssignOp::Eq => 1,
            AssignOp::ColEq => 2,
        };
        Range { start: place(assign.span.start).saturating_add(operator), end: syntax::closed(assign.span.end, self.text) }
    }

    /// The place behind a token, if it comes next.
    fn after(&self, at: usize, token: &str) -> Option<usize> {
        let at = self.skip(at);
        self.text.get(at..)?.starts_with(token).then(|| at.saturating_add(token.len()))
    }

    /// Skips blanks and comments.
    fn skip(&self, at: usize) -> usize {
        let mut rest = self.text.get(at..).unwrap_or_default();
        loop {
            rest = rest.trim_start();
            match rest.strip_prefix('#') {
                Some(comment) => rest = comment.split_once('\n').map_or("", |(_, after)| after),
                None => return self.text.len().saturating_sub(rest.len()),
            }
        }
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

/// The expressions of a head that are evaluated for each binding.
fn head_parts(head: &RuleHead) -> Vec<&Expr> {
    let last = match head {
        RuleHead::Compr { assign, .. } | RuleHead::Func { assign, .. } => assign.as_ref().map(|assign| &*assign.value),
        RuleHead::Set { key, .. } => key.as_deref(),
    };
    last.into_iter().chain(head_keys(head)).collect()
}

/// The expressions in the brackets of a head reference, last first.
fn head_keys(head: &RuleHead) -> Vec<&Expr> {
    let (RuleHead::Compr { refr, .. } | RuleHead::Func { refr, .. } | RuleHead::Set { refr, .. }) = head;
    let mut parts: Vec<&Expr> = Vec::new();
    let mut rest: &Expr = refr;
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        if let Expr::RefBrack { index, .. } = rest {
            parts.push(index);
        }
        rest = refr;
    }
    parts
}
