//! What a comprehension, or the body of `every`, names above the statement that declares it is another variable than the one declared
//! there: OPA goes from statement to statement (opa `v1/ast/compile.go`, `rewriteDeclaredVarsInBody`), and until then the name is that
//! of a variable of the rule without a declaration, even where a rule has it (`declaredVars`). To the interpreter it is the same
//! variable. Here the one without a declaration gets a name of its own, wherever the rule has it.

use std::collections::BTreeSet;

use regorus::unstable::{Module as Tree, Span};

use super::scope::{self, Name, Role};
use super::{alias, fresh};
use crate::rego::splice::{Spliced, Splices};

/// Renames such variables; nothing if there are none. `rules` are the first names of the rules of the package.
pub(super) fn rename(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Option<Spliced> {
    let imported: BTreeSet<String> = tree.imports.iter().filter_map(alias).map(|(name, _)| name).collect();
    let is_global = |name: &str| matches!(name, "data" | "input") || imported.contains(name) || rules.contains(name);
    let (mut splices, mut suffix) = (Splices::default(), None);
    for rule in &tree.policy {
        let mut found = Undeclared::default();
        scope::names(rule, &is_global, &mut |name| found.add(&name, &is_global));
        for span in found.of_others() {
            let suffix = suffix
                .get_or_insert_with(|| fresh::unused("_above", std::iter::once(text).chain(rules.iter().map(String::as_str))));
            splices.replace(span.start, span.end, format!("{}{suffix}", span.text()));
        }
    }
    (!splices.is_empty()).then(|| splices.apply(text))
}

/// The variables of a rule that no statement above declares.
#[derive(Default)]
struct Undeclared<'a> {
    all: Vec<&'a Span>,
    /// Names that are declared further down, somewhere.
    later: BTreeSet<&'a str>,
}

impl<'a> Undeclared<'a> {
    fn add(&mut self, name: &Name<'a>, is_global: &dyn Fn(&str) -> bool) {
        let text = name.root.text();
        if name.role != Role::Read {
            return;
        }
        if name.later {
            self.later.insert(text);
        }
        if name.later || !name.local && !is_global(text) {
            self.all.push(name.root);
        }
    }

    /// Those that have the name of another variable.
    fn of_others(self) -> impl Iterator<Item = &'a Span> {
        let Self { all, later } = self;
        all.into_iter().filter(move |span| later.contains(span.text()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::rego::{Module, RegoVersion, parse};

    fn renamed(rule: &str) -> Option<String> {
        let text = format!("package p\n\nk := 1\n\n{rule}\n");
        let module = parse::parse(&Module { key: "m".into(), text }, RegoVersion::V1).unwrap();
        let rules = BTreeSet::from(["k".to_owned(), "r".to_owned()]);
        let spliced = super::rename(&module.text, &module.ast, &rules)?;
        spliced.text.trim_end().rsplit('\n').next().map(ToOwned::to_owned)
    }

    #[test]
    fn what_is_named_above_its_declaration_gets_a_name_of_its_own() {
        for (rule, expected) in [
            ("r if { {i | input.a[i]}; some i; input.b[i] }", "r if { {i_above | input.a[i_above]}; some i; input.b[i] }"),
            ("r if { {i | input.a[i]}; some i, _ in input.b }", "r if { {i_above | input.a[i_above]}; some i, _ in input.b }"),
            ("r if { i := {i | input.a[i]}; i[1] }", "r if { i := {i_above | input.a[i_above]}; i[1] }"),
            ("r if { every t in [1] { input.a[i] == t }; i := 1 }", "r if { every t in [1] { input.a[i_above] == t }; i := 1 }"),
            ("r if { {k | input.a[k]}; some k; input.b[k] }", "r if { {k_above | input.a[k_above]}; some k; input.b[k] }"),
            (
                "r if { {1 | {i | input.a[i]}; some i; input.b[i]}; input.c[i] }",
                "r if { {1 | {i_above | input.a[i_above]}; some i; input.b[i]}; input.c[i_above] }",
            ),
        ] {
            assert_eq!(renamed(rule).as_deref(), Some(expected), "{rule}");
        }
    }

    #[test]
    fn what_is_declared_or_never_declared_stays() {
        for rule in [
            "r if { some i; {i | input.a[i]}; input.b[i] }",
            "r if { {i | some i; input.a[i]}; some i; input.b[i] }",
            "r if { {i | input.a[i]}; input.b[i] }",
            "r if { every i in [1] { i == 1 }; some i in input.b }",
            "r if { {1 | input.a == k}; input.b[k] }",
            "r := {i | input.a[i]} if { some i; input.b[i] }",
        ] {
            assert_eq!(renamed(rule), None, "{rule}");
        }
    }
}
