//! Heads with constants beside heads with variables at one place: `perms.alice.write := true` beside `perms[user][action] := …`.
//!
//! The interpreter, asked for `perms.alice`, evaluates the first alone, and an empty `perms.alice` is there whatever holds.
//! So the constant is written as what has to be evaluated, `perms[["alice"][0]].write`: then both are rules of `perms`. To an
//! `else` of such a rule OPA comes or not as its index has it, so those are refused (and to no default: see [`mod@super::defaults`]).
//!
//! What is below `perms` would thus read itself where it reads `perms.alice`. There the constant stays ([`Specifics::kept`]), others read
//! `perms[["alice"][0]]`, and a head with variables that comes to `alice` ends the evaluation: `perms[plimsoll__.beyond(user, {"alice"})]`.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::policy::Diagnostic;
use regorus::unstable::{Expr, Module as Tree, Rule, RuleHead};

use super::super::parse::ParsedModule;
use super::super::reads::{Names, rule_references};
use super::super::splice::Splices;
use super::super::syntax;
use super::defaults::filled;

mod computed;
mod write;

use write::{below, element, evaluated, part, quoted, set_by_name, without_arguments};

/// A path below `data`.
type Path = Vec<String>;

/// What a set of modules has of such heads.
#[derive(Debug, Default)]
pub(super) struct Specifics {
    /// The objects that heads with variables fill.
    filled: BTreeSet<Path>,
    /// Members of them that rules name whose values other rules inside read.
    kept: BTreeSet<Path>,
    /// Packages and first names of the rules inside, and of all that they may read.
    inside: BTreeSet<Path>,
}

/// The constants in the head of a rule that is no function.
struct Constants {
    path: Path,
    /// One value, and all of the path is constant.
    complete: bool,
    /// It has a value whatever there is.
    certain: bool,
}

impl Specifics {
    pub(super) fn of(modules: &[ParsedModule]) -> Self {
        let rules = || modules.iter().flat_map(|module| module.ast.policy.iter().map(move |rule| (module, &**rule)));
        let filled = rules().filter_map(|(module, rule)| filled(&syntax::package(&module.ast), rule)).collect();
        let mut specifics = Self { filled, ..Self::default() };
        let mut members: BTreeMap<Path, Vec<Constants>> = BTreeMap::new();
        for (module, rule) in rules() {
            let Some(constants) = constants(&syntax::package(&module.ast), rule) else { continue };
            if let Some(member) = specifics.member(&constants.path) {
                members.entry(member.to_vec()).or_default().push(constants);
            }
        }
        if !members.is_empty() {
            specifics.keep(modules, &members);
        }
        specifics
    }

    /// The member of the outermost filled object that a path is, or lies inside.
    fn member<'p>(&self, path: &'p [String]) -> Option<&'p [String]> {
        let length = (1..path.len()).find(|length| path.get(..*length).is_some_and(|above| self.filled.contains(above)))?;
        path.get(..=length)
    }

    fn keep(&mut self, modules: &[ParsedModule], members: &BTreeMap<Path, Vec<Constants>>) {
        let references = references(modules);
        let start = members.keys().flat_map(|member| named(&references, member.split_last().map_or(&[], |(_, above)| above)));
        let mut open: Vec<&Path> = start.collect();
        let mut read: BTreeSet<&Path> = BTreeSet::new();
        while let Some(name) = open.pop() {
            if !self.inside.insert(name.clone()) {
                continue;
            }
            for path in references.get(name).into_iter().flatten() {
                if read.insert(path) {
                    open.extend(named(&references, path));
                }
            }
        }
        let read = read.into_iter().filter_map(|path| self.member(path));
        self.kept =
            read.filter(|member| members.get(*member).is_some_and(|rules| keepable(rules, member))).map(<[_]>::to_vec).collect();
    }

    /// Refuses packages inside such objects whose rules are read: what they are called cannot be evaluated; and `else` of rules inside.
    pub(super) fn refusals(&self, modules: &[ParsedModule]) -> Vec<Diagnostic> {
        if self.filled.is_empty() {
            return Vec::new();
        }
        let within = |module: &&ParsedModule| {
            let package = syntax::package(&module.ast);
            self.filled.contains(&package) || self.member(&package).is_some()
        };
        let within: Vec<_> = modules.iter().filter(within).collect();
        let read = if within.is_empty() { BTreeSet::new() } else { references(modules).into_values().flatten().collect() };
        let packages = within.into_iter().filter(|module| self.is_read(module, &read)).map(|module| {
            let message = "a package inside an object that heads with variables of another package fill is not supported: give it another name";
            module.diagnostic("rego_compile_error", message, module.ast.package.refr.span().start)
        });
        let any = modules.iter().any(|module| module.ast.policy.iter().any(|rule| self.has(module, rule)));
        let computed = modules.iter().filter(|_| any).flat_map(|module| {
            let message = "names behind a package that is computed are not supported where heads with constants stand beside heads with variables: name the package";
            computed::places(module).into_iter().map(move |at| module.diagnostic("rego_compile_error", message, at))
        });
        packages.chain(modules.iter().flat_map(|module| self.refused(module))).chain(computed).collect()
    }

    /// Whether one of these paths begins with the name of a rule of the module, or is what that lies in: the object, or below it.
    fn is_read(&self, module: &ParsedModule, read: &BTreeSet<Path>) -> bool {
        let package = syntax::package(&module.ast);
        let rules = module.ast.policy.iter().filter(|rule| matches!(***rule, Rule::Spec { .. }) && !syntax::is_function(rule));
        let names = rules.filter_map(|rule| syntax::path(syntax::head(rule)).and_then(|path| path.names.into_iter().next()));
        let names: Vec<Path> = names.map(|name| package.iter().cloned().chain([name]).collect()).collect();
        let mut above =
            (1..=package.len()).filter_map(|length| package.get(..length)).skip_while(|above| !self.filled.contains(*above));
        !names.is_empty() && above.any(|above| read.contains(above))
            || names.iter().any(|name| read.range(name.clone()..).next().is_some_and(|path| path.starts_with(name)))
    }

    /// Whether a rule has a constant in its head beside heads with variables.
    fn has(&self, module: &ParsedModule, rule: &Rule) -> bool {
        constants(&syntax::package(&module.ast), rule).is_some_and(|constants| self.member(&constants.path).is_some())
    }

    fn refused(&self, module: &ParsedModule) -> Vec<Diagnostic> {
        const ELSE: &str = "`else` in a rule for one member of an object that heads with variables fill is not supported: give the value a rule of its own";
        let otherwise = |rule: &Rule| matches!(rule, Rule::Spec { bodies, .. } if bodies.iter().any(|body| body.is_else));
        let rules = module.ast.policy.iter().filter(|rule| otherwise(rule) && self.has(module, rule));
        rules.map(|rule| module.diagnostic("rego_compile_error", ELSE, rule.span().start)).collect()
    }

    /// What to write for a reference that begins with these names, of which `root` are not in `names`; nothing if itself.
    pub(super) fn reference(&self, root: &[String], names: &[String], reader: Option<&Path>) -> Option<String> {
        // Parts of rules that were made functions may belong to what is inside.
        if self.kept.is_empty() || reader.is_none_or(|reader| self.inside.contains(reader)) {
            return None;
        }
        let path: Path = root.iter().chain(names).cloned().collect();
        let member = self.member(path.get(1..)?).filter(|member| self.kept.contains(*member))?;
        // `data` counts too.
        let at = member.len().checked_sub(root.len())?;
        Some(format!(
            "{}{}{}",
            syntax::write(names.get(..at)?),
            evaluated(names.get(at)?),
            below(names.get(at.saturating_add(1)..)?)
        ))
    }

    /// Writes the heads of a module.
    pub(super) fn heads(&self, text: &str, tree: &Tree, splices: &mut Splices) {
        let package = syntax::package(tree);
        for rule in &tree.policy {
            without_arguments(text, rule, splices);
            if let Some(refr) = set_by_name(rule) {
                element(text, refr, splices);
            }
            self.general(text, &package, rule, splices);
            let Some(constants) = constants(&package, rule) else { continue };
            let Some(member) = self.member(&constants.path) else { continue };
            if let Some(at) = member.len().checked_sub(package.len()).filter(|_| !self.kept.contains(member)) {
                write::computed(text, syntax::head(rule), at, splices);
            }
        }
    }

    /// Lets a head with variables end the evaluation where it comes to what is kept.
    fn general(&self, text: &str, package: &[String], rule: &Rule, splices: &mut Splices) {
        let Some(object) = filled(package, rule) else { return };
        let kept = self.kept.range(object.clone()..).take_while(|member| member.starts_with(&object));
        let kept: Vec<_> = kept.filter_map(|member| member.get(object.len())).map(|name| quoted(name)).collect();
        let Some(at) = object.len().checked_sub(package.len()).filter(|_| !kept.is_empty()) else { return };
        if let Some(Expr::RefBrack { index, .. }) = part(syntax::head(rule), at) {
            let range = syntax::range(index, text);
            splices.insert(range.start, range.start, "plimsoll__.beyond(".to_owned());
            splices.insert(range.end, range.end, format!(", {{{}}})", kept.join(", ")));
        }
    }
}

/// The first names that a path is, lies inside or has inside.
fn named<'r>(references: &'r BTreeMap<Path, BTreeSet<Path>>, path: &[String]) -> Vec<&'r Path> {
    let above = (1..path.len()).filter_map(|length| references.get_key_value(path.get(..length)?)).map(|(name, _)| name);
    let inside = references.range(path.to_vec()..).map(|(name, _)| name).take_while(|name| name.starts_with(path));
    above.chain(inside).collect()
}

/// What the rules of each first name may read.
fn references(modules: &[ParsedModule]) -> BTreeMap<Path, BTreeSet<Path>> {
    let mut references: BTreeMap<Path, BTreeSet<Path>> = BTreeMap::new();
    for module in modules {
        let package = syntax::package(&module.ast);
        for rule in &module.ast.policy {
            let Some(first) = syntax::path(syntax::head(rule)).and_then(|path| path.names.into_iter().next()) else { continue };
            let name = package.iter().cloned().chain([first]).collect();
            references.entry(name).or_default().extend(rule_references(module, rule, Names::All));
        }
    }
    references
}

/// Whether the constants of a member may stay: nothing is there that these rules do not make.
fn keepable(rules: &[Constants], member: &[String]) -> bool {
    let alone = rules.iter().all(|rule| rule.path.len() == member.len());
    rules.iter().all(|rule| rule.complete) && (alone || rules.iter().any(|rule| rule.certain))
}

fn constants(package: &[String], rule: &Rule) -> Option<Constants> {
    let Rule::Spec { head, bodies, .. } = rule else { return None };
    let (refr, value, set) = match head {
        RuleHead::Compr { refr, assign, .. } => (refr, assign.as_ref(), false),
        RuleHead::Set { refr, .. } => (refr, None, true),
        RuleHead::Func { .. } => return None,
    };
    let path = syntax::path(refr)?;
    let mut names: Path = package.iter().cloned().chain(path.names).collect();
    if path.constant && matches!(head, RuleHead::Set { key: None, .. }) {
        // The last name is the element.
        names.pop();
    }
    let scalar = value.is_none_or(|value| {
        matches!(
            *value.value,
            Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. }
        )
    });
    Some(Constants { path: names, complete: path.constant && !set, certain: bodies.is_empty() && scalar })
}

#[cfg(test)]
mod tests;
