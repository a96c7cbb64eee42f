//! METADATA of rules and packages (`v1/ast/annotations.go`, `AnnotationSet`).

use foldhash::HashMap;

use super::terms::ground_prefix;
use super::{Compiler, RuleId, rule_conflicts};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{AnnotationTarget, Annotations, Module, Rule, Scope, Term};

/// Annotations, by the index of their module and theirs in it.
type At = (usize, usize);

/// METADATA by what it is about. Paths are as references are written.
#[derive(Debug, Default)]
pub struct AnnotationSet {
    rules: HashMap<RuleId, Vec<At>>,
    packages: HashMap<String, At>,
    /// Of documents, and of packages with all below them.
    paths: HashMap<String, At>,
}

/// One step from a rule outwards.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// What it is about.
    pub path: &'a [Term],
    /// What is said of it.
    pub annotations: Option<&'a Annotations>,
}

/// The stage `ParseMetadataBlocks`: the parser has read them.
pub(super) fn parse_metadata_blocks(_: &mut Compiler) {}

/// The stage `SetAnnotationSet`.
pub(super) fn set_annotation_set(compiler: &mut Compiler) {
    let mut set = AnnotationSet::default();
    let mut errors = Vec::new();
    for (module, tree) in compiler.modules.iter().enumerate() {
        for (index, annotations) in tree.annotations.iter().enumerate() {
            if let Some(other) = set.add(tree, (module, index), annotations) {
                errors.push(redeclared(compiler, annotations, other));
            }
        }
    }
    compiler.annotations = set;
    compiler.findings.stop_all(errors);
}

fn redeclared(compiler: &Compiler, annotations: &Annotations, (module, index): At) -> Error {
    let other = compiler.modules.get(module).and_then(|module| module.annotations.get(index));
    let place = other.map(|other| rule_conflicts::place(compiler, other.span)).unwrap_or_default();
    let scope = match annotations.scope {
        Scope::Rule => "rule",
        Scope::Document => "document",
        Scope::Package => "package",
        Scope::Subpackages => "subpackages",
    };
    Error::new(Code::Type, annotations.span, format!("{scope} annotation redeclared: {place}"))
}

impl AnnotationSet {
    /// Adds annotations; says which ones are about the same already.
    fn add(&mut self, module: &Module, at: At, annotations: &Annotations) -> Option<At> {
        let package = print::reference(&module.package.path);
        let rule = match annotations.target {
            AnnotationTarget::Rule(index) => Some(index),
            AnnotationTarget::Package => None,
        };
        let (map, path) = match (annotations.scope, rule) {
            (Scope::Rule, Some(rule)) => {
                self.rules.entry(RuleId { module: at.0, rule }).or_default().push(at);
                return None;
            }
            (Scope::Document, Some(rule)) => {
                let path = module.rules.get(rule).map(|rule| print::reference(ground_prefix(&rule.head.reference)))?;
                (&mut self.paths, path)
            }
            (Scope::Package, None) => (&mut self.packages, package),
            (Scope::Subpackages, None) => (&mut self.paths, package),
            _ => return None,
        };
        let known = map.get(&path).copied();
        if known.is_none() {
            map.insert(path, at);
        }
        known
    }

    /// Annotations of a rule itself, nearest first.
    pub fn of_rule<'a>(&self, modules: &'a [Module], id: RuleId) -> Vec<&'a Annotations> {
        let all = self.rules.get(&id).map(Vec::as_slice).unwrap_or_default();
        let mut all: Vec<&Annotations> = all.iter().filter_map(|at| find(modules, *at)).collect();
        all.sort_by_key(|annotations| std::cmp::Reverse(annotations.span));
        all
    }

    /// From a rule outwards: its own annotations nearest first, or itself without any; the document's, the package's, and those of
    /// packages above it (`Chain`). An `else` has none of its own.
    pub fn chain<'a>(&self, modules: &'a [Module], id: RuleId, rule: &'a Rule, is_else: bool) -> Vec<Link<'a>> {
        let path = ground_prefix(&rule.head.reference);
        let Some(module) = modules.get(id.module) else { return Vec::new() };
        let own = if is_else { Vec::new() } else { self.of_rule(modules, id) };
        let link = |annotations| Link { path, annotations: Some(annotations) };
        let mut chain: Vec<Link<'a>> = own.into_iter().map(link).collect();
        if chain.is_empty() {
            chain.push(Link { path, annotations: None });
        }
        let get = |map: &HashMap<String, At>, path: &[Term]| map.get(&print::reference(path)).and_then(|at| find(modules, *at));
        chain.extend(get(&self.paths, path).map(|annotations| Link { path, annotations: Some(annotations) }));
        let package = module.package.path.as_slice();
        chain.extend(get(&self.packages, package).map(|annotations| Link { path: package, annotations: Some(annotations) }));
        let above = (1..=package.len()).rev().filter_map(|length| package.get(..length));
        chain.extend(
            above.filter_map(|path| get(&self.paths, path).map(|annotations| Link { path, annotations: Some(annotations) })),
        );
        chain
    }
}

fn find(modules: &[Module], (module, index): At) -> Option<&Annotations> {
    modules.get(module)?.annotations.get(index)
}
