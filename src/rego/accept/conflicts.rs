//! Definitions of one path must be of one kind.

use regorus::Value;

use super::names::Names;
use super::report::Report;
use super::rule::{Head, Rule, Unit};
use super::term::{Kind, Term};
use super::tree::{Tree, display};

const CODE: &str = "rego_type_error";

/// Reports rules that cannot stand together.
pub(super) fn check(units: &[Unit], tree: &Tree<'_>, names: &Names, report: &mut Report<'_>) {
    tree.each(&mut |node| of_node(node, units, names, report));
    packages(units, names, report);
}

fn of_node(node: &Tree<'_>, units: &[Unit], names: &Names, report: &mut Report<'_>) {
    let Some(first) = first_by_place(node, report) else { return };
    let name = display(&first.path, names);
    let inside = inside(node, report);
    if !inside.is_empty() {
        let lines: Vec<_> = inside
            .iter()
            .map(|rule| format!("  rule {} at {}", display(&rule.path, names), report.place(rule.module, rule.at)))
            .collect();
        report.error(first.module, first.at, CODE, format!("rule {name} conflicts with:\n{}", lines.join("\n")));
        return;
    }
    if differ(&node.rules) {
        report.error(first.module, first.at, CODE, format!("conflicting rules {name} found"));
        return;
    }
    let defaults: Vec<_> = node.rules.iter().filter(|rule| rule.default).collect();
    if let [default, _, ..] = defaults.as_slice() {
        let places: Vec<_> = defaults.iter().map(|rule| report.place(rule.module, rule.at)).collect();
        let message = format!("multiple default rules {name} found at {}", places.join(", "));
        let at = units.get(default.module).map_or(0, |unit| unit.package_at);
        report.error(default.module, at, CODE, message);
    }
}

fn first_by_place<'r>(node: &Tree<'r>, _report: &Report<'_>) -> Option<&'r Rule> {
    node.rules.iter().copied().min_by_key(|rule| (rule.module, rule.at))
}

/// A path without variables has no room for others inside it; one with variables has none for functions.
fn inside<'r>(node: &Tree<'r>, _report: &Report<'_>) -> Vec<&'r Rule> {
    let ground = node.rules.iter().any(|rule| rule.is_ground());
    let mut inside: Vec<&Rule> = Vec::new();
    for child in node.children.values() {
        child.each(&mut |below| inside.extend(below.rules.iter().filter(|rule| ground || rule.is_function())));
    }
    inside.sort_by_key(|rule| (rule.module, rule.at));
    inside
}

fn differ(rules: &[&Rule]) -> bool {
    let has = |test: &dyn Fn(&Rule) -> bool| rules.iter().any(|rule| test(rule));
    let member = |rule: &Rule| matches!(rule.head, Head::Member(_));
    let complete = |rule: &Rule| !member(rule) && rule.is_ground();
    let arity = rules.first().map_or(0, |rule| rule.args.len());
    has(&member) && has(&|rule| !member(rule))
        || has(&|rule| rule.args.len() != arity)
        || has(&complete) && has(&|rule| !complete(rule))
        || has(&|rule| member(rule) && rule.is_ground()) && has(&|rule| member(rule) && !rule.is_ground())
}

/// A package cannot be inside or at a rule of another.
fn packages(units: &[Unit], names: &Names, report: &mut Report<'_>) {
    for (index, unit) in units.iter().enumerate() {
        for rule in unit.rules.iter().filter(|rule| rule.is_ground()) {
            for other in units.iter().filter(|other| is_at(&other.package, &rule.path)) {
                let message = format!(
                    "package {} conflicts with rule {} defined at {}",
                    display(other.package.get(1..).unwrap_or_default(), names),
                    display(rule.path.get(rule.name_len.saturating_sub(1)..).unwrap_or_default(), names),
                    report.place(rule.module, rule.at)
                );
                report.error(index, unit.package_at, CODE, message);
            }
        }
    }
}

fn is_at(package: &[Term], path: &[Term]) -> bool {
    super::resolve::same_path(package, path)
        && path.iter().skip(1).all(|part| matches!(part.kind, Kind::Scalar(Value::String(_))))
}
