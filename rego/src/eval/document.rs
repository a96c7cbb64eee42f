//! Documents below `data`: base and virtual ones as one tree.

use super::body::Next;
use super::cache::Operands;
use super::head;
use super::reference::Ahead;
use super::val::{Val, below_base};
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::{Element, GroupId, GroupKind, NodeId, Term};
use crate::value::{ObjectBuilder, Value};

/// Where a walk has come to.
#[derive(Clone)]
struct Place<'a> {
    node: Option<NodeId>,
    base: Option<Val<'a>>,
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
            if place.node.is_none() && place.base.is_none() {
                return Ok(None);
            }
        }
        self.extent(&place, &mut path.to_vec())
    }

    fn root(&self) -> Place<'a> {
        Place { node: Some(NodeId::ROOT), base: self.scope.data.map(Val::Ref) }
    }

    fn group_at(&self, place: &Place<'a>) -> Option<GroupId> {
        self.policy.node(place.node?)?.group
    }

    /// One step below a place; `path` is where that is. What `with` has put there is a value like any other: no rules, and keys of all
    /// types.
    fn below(&self, place: &Place<'a>, path: &[Val<'a>], key: &Val<'a>) -> Place<'a> {
        let base = place.base.as_ref();
        if self.scope.is_replaced() && self.scope.replaces(path) {
            return Place { node: None, base: base.and_then(|base| base.get(key.value())) };
        }
        let node = place.node.and_then(|node| self.policy.node(node));
        let node = node.and_then(|node| node.children.get(key.value()).copied());
        Place { node, base: base.and_then(|base| base.get_base(key.value())) }
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
            GroupKind::Complete | GroupKind::Function(0) => self.complete(id)?,
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
            GroupKind::Complete | GroupKind::Function(0) if self.is_in_order() => {
                return self.complete_each(id, &mut |eval, value| eval.values(value, ahead, next));
            }
            GroupKind::Complete | GroupKind::Function(0) => self.complete(id)?,
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
        // Where no rules are, base documents alone are gone through; not so where something below is replaced, which is seen from above.
        let goes_on = place.node.is_some() || self.scope.is_above_replaced(path);
        let Some((element, rest)) = ahead.elements.split_first().filter(|_| goes_on) else {
            let value = if ahead.elements.is_empty() { self.extent(&place, path)? } else { place.base };
            let step = if self.scope.replaces(path) { Value::get } else { below_base };
            return match value {
                Some(value) => self.values(value, &Ahead { step, ..*ahead }, next),
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
        let mut keys = Vec::new();
        if let Some(base) = &place.base {
            keys.extend((0..base.len()).map_while(|index| base.entry(index)).map(|(key, _)| key));
        }
        let node = place.node.and_then(|node| self.policy.node(node));
        for key in node.into_iter().flat_map(|node| node.children.keys()) {
            if place.base.as_ref().is_none_or(|base| base.get(key).is_none()) {
                keys.push(Val::Ref(key));
            }
        }
        keys
    }

    /// All of the document at a place: base documents win where rules make something too.
    fn extent(&mut self, place: &Place<'a>, path: &mut Vec<Val<'a>>) -> Result<Option<Val<'a>>, Stop> {
        let seen = self.scope.above(path).map(|base| Place { base: base.map(Val::Ref), ..place.clone() });
        let place = seen.as_ref().unwrap_or(place);
        let Some(node) = place.node else { return Ok(place.base.clone()) };
        let made = self.leaves(node, path)?;
        Ok(Some(match &shown(place) {
            Some(base) => Val::Own(merge(base.value(), &made)),
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

/// The base document at a place, as it is seen from there: what is below `data.system` is seen by who names it (opa
/// `v1/topdown/eval.go`, `resolveReadFromStorage`).
fn shown<'a>(place: &Place<'a>) -> Option<Val<'a>> {
    let base = place.base.clone()?;
    let found = if place.node == Some(NodeId::ROOT) { without_system(base.value()) } else { None };
    Some(found.map_or(base, Val::Own))
}

/// All base documents but `system`, if that is among them.
pub(crate) fn without_system(data: &Value) -> Option<Value> {
    let system = Value::from("system");
    let members = data.as_object().filter(|members| members.get(&system).is_some())?;
    let others = members.iter().filter(|(key, _)| **key != system);
    Some(Value::object(others.map(|(key, value)| (key.clone(), value.clone()))))
}

/// Both objects in one; where both have a value that is not an object in both, the first one's.
pub(super) fn merge(base: &Value, made: &Value) -> Value {
    let (Value::Object(base_members), Value::Object(made)) = (base, made) else { return base.clone() };
    let mut builder = ObjectBuilder::default();
    for (key, value) in made.iter() {
        if base_members.get(key).is_none() {
            builder.insert(key.clone(), value.clone());
        }
    }
    for (key, value) in base_members.iter() {
        let both = made.get(key).filter(|made| made.as_object().is_some() && value.as_object().is_some());
        builder.insert(key.clone(), both.map_or_else(|| value.clone(), |made| merge(value, made)));
    }
    builder.finish()
}
