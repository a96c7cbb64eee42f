//! Documents below `data`: base and virtual ones as one tree.

use super::body::Next;
use super::cache::Operands;
use super::head;
use super::layers::{Layers, merge};
use super::reference::Ahead;
use super::val::{Val, below_base};
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::{Element, GroupId, GroupKind, NodeId, Term};
use crate::value::{ObjectBuilder, Value};

/// Where a walk has come to.
#[derive(Clone)]
struct Place<'a> {
    node: Option<NodeId>,
    base: Layers<'a>,
}

impl<'a> Evaluation<'a> {
    /// The document at a path below `data`.
    pub(super) fn data(&mut self, path: &[Val<'a>]) -> Result<Option<Val<'a>>, Stop> {
        let mut place = self.root();
        for (index, key) in path.iter().enumerate() {
            place = self.below(&place, path.get(..=index).unwrap_or_default(), key);
            if let Some(group) = self.group_at(&place) {
                let below = path.get(index.saturating_add(1)..).unwrap_or_default();
                return Ok(self.group_path(group, below)?.map(Val::Ref));
            }
            if place.node.is_none() && place.base.is_empty() {
                return Ok(None);
            }
        }
        self.extent(&place, &mut path.to_vec())
    }

    fn root(&self) -> Place<'a> {
        Place { node: Some(NodeId::ROOT), base: self.scope.documents() }
    }

    fn group_at(&self, place: &Place<'a>) -> Option<GroupId> {
        self.policy.node(place.node?)?.group
    }

    /// One step below a place; `path` is where that is. No rules are where something is replaced.
    fn below(&self, place: &Place<'a>, path: &[Val<'a>], key: &Val<'a>) -> Place<'a> {
        let is_replaced = self.scope.replaces(path);
        let node = place.node.filter(|_| !is_replaced).and_then(|node| self.policy.node(node));
        let node = node.and_then(|node| node.children.get(key.value()).copied());
        Place { node, base: place.base.below(key.value(), is_replaced) }
    }

    /// The document of a group, or what lies below it at known keys.
    pub(super) fn group_document(&mut self, id: GroupId, keys: &'a [Term], base: usize) -> Result<Option<&'a Value>, Stop> {
        let mut values = Operands::new();
        for key in keys {
            match self.term(key, base)? {
                Some(key) => values.push(key),
                None => return Ok(None),
            }
        }
        self.group_path(id, &values)
    }

    fn group_path(&mut self, id: GroupId, keys: &[Val<'a>]) -> Result<Option<&'a Value>, Stop> {
        let Some(group) = self.policy.group(id) else { return Ok(None) };
        let value = match group.kind {
            GroupKind::Complete => self.complete(id)?,
            GroupKind::Function(_) => None,
            GroupKind::Set | GroupKind::Object => self.partial(id, keys)?,
        };
        let Some(mut value) = value else { return Ok(None) };
        for key in keys {
            match value.get_within(key.value(), &mut self.context.account)? {
                Some(found) => value = self.as_asked(value, found, key.value()),
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }

    /// Goes through what a group defines.
    pub(super) fn group_values(&mut self, id: GroupId, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        let ahead = &Ahead { step: Value::get, ..*ahead };
        let Some(group) = self.policy.group(id) else { return Ok(Flow::Next) };
        let value = match group.kind {
            GroupKind::Complete if self.is_in_order() => {
                return self.complete_each(id, &mut |eval, value| eval.values(value, ahead, next));
            }
            GroupKind::Complete => self.complete(id)?,
            GroupKind::Function(_) => None,
            GroupKind::Set | GroupKind::Object => {
                let mut keys = Vec::new();
                for element in ahead.elements {
                    let Element::Key(key) = element else { break };
                    match self.term(key, ahead.base)? {
                        Some(key) => keys.push(key),
                        None => return Ok(Flow::Next),
                    }
                }
                if head::has_patterns(ahead.elements, keys.len()) {
                    self.with_patterns(id, &keys, ahead)?
                } else {
                    self.partial(id, &keys)?
                }
            }
        };
        match value {
            Some(value) => self.borrowed_values(value, ahead, next),
            None => Ok(Flow::Next),
        }
    }

    /// Goes through documents below `data`, from a constant path on.
    pub(super) fn tree_below(&mut self, path: &'a [Value], ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        let (mut at, mut place) = (Vec::new(), self.root());
        for key in path.iter().skip(1) {
            let key = Val::Ref(key);
            at.push(key.clone());
            place = self.below(&place, &at, &key);
        }
        self.place_values(place, &mut at, ahead, next)
    }

    /// Goes through documents below `data`.
    pub(super) fn tree(&mut self, path: &mut Vec<Val<'a>>, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        let place = self.root();
        self.place_values(place, path, ahead, next)
    }

    fn place_values(&mut self, place: Place<'a>, path: &mut Vec<Val<'a>>, ahead: &Ahead<'a>, next: Next<'_, 'a>) -> Found {
        if let Some(group) = self.group_at(&place) {
            return self.group_values(group, ahead, next);
        }
        // Where no rules are, and one layer alone has something, its values are gone through.
        if let (None, Some((value, is_stored))) = (place.node, place.base.single()) {
            let value = self.scope.without_functions(path, value, &mut self.context.account)?;
            let step = if is_stored { below_base } else { Value::get };
            return self.values(value, &Ahead { step, ..*ahead }, next);
        }
        let Some((element, rest)) = ahead.elements.split_first() else {
            return match self.extent(&place, path)? {
                Some(value) => self.values(value, ahead, next),
                None => Ok(Flow::Next),
            };
        };
        let rest = Ahead { elements: rest, ..*ahead };
        let pattern = match element {
            Element::Key(key) => {
                let Some(key) = self.term(key, ahead.base)? else { return Ok(Flow::Next) };
                return self.descend((&place, key), path, &rest, next);
            }
            Element::Each(pattern) => pattern,
        };
        for key in self.keys(&place) {
            self.context.account.step(1)?;
            if self.matches(pattern, key.clone(), ahead.base)? && self.descend((&place, key), path, &rest, next)? == Flow::Enough
            {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
    }

    fn descend(
        &mut self,
        (place, key): (&Place<'a>, Val<'a>),
        path: &mut Vec<Val<'a>>,
        rest: &Ahead<'a>,
        next: Next<'_, 'a>,
    ) -> Found {
        path.push(key.clone());
        let below = self.below(place, path, &key);
        let found = self.deeper(|eval| eval.place_values(below, path, rest, next));
        path.pop();
        found
    }

    /// The keys at a place: those of base documents, then those that only rules make (opa `v1/topdown/eval.go`,
    /// `evalTree.enumerate`).
    fn keys(&self, place: &Place<'a>) -> Vec<Val<'a>> {
        let mut keys = place.base.keys();
        let node = place.node.and_then(|node| self.policy.node(node));
        for key in node.into_iter().flat_map(|node| node.children.keys()) {
            if !place.base.has(key) {
                keys.push(Val::Ref(key));
            }
        }
        keys
    }

    /// All of the document at a place: base documents win where rules make something too.
    fn extent(&mut self, place: &Place<'a>, path: &mut Vec<Val<'a>>) -> Result<Option<Val<'a>>, Stop> {
        let account = &mut self.context.account;
        let base = place.base.value(account)?.map(|value| self.scope.without_functions(path, value, account)).transpose()?;
        let Some(node) = place.node else { return Ok(base) };
        let made = self.leaves(node, path)?;
        Ok(Some(match base {
            Some(base) => Val::Own(merge(base.value(), &made, &mut self.context.account)?),
            None => Val::Own(made),
        }))
    }

    fn leaves(&mut self, id: NodeId, path: &mut Vec<Val<'a>>) -> Result<Value, Stop> {
        let mut builder = ObjectBuilder::default();
        let Some(node) = self.policy.node(id) else { return Ok(builder.finish()) };
        for (key, child) in &node.children {
            let Some(below) = self.policy.node(*child).filter(|below| !below.hidden) else { continue };
            path.push(Val::Ref(key));
            let value = match below.group {
                Some(_) => self.data(&path.clone())?.map(Val::into_value),
                None => Some(self.deeper(|eval| eval.leaves(*child, path))?),
            };
            path.pop();
            if let Some(value) = value {
                builder.insert(key.clone(), value);
            }
        }
        Ok(builder.finish())
    }
}
