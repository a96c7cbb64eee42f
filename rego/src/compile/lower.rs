//! From the compiler's trees to what is evaluated.

mod body;
mod cheap;
mod comprehension;
mod filter;
mod known_path;
mod rules;
mod scope;
mod term;
mod told;
mod tree;
mod unify;
mod with;

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::HashSet;

pub(crate) use super::constants::value as constant;
use scope::Scope;

use super::Arity;
use super::comprehension_index::ComprehensionKeys;
use crate::error::{Code, Error, Errors};
use crate::ir::{Block, Functions, GroupId, Node, NodeId, Policy, Slot};
use crate::syntax::source::Sources;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Module, Term, Var};
use crate::value::Value;

/// What is known of a set while its rules are lowered.
struct Lower<'t> {
    nodes: Cow<'t, [Node]>,
    /// Paths of functions, `data` first, and how many operands they take.
    functions: Cow<'t, Functions>,
    errors: Vec<Error>,
    modules: &'t [Module],
    /// Which comprehensions are looked up.
    comprehensions: ComprehensionKeys,
    /// The builtins.
    arity: Arity<'t>,
    /// How many that are looked up lie around.
    indexed: u32,
    /// Functions that some call asks for a given answer.
    asked: Vec<GroupId>,
}

/// A query that is ready.
#[derive(Debug)]
pub struct Query {
    /// What must hold.
    pub body: Block,
    /// How many slots its frame has.
    pub slots: usize,
    /// The variables that have values at each solution, and where they are.
    pub variables: Vec<(Var, Slot)>,
    /// Some call asks a function for a given answer, which has to be remembered.
    pub asks: bool,
}

/// Lowers modules that the stages of the compiler have rewritten.
pub fn policy(modules: &[Module], sources: Arc<Sources>, arity: Arity<'_>) -> Result<Policy, Errors> {
    let tree = tree::Tree::of(modules);
    let groups = tree.groups(modules);
    let functions = groups.iter().enumerate().filter_map(|(index, group)| group.function(index)).collect();
    let (nodes, functions) = (Cow::Owned(tree.into_nodes()), Cow::Owned(functions));
    let mut comprehensions = ComprehensionKeys::default();
    modules.iter().flat_map(|module| &module.rules).for_each(|rule| comprehensions.add_rule(rule, arity));
    let mut lower = Lower { nodes, functions, errors: Vec::new(), modules, comprehensions, arity, indexed: 0, asked: Vec::new() };
    let mut lowered: Vec<_> = groups.iter().map(|group| lower.group(group, false)).collect();
    // Whoever is asked may ask others.
    let mut known = HashSet::default();
    while lower.errors.is_empty()
        && let Some(id) = lower.asked.pop()
    {
        if known.insert(id)
            && let (Some(place), Some(group)) = (lowered.get_mut(id.index()), groups.get(id.index()))
        {
            *place = lower.group(group, true);
        }
    }
    let groups = lowered;
    Errors::check(lower.errors)?;
    let functions = lower.functions.into_owned();
    Ok(Policy { nodes: lower.nodes.into_owned(), groups, functions, sources, ..Policy::default() })
}

/// Lowers a query that the compiler has rewritten, against a policy.
pub fn query(policy: &Policy, body: &Body, arity: Arity<'_>) -> Result<Query, Errors> {
    let (nodes, functions) = (Cow::Borrowed(policy.nodes.as_slice()), Cow::Borrowed(&policy.functions));
    let mut comprehensions = ComprehensionKeys::default();
    comprehensions.add_query(body, arity);
    let mut lower =
        Lower { nodes, functions, errors: Vec::new(), modules: &[], comprehensions, arity, indexed: 0, asked: Vec::new() };
    let mut scope = Scope::default();
    let body = lower.body(body, &mut scope);
    let asks = !lower.asked.is_empty();
    Errors::check(lower.errors)?;
    Ok(Query { body, slots: scope.len(), variables: scope.bound(), asks })
}

/// The rules of each group, by the numbers of groups: each rule's module and its index there.
pub(crate) fn places(modules: &[Module]) -> Vec<Vec<(usize, usize)>> {
    tree::Tree::of(modules).groups(modules).into_iter().map(|group| group.rules).collect()
}

fn group_id(index: usize) -> GroupId {
    GroupId(u32::try_from(index).unwrap_or(u32::MAX))
}

impl Lower<'_> {
    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Error::new(Code::Compile, span, message));
    }
}

/// An operator as OPA writes it: `io.jwt.decode`.
pub(crate) fn name(operator: &Term) -> Option<String> {
    use crate::syntax::tree::Kind;
    match &operator.kind {
        Kind::Var(name) => Some(name.to_string()),
        Kind::Ref(parts) => {
            let texts = parts.iter().map(|part| part.as_var().or_else(|| part.as_str()).map(|text| text.as_str()));
            texts.collect::<Option<Vec<_>>>().map(|texts| texts.join("."))
        }
        _ => None,
    }
}

/// A path of constants, `data` first; `None` for anything else.
pub(crate) fn data_path(term: &Term) -> Option<Vec<Value>> {
    let parts = term.as_ref_parts()?;
    let (root, rest) = parts.split_first()?;
    (root.as_var()?.as_str() == "data").then_some(())?;
    std::iter::once(Some(Value::from("data"))).chain(rest.iter().map(super::constants::value)).collect()
}
