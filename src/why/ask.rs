//! Parts of bodies as queries, each asked once.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use plimsoll_rego::compile::Interrupt;
use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Asked, Query, Request, Row};
use plimsoll_rego::value::Value;

use super::policies::{File, Policies};

/// A variable that no policy has.
const KEY: &str = "why_key_";

/// Where values lie, below `data`, that functions are called with: as texts they would be checked by their types.
const VALUES: &str = "plimsoll.io/why";

/// Longer queries are not asked.
const LONGEST: usize = 64 << 10;

/// Larger values are not compared, nor written: one that is shared in itself may be larger than any memory.
const LARGEST: u32 = 1 << 16;

/// So many answers are kept at most.
const MOST: usize = 1 << 20;

/// Some values; `None` where they cannot be found out.
type Values = Option<Rc<BTreeSet<Value>>>;

/// Who asks.
pub(super) struct Asker<'p> {
    pub(super) policies: &'p Policies,
    data: Value,
    /// What lies at [`VALUES`], and the places there by what is written.
    constants: (Vec<Value>, BTreeMap<String, usize>),
    input: Value,
    limits: Limits,
    begun: Instant,
    /// By file and text.
    known: BTreeMap<(usize, String), Values>,
    /// How many values are known.
    kept: usize,
    /// Time has run out, or there is too much to say.
    pub(super) late: bool,
}

impl<'p> Asker<'p> {
    /// Asks of these documents, within these limits all in all.
    pub(super) fn new(policies: &'p Policies, (data, input): (Value, Value), limits: Limits) -> Self {
        let (constants, known) = (Default::default(), BTreeMap::new());
        Self { policies, data, constants, input, limits, begun: Instant::now(), known, kept: 0, late: false }
    }

    /// A term that is a value, if that is not too large.
    pub(super) fn constant(&mut self, value: &Value) -> Option<String> {
        if value.nodes() > LARGEST {
            return None;
        }
        let (all, places) = &mut self.constants;
        let place = *places.entry(value.to_string()).or_insert(all.len());
        if place == all.len() {
            all.push(value.clone());
            let members = self.data.as_object().into_iter().flat_map(|data| data.iter());
            let beside = members.map(|(name, value)| (name.clone(), value.clone()));
            let values = (Value::from(VALUES), Value::array(all.iter().cloned()));
            self.data = Value::object(beside.chain([values]));
        }
        Some(format!("data[\"{VALUES}\"][{place}]"))
    }

    /// Whether expressions hold; `None` if that cannot be found out.
    pub(super) fn holds(&mut self, file: &File, expressions: &str) -> Option<bool> {
        self.values(file, expressions, "true").map(|values| !values.is_empty())
    }

    /// The values of a term in all ways in which expressions hold; `None` if they cannot be found out.
    pub(super) fn values(&mut self, file: &File, expressions: &str, term: &str) -> Values {
        let key = (file.number, format!("{expressions}\n{KEY} = {term}"));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.asked(file, &key.1).map(Rc::new);
        self.kept = self.kept.saturating_add(found.as_ref().map_or(1, |values| values.len().saturating_add(1)));
        self.late |= self.kept > MOST;
        self.known.insert(key, found.clone());
        found
    }

    fn asked(&mut self, file: &File, text: &str) -> Option<BTreeSet<Value>> {
        let Some(time) = self.limits.time.checked_sub(self.begun.elapsed()).filter(|_| !self.late) else {
            self.late = true;
            return None;
        };
        if text.len() > LONGEST {
            return None;
        }
        let asked = Asked { text: text.to_owned(), ..file.asked.clone() };
        let query = Query::compile_within(&self.policies.program, &asked, Some(&self.interrupt())).ok()?;
        let limits = Limits { time, ..self.limits.clone() };
        let request = Request { input: Some(&self.input), limits, now_ns: super::now(), ..Request::default() };
        let rows = query.evaluate(&self.data, &request).ok()?;
        let values = rows.iter().filter(|row| holds(row)).map(|row| row.bindings.iter().find(|(name, _)| name == KEY));
        values.map(|found| found.map(|(_, value)| value.clone()).filter(|value| value.nodes() <= LARGEST)).collect()
    }

    fn interrupt(&self) -> Interrupt {
        let (begun, time) = (self.begun, self.limits.time);
        Arc::new(move || (begun.elapsed() > time).then(|| "there is no more time".to_owned()))
    }
}

/// A query answers with what its expressions are; a body asks that none is false.
fn holds(row: &Row) -> bool {
    row.expressions.iter().all(|expression| !matches!(expression.value, Value::Bool(false)))
}
