//! Members of an object whose key is written again behind them: OPA's parser drops them unseen, whatever their values are or lack, so
//! `{"allow": false, "reason": input.reason, "reason": "none"}` reads no `input.reason` (opa `v1/ast/term.go`, `NewObject`).

use std::collections::BTreeMap;
use std::ops::Range;

use regorus::unstable::{Expr, Module as Ast};

use crate::rego::accept::Terms;
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Why some of them are refused: the text that has them was written by this parser.
pub(super) const INSIDE: &str =
    "a key twice in an object inside a template string, or in a head before several bodies: write it once";

/// Where such members are, in the order of the text. `templates` is what names begin with that templates have.
pub(super) fn dropped(text: &str, ast: &Ast, templates: &str) -> Vec<Range<usize>> {
    let mut repeats = Repeats { text, terms: Terms::new(templates), dropped: Vec::new() };
    ast.policy.iter().for_each(|rule| walk::rule(rule, &mut repeats));
    repeats.dropped.sort_by_key(|range| range.start);
    repeats.dropped
}

struct Repeats<'t> {
    text: &'t str,
    terms: Terms<'t>,
    dropped: Vec<Range<usize>>,
}

impl Visitor for Repeats<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        let Expr::Object { fields, .. } = expr else { return true };
        if fields.len() < 2 {
            return true;
        }
        let keys: Vec<_> = fields.iter().map(|(_, key, _)| self.terms.form(key)).collect();
        let last: BTreeMap<_, _> = keys.iter().enumerate().map(|(at, key)| (key, at)).collect();
        if last.len() == keys.len() {
            return true;
        }
        let mut start = syntax::range(expr, self.text).start.saturating_add(1);
        for (at, (key, (_, name, value))) in keys.iter().zip(fields).enumerate() {
            // The last member of all stays, and may have no comma behind it.
            let comma = || syntax::behind(self.text, syntax::range(value, self.text).end, ",");
            let end =
                if at.saturating_add(1) < keys.len() { comma().map_or(start, |comma| comma.saturating_add(1)) } else { start };
            if last.get(key) == Some(&at) {
                walk::expr(name, self);
                walk::expr(value, self);
            } else {
                self.dropped.push(start..end);
            }
            start = end;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, RegoVersion};

    fn read(object: &str) -> String {
        let given = format!("package a\nr := {object}");
        let module = Module { key: "m.rego".into(), text: given };
        let parsed = super::super::parse(&module, RegoVersion::V1).unwrap();
        parsed.text.strip_prefix("package a\nr := ").unwrap().to_owned()
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        let cases = [
            ("{\"a\": f(x), \"b\": 2, \"a\": 1}", "{ \"b\": 2, \"a\": 1}"),
            ("{`a`: {1}, # ,\n(\"a\"): (2),\n\"\\u0061\": 3,}", "{\n\n\"\\u0061\": 3,}"),
            ("{1: 0, 1.0: 1, 10e-1: 2}", "{ 10e-1: 2}"),
            ("{{1, 2}: x, {2, 1}: y}", "{ {2, 1}: y}"),
            ("{input.s: 1, input[\"s\"]: 2}", "{ input[\"s\"]: 2}"),
            ("{[x | x := 1]: 1, [x | x := 1 ]: 2}", "{ [x | x := 1 ]: 2}"),
            ("{1 + 1: 1, plus(1, 1): 2}", "{ plus(1, 1): 2}"),
            ("{\"a\": {\"b\": 1, \"b\": 2}, \"a\": {\"c\": 1, \"c\": -x}}", "{ \"a\": { \"c\": (0 -x)}}"),
            ("{-x: 1, -x: -y, \"z\": 1}", "{ (0 -x): (0 -y), \"z\": 1}"),
        ];
        for (object, expected) in cases {
            assert_eq!(read(object), expected, "{object}");
        }
        let templates = read("{$\"{1}\": 1, $\"{1}\": 2}");
        assert!(templates.starts_with("{ plimsoll__") && templates.ends_with(": 2}"), "{templates}");
    }

    #[test]
    fn all_else_stays() {
        for object in [
            "{_: 1, _: 2}",
            "{x: 1, \"x\": 2}",
            "{1: 1, \"1\": 2}",
            "{input.a[_]: 1, input.a[_]: 2}",
            "{[1 | _ = x]: 1, [1 | _ = x]: 2}",
        ] {
            assert_eq!(read(object), object);
        }
    }

    #[test]
    fn inside_templates_they_are_refused() {
        let text = "package a\nr := $\"{{\"a\": 1, \"a\": 2}}\"".to_owned();
        let error = super::super::parse(&Module { key: "m.rego".into(), text }, RegoVersion::V1).unwrap_err();
        assert!(error.message.starts_with("a key twice"), "{error:?}");
        assert_eq!((error.location.row, error.location.col), (2, 6));
    }
}
