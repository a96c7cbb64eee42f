//! Comprehensions that are computed once and then looked up (opa `v1/topdown/eval.go`, `buildComprehensionCache`).

use foldhash::HashMap;
use smallvec::SmallVec;

use super::super::val::Val;
use super::super::{Evaluation, Flow, Stop};
use crate::ir::{Block, Comprehension, IndexedComprehension, Slot, Term};
use crate::value::{ObjectBuilder, Value};

/// The values of the variables that a comprehension is looked up by: mostly one.
type Keys = SmallVec<[Value; 1]>;

/// What a comprehension gives, by them.
pub(in super::super) type Table<'a> = HashMap<Keys, &'a Value>;

/// What is collected, by them.
type Groups = HashMap<Keys, Collected>;

/// What is collected for equal keys.
enum Collected {
    Items(Vec<Value>),
    /// As in OPA, members with one key and several values are no error here: the last one stays.
    Members(ObjectBuilder),
}

impl<'a> Evaluation<'a> {
    pub(super) fn indexed(&mut self, indexed: &'a IndexedComprehension, base: usize) -> Result<Val<'a>, Stop> {
        if self.options.without_indices {
            return self.comprehension(&indexed.plain, base);
        }
        let Some(whole) = &indexed.whole else { return self.lenient(&indexed.plain, base) };
        let table = match self.scope.cache.table(indexed) {
            Some(table) => table,
            None => {
                let table = self.table(indexed, whole)?;
                self.scope.cache.set_table(indexed, table)
            }
        };
        let found = match indexed.keys.as_ref() {
            [(outer, _)] => table.get(std::slice::from_ref(self.slot(base, *outer).value())),
            keys => {
                let keys: Vec<_> = keys.iter().map(|(outer, _)| self.slot(base, *outer).value().clone()).collect();
                table.get(keys.as_slice())
            }
        };
        match found {
            Some(value) => Ok(Val::Ref(value)),
            // OPA computes what it did not find: it may have solutions, or somebody may see that it has none.
            None if self.is_in_order() || !indexed.complete || !self.are_texts(&indexed.keys, base) => {
                self.comprehension(&indexed.plain, base)
            }
            None => Ok(Val::Own(match &indexed.plain {
                Comprehension::Array(..) => Value::array([]),
                Comprehension::Set(..) => Value::set([]),
                Comprehension::Object(..) | Comprehension::Indexed(_) => Value::object([]),
            })),
        }
    }

    fn are_texts(&self, keys: &[(Slot, Slot)], base: usize) -> bool {
        keys.iter().all(|(outer, _)| self.slot(base, *outer).value().as_str().is_some())
    }

    /// As if it was looked up: of several values of one key, the last one stays.
    fn lenient(&mut self, plain: &'a Comprehension, base: usize) -> Result<Val<'a>, Stop> {
        let Comprehension::Object(body, key, value, _) = plain else { return self.comprehension(plain, base) };
        let mut members = ObjectBuilder::default();
        self.deeper(|eval| {
            eval.run(body, base, &mut |eval| {
                let (Some(key), Some(value)) = (eval.term(key, base)?, eval.term(value, base)?) else { return Ok(Flow::Next) };
                eval.context.account.charge(2 * size_of::<Value>())?;
                members.insert(key.into_value(), value.into_value());
                Ok(Flow::Next)
            })
        })?;
        Ok(Val::Own(members.finish()))
    }

    fn table(&mut self, indexed: &'a IndexedComprehension, whole: &'a Comprehension) -> Result<Table<'a>, Stop> {
        let base = self.push(indexed.slots);
        let collected = match whole {
            Comprehension::Array(body, value) | Comprehension::Set(body, value) => {
                self.grouped(indexed, (body, None, value), base)
            }
            Comprehension::Object(body, key, value, _) => self.grouped(indexed, (body, Some(key), value), base),
            Comprehension::Indexed(_) => Ok(Groups::default()),
        };
        self.slots.truncate(base);
        let collected = collected?;
        let mut table = Table::with_capacity_and_hasher(collected.len(), Default::default());
        for (keys, collected) in collected {
            let value = match (collected, whole) {
                (Collected::Items(items), Comprehension::Set(..)) => self.set_of(items)?,
                (Collected::Items(items), _) => Value::list(items),
                (Collected::Members(members), _) => members.finish(),
            };
            table.insert(keys, self.keep(value));
        }
        Ok(table)
    }

    /// The solutions, by the values of the variables.
    fn grouped(
        &mut self,
        indexed: &'a IndexedComprehension,
        (body, key, value): (&'a Block, Option<&'a Term>, &'a Term),
        base: usize,
    ) -> Result<Groups, Stop> {
        let mut groups = Groups::default();
        self.deeper(|eval| {
            eval.run(body, base, &mut |eval| {
                let key = match key.map(|key| eval.term(key, base)).transpose()? {
                    None => None,
                    Some(None) => return Ok(Flow::Next),
                    Some(Some(key)) => Some(key.into_value()),
                };
                let Some(value) = eval.term(value, base)?.map(Val::into_value) else { return Ok(Flow::Next) };
                eval.context.account.charge(indexed.keys.len().saturating_add(2).saturating_mul(size_of::<Value>()))?;
                let keys = indexed.keys.iter().map(|(_, inner)| eval.slot(base, *inner).value().clone()).collect();
                let empty = || match key {
                    None => Collected::Items(Vec::new()),
                    Some(_) => Collected::Members(ObjectBuilder::default()),
                };
                match (groups.entry(keys).or_insert_with(empty), key) {
                    (Collected::Members(members), Some(key)) => members.insert(key, value),
                    (Collected::Items(items), _) => items.push(value),
                    (Collected::Members(_), None) => {}
                }
                Ok(Flow::Next)
            })
        })?;
        Ok(groups)
    }
}
