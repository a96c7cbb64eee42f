//! What the interpreter's parser lets through of imports, names, defaults and signs though OPA does not (opa `v1/ast/parser.go`,
//! `parseImport`, `parseRules`, `validateDefaultRuleValue`, `parseNumber`).

use regorus::unstable::{Expr, Import, Module as Ast, Rule, RuleHead};

use super::layout::Refusal;
use super::tokens::Tokens;
use crate::rego::splice::place;
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// The keywords of Rego v1; those of v0 the interpreter's parser knows.
const KEYWORDS: &[&str] = &[
    "as", "contains", "default", "else", "every", "false", "if", "import", "in", "not", "null", "package", "some", "true", "with",
];

/// How an error ends that says so of a name.
pub(super) const NO_NAME: &str = " keyword cannot be used for rule name";

/// The first import or default that OPA refuses: where, and why.
pub(super) fn check(text: &str, ast: &Ast) -> Result<(), Refusal> {
    let imports = ast.imports.iter().filter_map(|import| alias(import, ast.rego_v1));
    let defaults = ast.policy.iter().filter_map(|rule| default(rule));
    let names = ast.policy.iter().filter_map(|rule| name(rule, ast.rego_v1));
    let mut signs = Signs { text, found: None };
    ast.policy.iter().for_each(|rule| walk::rule(rule, &mut signs));
    imports.chain(defaults).chain(names).chain(signs.found).next().map_or(Ok(()), Err)
}

/// `contains` alone is a keyword of Rego v1; `contains.x` is a name.
fn name(rule: &Rule, v1: bool) -> Option<Refusal> {
    let refr = match rule {
        Rule::Default { refr, .. } => refr,
        Rule::Spec { head: RuleHead::Compr { refr, .. } | RuleHead::Func { refr, .. } | RuleHead::Set { refr, .. }, .. } => refr,
    };
    match refr.as_ref() {
        Expr::Var { span, .. } if v1 && KEYWORDS.contains(&span.text()) => {
            Some((place(span.start), format!("{}{NO_NAME}", span.text())))
        }
        _ => None,
    }
}

/// A sign is before a number, or before a reference or a call, where it has been written out.
struct Signs<'t> {
    text: &'t str,
    found: Option<Refusal>,
}

impl Visitor for Signs<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::UnaryExpr { span, .. } = expr {
            let mut behind = Tokens::new(self.text.get(place(span.start)..).unwrap_or_default()).skip(1);
            let operand = behind.next().map_or("", |token| token.text);
            let message = format!("unexpected {operand} token: expected number (hint: write `0 - {operand}`)");
            self.found.get_or_insert((place(span.start), message));
        }
        true
    }
}

fn alias(import: &Import, v1: bool) -> Option<Refusal> {
    if let Some(alias) = &import.r#as {
        let at = place(alias.start);
        return match alias.text() {
            root @ ("data" | "input") => Some((at, format!("unexpected import alias, must not be a reserved name, got: {root}"))),
            word if v1 && KEYWORDS.contains(&word) => Some((at, format!("unexpected {word} keyword: expected var"))),
            _ => None,
        };
    }
    let path = syntax::path(&import.refr)?;
    let (root, last) = (path.names.first()?, path.names.last()?);
    (v1 && root != "future" && KEYWORDS.contains(&last.as_str())).then(|| {
        let message = format!(
            "unexpected import path, must not end with a keyword, got: {last} (hint: import a different path or use an alias)"
        );
        (place(import.refr.span().start), message)
    })
}

fn default(rule: &Rule) -> Option<Refusal> {
    let Rule::Default { span, value, .. } = rule else { return None };
    let what = forbidden(value)?;
    Some((place(span.start), format!("illegal default rule (value cannot contain {what})")))
}

/// What a default value has that it must not have; comprehensions may have anything.
fn forbidden(value: &Expr) -> Option<&'static str> {
    match value {
        Expr::Var { span, .. } if !matches!(span.text(), "data" | "input") => Some("var"),
        Expr::Var { .. } | Expr::RefDot { .. } | Expr::RefBrack { .. } => Some("ref"),
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().find_map(|item| forbidden(item)),
        Expr::Object { fields, .. } => fields.iter().flat_map(|(_, key, value)| [key, value]).find_map(|part| forbidden(part)),
        Expr::UnaryExpr { expr, .. } if matches!(expr.as_ref(), Expr::Number { .. }) => None,
        Expr::UnaryExpr { .. }
        | Expr::Call { .. }
        | Expr::ArithExpr { .. }
        | Expr::BinExpr { .. }
        | Expr::BoolExpr { .. }
        | Expr::AssignExpr { .. }
        | Expr::Membership { .. } => Some("call"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, RegoVersion};

    fn refused(rule: &str, version: RegoVersion) -> Option<String> {
        let module = Module { key: "m.rego".into(), text: format!("package a\n{rule}\n") };
        super::super::parse(&module, version).err().map(|error| error.message)
    }

    #[test]
    fn defaults_and_imports_are_refused_as_opa_does() {
        let value = |what: &str| Some(format!("illegal default rule (value cannot contain {what})"));
        let table = [
            ("default f(x) := x", value("var")),
            ("default f(x) := [{\"a\": {x}}]", value("var")),
            ("default f(x) := input", value("ref")),
            ("default f(x) := count([1])", value("call")),
            ("default f(_, _) := -1", None),
            ("default r := [x | x := input.y]", None),
            ("default r := set()", None),
            ("import input as data", Some("unexpected import alias, must not be a reserved name, got: data".into())),
            ("import data.x as contains", Some("unexpected contains keyword: expected var".into())),
            (
                "import data.x.contains",
                Some(
                    "unexpected import path, must not end with a keyword, got: contains (hint: import a different path or use an alias)"
                        .into(),
                ),
            ),
            ("import data.x.contains as y", None),
            ("contains(l, e) if e in l", Some("contains keyword cannot be used for rule name".into())),
            ("default contains := 1", Some("contains keyword cannot be used for rule name".into())),
            ("contains.x := 1", None),
            ("contains[1] := 1", None),
            ("r := -(input.n + 1)", Some("unexpected ( token: expected number (hint: write `0 - (`)".into())),
            ("r if { x := [-\"a\"]; x }", Some("unexpected \"a\" token: expected number (hint: write `0 - \"a\"`)".into())),
            ("r := [-1, -input.n, - 2, 3 - (4), -count([1])]", None),
        ];
        for (rule, expected) in table {
            assert_eq!(refused(rule, RegoVersion::V1), expected, "{rule}");
        }
        assert_eq!(refused("import data.x as contains", RegoVersion::V0), None);
        assert_eq!(refused("contains(l, e) { l[_] = e }", RegoVersion::V0), None);
        assert_eq!(refused("r := 1\n# \0", RegoVersion::V1).as_deref(), Some("illegal null character"));
    }
}
