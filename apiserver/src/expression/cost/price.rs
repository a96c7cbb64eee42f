//! What a call itself costs, by the size of what it is given. Source: `apiserver` `pkg/cel/library/cost.go`, and of what makes lists
//! cel-go's `ext`.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr};

use super::size::weight;
use super::{Estimate, Locals, TEXT};

/// Characters of a regular expression that count for one unit, as upstream.
const PATTERN: usize = 4;
/// The longest expression behind a named format, as upstream.
const FORMAT: usize = 128;

/// Characters of a text that count for one more run of a pattern that is looked for to the end: each match may read on in vain.
const MATCHES: usize = 32;

/// What compiling a pattern costs that only the values say.
const COMPILING: usize = 10_000;

impl<'a> Estimate<'a> {
    pub(super) fn price(&self, call: &'a CallExpr, locals: &Locals<'a>) -> usize {
        let parts: Vec<&'a IdedExpr> = call.target.as_deref().into_iter().chain(&call.args).collect();
        let text = |index: usize| parts.get(index).map_or(0, |part| self.text(&part.expr, locals));
        match call.func_name.as_str() {
            // Equality and membership look at whole values.
            "_==_" | "_!=_" if parts.iter().any(|part| self.is_scalar(&part.expr, locals)) => 0,
            "_==_" | "_!=_" => parts.iter().map(|part| self.compared(part, locals)).min().unwrap_or_default(),
            "@in" => parts.last().map_or(0, |part| self.compared(part, locals)),
            "_+_" | "replace" | "join" => {
                let (text, members) = self.grown(call, locals).unwrap_or_default();
                (2 * (text / TEXT)).saturating_add(members)
            }
            "findAll" if parts.len() == 2 => self.matching(&parts, locals).saturating_mul(1 + text(0) / MATCHES),
            "@matches" | "find" | "findAll" => self.matching(&parts, locals),
            "validate" => (1 + text(1) / TEXT).saturating_mul(FORMAT / PATTERN),
            "split" => 2 * (text(0) / TEXT),
            "isCanonical" => 2 * (text(1) / TEXT),
            // What may be there is a copy.
            "_?._" | "_[?_]" => self.part(call, locals).map_or(0, weight),
            "of" | "ofNonZeroValue" | "or" | "orValue" => {
                parts.last().and_then(|part| self.value(&part.expr, locals)).map_or(0, weight)
            }
            "containsIP" | "containsCIDR" => 1 + text(1) / TEXT,
            function if reads_text(function) => text(0) / TEXT,
            _ => self.price_of_lists(call, &parts, locals),
        }
    }

    /// What looks at the members of lists; of `sets.contains` the name before the dot is a part, too.
    fn price_of_lists(&self, call: &'a CallExpr, parts: &[&'a IdedExpr], locals: &Locals<'a>) -> usize {
        let members = |index: usize| parts.get(index).map_or(0, |part| self.members(part, locals));
        match call.func_name.as_str() {
            "contains" if parts.len() == 3 => members(1).saturating_mul(members(2)),
            "intersects" => members(1).saturating_mul(members(2)),
            "equivalent" => members(1).saturating_mul(members(2)).saturating_mul(2),
            "contains" => members(0).max(parts.first().map_or(0, |part| self.text(&part.expr, locals) / TEXT)),
            "indexOf" | "lastIndexOf" => {
                // Every place of the text is compared with all of what is looked for.
                let text = |index: usize| parts.get(index).map_or(0, |part| 1 + self.text(&part.expr, locals) / TEXT);
                members(0).max(text(0).saturating_mul(text(1)))
            }
            "isSorted" | "sum" | "min" | "max" | "reverse" | "slice" | "unwrapOpt" | "unwrap" => members(0).max(members(1)),
            "flatten" | "range" => self.made(call, locals),
            // Of sorting, too, cel-go counts every pair.
            "distinct" | "sort" | "@sortByAssociatedKeys" => members(0).saturating_mul(members(0)),
            _ => 0,
        }
    }

    /// Running a pattern over a text, and making it from its text.
    fn matching(&self, parts: &[&'a IdedExpr], locals: &Locals<'a>) -> usize {
        let text = |index: usize| parts.get(index).map_or(0, |part| self.text(&part.expr, locals));
        let is_literal = matches!(parts.get(1), Some(IdedExpr { expr: Expr::Literal(_), .. }));
        let pattern = if is_literal { 0 } else { COMPILING };
        (1 + text(0) / TEXT).saturating_mul(1 + text(1) / PATTERN).saturating_add(pattern)
    }

    /// What comparing with a value costs at most: a literal is read to its end, and no further.
    fn compared(&self, part: &'a IdedExpr, locals: &Locals<'a>) -> usize {
        match &part.expr {
            Expr::Literal(_) => self.text(&part.expr, locals) / TEXT,
            _ => self.members(part, locals),
        }
    }

    /// Members with all that they hold, where that is known.
    fn members(&self, part: &'a IdedExpr, locals: &Locals<'a>) -> usize {
        self.value(&part.expr, locals).map_or_else(|| self.size(&part.expr, locals), weight)
    }
}

/// Functions whose work grows with the text that they are called on.
fn reads_text(function: &str) -> bool {
    let names = [
        "@duration",
        "@timestamp",
        "cidr",
        "endsWith",
        "ip",
        "isCIDR",
        "isIP",
        "isQuantity",
        "isSemver",
        "isURL",
        "lowerAscii",
        "quantity",
        "quote",
        "semver",
        "startsWith",
        "substring",
        "trim",
        "upperAscii",
        "url",
    ];
    names.contains(&function)
}
