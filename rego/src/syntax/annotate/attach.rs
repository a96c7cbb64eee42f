//! What each block is about (`v1/ast/annotations.go`, `attachAnnotationsNodes`, `attachRuleAnnotations`).

use foldhash::HashMap;

use super::Block;
use crate::error::{Code, Error};
use crate::syntax::ground::is_ground;
use crate::syntax::print;
use crate::syntax::source::Source;
use crate::syntax::tree::{AnnotationTarget, Annotations, Module, Rule, Scope, Term};
use crate::value::Value;

/// A statement below a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Package,
    Import,
    Rule(usize),
}

/// The module with its annotations, or what is wrong with them.
pub(in crate::syntax) fn attached(mut module: Module, source: &Source, blocks: Vec<Block>) -> Result<Module, Vec<Error>> {
    let statements = statements(&module, source);
    let mut errors = Vec::new();
    for block in blocks {
        let row = source.row(block.span.start);
        let next = statements.partition_point(|(other, _)| *other <= row);
        let below = statements.get(next).map(|(_, below)| *below);
        let span = block.span;
        match annotations(block, below) {
            Ok(annotations) => module.annotations.push(annotations),
            Err(messages) => errors.extend(messages.into_iter().map(|message| Error::new(Code::Parse, span, message))),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    to_rules(&mut module, source);
    Ok(module)
}

fn statements(module: &Module, source: &Source) -> Vec<(u32, Below)> {
    let row = |start: u32| source.row(start);
    let mut all = vec![(row(module.package.span.start), Below::Package)];
    all.extend(module.imports.iter().map(|import| (row(import.span.start), Below::Import)));
    all.extend(module.rules.iter().enumerate().map(|(index, rule)| (row(rule.span.start), Below::Rule(index))));
    all.sort_by_key(|(row, _)| *row);
    all
}

fn annotations(block: Block, below: Option<Below>) -> Result<Annotations, Vec<String>> {
    let scope = block.scope.clone().unwrap_or_else(|| implied(below, block.entrypoint).to_owned());
    let mut messages = Vec::new();
    let have = match below {
        None => "",
        Some(Below::Package) => " (have package)",
        Some(Below::Import) => " (have import)",
        Some(Below::Rule(_)) => " (have rule)",
    };
    let found = match (scope.as_str(), below) {
        ("rule", Some(Below::Rule(index))) => Some((Scope::Rule, AnnotationTarget::Rule(index))),
        ("document", Some(Below::Rule(index))) => Some((Scope::Document, AnnotationTarget::Rule(index))),
        ("package", Some(Below::Package)) => Some((Scope::Package, AnnotationTarget::Package)),
        ("subpackages", Some(Below::Package)) => Some((Scope::Subpackages, AnnotationTarget::Package)),
        ("rule" | "document", _) => {
            messages.push(format!("annotation scope '{scope}' must be applied to rule{have}"));
            None
        }
        ("package" | "subpackages", _) => {
            messages.push(format!("annotation scope '{scope}' must be applied to package{have}"));
            None
        }
        _ => {
            messages
                .push(format!("invalid annotation scope '{scope}'. Use one of 'rule', 'document', 'package', or 'subpackages'"));
            None
        }
    };
    if block.entrypoint && !matches!(scope.as_str(), "document" | "package") {
        messages.push(format!("annotation entrypoint applied to non-document or package scope '{scope}'"));
    }
    match found {
        Some((known, target)) if messages.is_empty() => {
            let fields = block.fields.into_iter().chain([("scope".into(), scope.into())]);
            Ok(Annotations { span: block.span, scope: known, fields: Value::object(fields), target })
        }
        _ => Err(messages),
    }
}

fn implied(below: Option<Below>, entrypoint: bool) -> &'static str {
    match below {
        Some(Below::Rule(_)) if entrypoint => "document",
        Some(Below::Rule(_)) => "rule",
        Some(Below::Package) => "package",
        Some(Below::Import) => "import",
        None => "",
    }
}

/// Annotations of one path.
#[derive(Default)]
struct Group {
    document: Vec<usize>,
    /// Those of single rules that no rule has claimed yet, the next one last.
    ahead: Vec<(u32, usize)>,
    pending: Vec<usize>,
}

/// Each rule gets what is said of its document, and what stands above it and belongs to no rule before; the last of these is its
/// own.
fn to_rules(module: &mut Module, source: &Source) {
    let mut groups: HashMap<String, Group> = HashMap::default();
    for (index, annotations) in module.annotations.iter().enumerate() {
        let AnnotationTarget::Rule(target) = annotations.target else { continue };
        let Some(rule) = module.rules.get(target) else { continue };
        let group = groups.entry(path(&module.package.path, rule)).or_default();
        match annotations.scope {
            Scope::Document => group.document.push(index),
            _ => group.ahead.push((source.row(annotations.span.start), index)),
        }
    }
    if groups.is_empty() {
        return;
    }
    groups.values_mut().for_each(|group| group.ahead.reverse());
    let package = std::mem::take(&mut module.package.path);
    for rule in &mut module.rules {
        let row = source.row(rule.span.start);
        if let Some(group) = groups.get_mut(&path(&package, rule)) {
            rule.annotations = group.of_rule(row);
        }
    }
    module.package.path = package;
}

impl Group {
    fn of_rule(&mut self, row: u32) -> Vec<usize> {
        while let Some((_, index)) = self.ahead.pop_if(|(above, _)| *above < row) {
            self.pending.push(index);
        }
        let mut all: Vec<_> = self.document.iter().chain(&self.pending).copied().collect();
        all.sort_unstable();
        self.pending.pop();
        all
    }
}

/// What a rule defines, up to its first variable.
fn path(package: &[Term], rule: &Rule) -> String {
    let head = rule.head.reference.iter().enumerate();
    let ground = head.take_while(|(index, part)| *index == 0 || is_ground(part));
    let mut parts = package.to_vec();
    parts.extend(ground.map(|(_, part)| match part.as_var() {
        Some(name) => Term::string(part.span, name.clone()),
        None => part.clone(),
    }));
    print::reference(&parts)
}
