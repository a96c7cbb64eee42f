//! Which definitions of a group may hold (opa `v1/ast/index.go`, `Lookup`; `v1/topdown/eval.go`, `getRules`, `evalResolver`).

mod bits;
mod walk;

use std::borrow::Borrow;
use std::cell::RefCell;
use std::convert::Infallible;

use bits::Bits;
use smallvec::SmallVec;
use walk::Walk;

use super::Evaluation;
use super::layers::Layers;
use super::val::Val;
use crate::ir::{Agreement, Entry, Group, IndexReference, IndexRoot, ReferenceNumber, Rule, RuleIndex};
use crate::limits::Halt;
use crate::value::{Meter, Value};

/// What references are looked up in.
pub struct Known<'k, O> {
    input: Option<&'k Value>,
    data: Layers<'k>,
    /// The steps that were taken to merge base documents with what `with` puts over them.
    cost: RefCell<Cost>,
    /// Whether a path below `data` lies in something that is replaced.
    is_replaced: &'k dyn Fn(&[Value]) -> bool,
    operands: &'k [O],
}

/// Steps that are paid for behind a lookup.
#[derive(Debug, Default)]
struct Cost(u64);

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
        *steps = steps.saturating_add(known.cost.take().0);
        Candidates { entries: Selected::Some(reached), early_exit: agreed != Agreement::Never }
    }

    /// Whether what no level asks for is so.
    fn admits<O: Borrow<Value>>(&self, entry: &Entry, known: &Known<'_, O>) -> bool {
        let find = |number: &ReferenceNumber| known.find(self.references.get(*number)?);
        entry.required.iter().all(|reference| find(reference).is_some())
            && entry.memberships.iter().all(|(key, collection)| match (find(key), find(collection)) {
                (Some(key), Some(collection)) => match collection.value() {
                    Value::Object(object) => object.get(key.value()).is_some(),
                    Value::Set(set) => set.contains(key.value()),
                    _ => true,
                },
                _ => false,
            })
    }
}

impl<'k, O> Known<'k, O> {
    /// Of `input`, of base documents, and of the operands of a function.
    pub fn new(input: Option<&'k Value>, data: &'k Value, operands: &'k [O]) -> Self {
        Self { input, data: Layers::stored(data), cost: RefCell::default(), is_replaced: &|_| false, operands }
    }

    /// The same where base documents, in their layers, are replaced in some places.
    pub(crate) fn replaced(self, data: Layers<'k>, is_replaced: &'k dyn Fn(&[Value]) -> bool) -> Self {
        Self { data, is_replaced, ..self }
    }
}

impl<'k, O: Borrow<Value>> Known<'k, O> {
    /// The value of a reference.
    fn find(&self, reference: &IndexReference) -> Option<Val<'_>> {
        let root = match reference.root {
            IndexRoot::Input => self.input?,
            IndexRoot::Data => return self.document(&reference.path),
            IndexRoot::Operand(operand) => self.operands.get(operand)?.borrow(),
        };
        reference.path.iter().try_fold(root, Value::get).map(Val::Ref)
    }

    fn document(&self, path: &[Value]) -> Option<Val<'_>> {
        let below = |above: Layers<'k>, (at, key)| above.below(key, (self.is_replaced)(path.get(..=at).unwrap_or_default()));
        let found = path.iter().enumerate().fold(self.data.clone(), below);
        let Ok(value) = found.value(&mut *self.cost.borrow_mut());
        value
    }
}

impl Meter for Cost {
    type Stop = Infallible;

    fn step(&mut self, steps: u64) -> Result<(), Infallible> {
        self.0 = self.0.saturating_add(steps);
        Ok(())
    }

    fn charge(&mut self, _: usize) -> Result<(), Infallible> {
        Ok(())
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
        // Nothing is asked of operands or documents: what they would be looked up in is not made.
        if is_cheap || group.index.trivial {
            return Ok(Candidates::all(&group.index));
        }
        let mut steps = 0;
        let is_replaced = |path: &[Value]| self.scope.replaces(path);
        let known = Known::new(self.scope.input, self.scope.stored, operands).replaced(self.scope.documents(), &is_replaced);
        let candidates = group.index.lookup(&known, &mut steps);
        self.context.account.step(steps)?;
        Ok(candidates)
    }
}
