//! References below `data`: base and virtual documents as one tree (opa `v1/topdown/eval.go`, `evalTree`).

use super::bindings::Bound;
use super::leave::Deferred;
use super::reference::Path;
use super::{Leave, Next, Query, Run, Traced};
use crate::eval::merge;
use crate::ir::NodeId;
use crate::syntax::span::Span;
use crate::syntax::tree::{Kind, Term};
use crate::trace::eval::bindings::written;
use crate::value::{ObjectBuilder, Value};

/// A reference on its way through documents.
#[derive(Clone)]
pub(super) struct Walk<'a> {
    pub(super) parts: &'a [Term],
    /// The next part.
    pub(super) at: usize,
    pub(super) frame: usize,
    /// The keys so far, those below `data`.
    pub(super) path: Vec<Value>,
    /// Where rules are, or lie below.
    pub(super) node: Option<NodeId>,
    /// What the document that it leads to must be.
    pub(super) out: Bound<'a>,
}

impl<'a> Walk<'a> {
    /// The reference, once it goes on in values.
    pub(super) fn onwards(&self, at: usize) -> Path<'a> {
        Path { parts: self.parts, at, frame: self.frame, out: self.out.clone() }
    }
}

impl<'a> Traced<'a> {
    pub(super) fn tree(&mut self, query: Query<'a>, walk: Walk<'a>, next: Next<'_, 'a>) -> Run {
        let Some(part) = walk.parts.get(walk.at) else {
            let Some(value) = self.extent(query, &walk)? else { return Ok(()) };
            return self.unify(query, walk.out, Bound::value(value), next);
        };
        match self.plug_tree(part, walk.frame) {
            Some(key) => self.deeper(|eval| eval.descend(query, walk, key, next)),
            None => self.enumerate(query, &walk, part, next),
        }
    }

    fn descend(&mut self, query: Query<'a>, mut walk: Walk<'a>, key: Value, next: Next<'_, 'a>) -> Run {
        let node = walk.node.and_then(|node| self.policy.node(node)?.children.get(&key).copied());
        walk.path.push(key);
        walk.node = node.filter(|_| !self.scope.replaced.contains(&walk.path));
        if let Some(group) = walk.node.and_then(|node| self.policy.node(node)?.group) {
            return self.virtual_document(query, walk, group, next);
        }
        walk.at = walk.at.saturating_add(1);
        self.tree(query, walk, next)
    }

    /// Goes through the keys of base documents, then through those that only rules make.
    fn enumerate(&mut self, query: Query<'a>, walk: &Walk<'a>, part: &'a Term, next: Next<'_, 'a>) -> Run {
        let base = self.base(&walk.path)?;
        let mut deferred = Deferred::default();
        for key in keys(base.as_ref()) {
            let run = self.enumerated(query, (walk, part), key, next);
            deferred.hold_first(run)?;
        }
        deferred.release()?;
        let node = walk.node.and_then(|node| self.policy.node(node));
        for key in node.into_iter().flat_map(|node| node.children.keys()) {
            if base.as_ref().is_none_or(|base| base.get(key).is_none()) {
                self.enumerated(query, (walk, part), key.clone(), next)?;
            }
        }
        Ok(())
    }

    fn enumerated(&mut self, query: Query<'a>, (walk, part): (&Walk<'a>, &'a Term), key: Value, next: Next<'_, 'a>) -> Run {
        self.context.account.step(1)?;
        let part = Bound::tree(part, walk.frame);
        self.unify(query, Bound::value(key.clone()), part, &mut |eval| eval.descend(query, walk.clone(), key.clone(), next))
    }

    /// The base document at a path below `data`.
    fn base(&mut self, path: &[Value]) -> Result<Option<Value>, Leave> {
        let (scope, account) = (&self.scope, &mut self.context.account);
        let is_replaced = |at| scope.replaced.contains(path.get(..=at).unwrap_or_default());
        let found = path.iter().enumerate().fold(scope.documents(), |above, (at, key)| above.below(key, is_replaced(at)));
        let Some(found) = found.value(account)? else { return Ok(None) };
        Ok(Some(scope.replaced.without_functions(path, found, account)?.into_value()))
    }

    /// All that is at a place: what rules make, below what is in base documents.
    fn extent(&mut self, query: Query<'a>, walk: &Walk<'a>) -> Result<Option<Value>, Leave> {
        let base = self.base(&walk.path)?;
        let Some(node) = walk.node else { return Ok(base) };
        let made = self.leaves(query, &mut walk.path.clone(), node)?;
        Ok(Some(match base {
            Some(base) => merge(&base, &made, &mut self.context.account)?,
            None => made,
        }))
    }

    fn leaves(&mut self, query: Query<'a>, path: &mut Vec<Value>, node: NodeId) -> Result<Value, Leave> {
        let mut builder = ObjectBuilder::default();
        let policy = self.policy;
        for (key, id) in policy.node(node).into_iter().flat_map(|node| &node.children) {
            let Some(child) = policy.node(*id).filter(|child| !child.hidden) else { continue };
            path.push(key.clone());
            let value = match child.group {
                Some(_) => self.leaf(query, path)?,
                None => Some(self.deeper(|eval| eval.leaves(query, path, *id))?),
            };
            path.pop();
            if let Some(value) = value {
                builder.insert(key.clone(), value);
            }
        }
        Ok(builder.finish())
    }

    fn leaf(&mut self, query: Query<'a>, path: &[Value]) -> Result<Option<Value>, Leave> {
        let reference: &'a Term = self.trees.terms.alloc(Term::new(Span::default(), Kind::Ref(reference(path))));
        let out = self.variable("$_leaf", query.frame);
        let mut value = None;
        self.unify(query, Bound::tree(reference, query.frame), out.clone(), &mut |eval| {
            value = eval.plug(&out);
            Ok(())
        })?;
        Ok(value)
    }
}

/// A path below `data` as a reference.
pub(super) fn reference(path: &[Value]) -> Vec<Term> {
    std::iter::once(Term::var(Span::default(), "data")).chain(path.iter().map(written)).collect()
}

fn keys(document: Option<&Value>) -> Vec<Value> {
    match document {
        Some(Value::Array(array)) => (0..array.len()).map(Value::from).collect(),
        Some(Value::Object(object)) => object.keys().to_vec(),
        Some(Value::Set(set)) => set.members().to_vec(),
        _ => Vec::new(),
    }
}
