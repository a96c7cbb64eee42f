//! Which definitions of a group may hold (opa `v1/ast/index.go`, `Lookup`; `v1/topdown/eval.go`, `getRules`, `evalResolver`).

mod bits;
mod walk;

use std::borrow::Borrow;

use bits::Bits;
use smallvec::SmallVec;
use walk::Walk;

use super::Evaluation;
use super::val::{Val, below_base};
use crate::ir::{Agreement, Entry, Group, IndexReference, IndexRoot, ReferenceNumber, Rule, RuleIndex};
use crate::limits::Halt;
use crate::value::Value;

/// What references are looked up in.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k, O> {
    /// `input`.
    pub input: Option<&'k Value>,
    /// Base documents.
    pub data: Option<&'k Value>,
    /// The paths below `data` that are replaced: what stands there is a value like any other.
    pub replaced: &'k [&'k [Value]],
    /// The operands of a function.
    pub operands: &'k [O],
}

/// Definitions that may hold.
#[derive(Debug)]
pub struct Candidates {
    entries: Selected,
    /// One that holds is enough: all agree on one value.
    pub early_exit: bool,
}

#[derive(Debug)]
enum Selected {
    /// So many, all of them.
    All(usize),
    Some(Bits),
}

impl Candidates {
    /// All definitions.
    pub fn all(index: &RuleIndex) -> Self {
        Self { entries: Selected::All(index.entries.len()), early_exit: index.early_exit }
    }

    /// The first one from an entry on.
    pub fn from(&self, entry: usize) -> Option<usize> {
        match &self.entries {
            Selected::All(count) => (entry < *count).then_some(entry),
            Selected::Some(bits) => bits.from(entry),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.from(0), |entry| self.from(entry.saturating_add(1)))
    }
}

impl RuleIndex {
    /// Looks the candidates up; adds to `steps` what was gone through.
    pub fn lookup<O: Borrow<Value>>(&self, known: &Known<'_, O>, steps: &mut u64) -> Candidates {
        if self.trivial {
            return Candidates::all(self);
        }
        let mut walk = Walk { index: self, known, reached: Bits::new(self.entries.len()), pending: SmallVec::new(), steps: 0 };
        walk.run();
        *steps = steps.saturating_add(walk.steps);
        let mut reached = walk.reached;
        let mut agreed = Agreement::Always;
        let mut at = 0;
        while let Some(number) = reached.from(at) {
            at = number.saturating_add(1);
            match self.entries.get(number).filter(|entry| self.admits(entry, known)) {
                Some(entry) => agreed = agreed.and(entry.agreement),
                None => reached.remove(number),
            }
        }
        Candidates { entries: Selected::Some(reached), early_exit: agreed != Agreement::Never }
    }

    /// Whether what no level asks for is so.
    fn admits<O: Borrow<Value>>(&self, entry: &Entry, known: &Known<'_, O>) -> bool {
        let find = |number: &ReferenceNumber| known.find(self.references.get(*number)?);
        entry.required.iter().all(|reference| find(reference).is_some())
            && entry.memberships.iter().all(|(key, collection)| match (find(key), find(collection)) {
                (Some(key), Some(Value::Object(object))) => object.get(key).is_some(),
                (Some(key), Some(Value::Set(set))) => set.contains(key),
                (key, collection) => key.is_some() && collection.is_some(),
            })
    }
}

impl<O: Borrow<Value>> Known<'_, O> {
    /// The value of a reference.
    fn find(&self, reference: &IndexReference) -> Option<&Value> {
        let root = match reference.root {
            IndexRoot::Input => self.input?,
            IndexRoot::Data => self.data?,
            IndexRoot::Operand(operand) => self.operands.get(operand)?.borrow(),
        };
        if !matches!(reference.root, IndexRoot::Data) {
            return reference.path.iter().try_fold(root, Value::get);
        }
        let is_replaced = |at: usize| self.replaced.iter().any(|target| target.len() <= at && reference.path.starts_with(target));
        reference.path.iter().enumerate().try_fold(root, |value, (at, key)| {
            if is_replaced(at.saturating_add(1)) { value.get(key) } else { below_base(value, key) }
        })
    }
}

impl Borrow<Value> for Val<'_> {
    fn borrow(&self) -> &Value {
        self.value()
    }
}

impl Group {
    /// The definition of an entry.
    pub(super) fn definition(&self, entry: &Entry) -> Option<&Rule> {
        let rule = self.rules.get(entry.rule)?;
        match entry.branch.checked_sub(1) {
            None => Some(rule),
            Some(branch) => rule.otherwise.get(branch),
        }
    }
}

impl<'a> Evaluation<'a> {
    /// The definitions of a group that may hold; all of them, if indices are switched off,
    /// or cost more than trying does.
    pub(super) fn candidates(&mut self, group: &'a Group, operands: &[Val<'a>]) -> Result<Candidates, Halt> {
        let candidates = self.looked_up(group, operands)?;
        Ok(Candidates { early_exit: candidates.early_exit && !self.options.without_early_exit, ..candidates })
    }

    fn looked_up(&mut self, group: &'a Group, operands: &[Val<'a>]) -> Result<Candidates, Halt> {
        let is_cheap = group.is_cheap && group.index.early_exit && !self.is_observed();
        if self.options.without_indices {
            return Ok(Candidates { early_exit: group.index.early_exit_of_all, ..Candidates::all(&group.index) });
        }
        if is_cheap {
            return Ok(Candidates::all(&group.index));
        }
        let mut steps = 0;
        let replaced: SmallVec<[&[Value]; 2]> = self.scope.replaced().collect();
        let known = Known { input: self.scope.input, data: self.scope.data, replaced: &replaced, operands };
        let candidates = group.index.lookup(&known, &mut steps);
        self.context.account.step(steps)?;
        Ok(candidates)
    }
}
