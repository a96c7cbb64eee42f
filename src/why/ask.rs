//! Parts of bodies as queries, each asked once.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Asked, Query, Request, Row};
use plimsoll_rego::value::Value;

use super::policies::{File, Policies};

/// A variable that no policy has.
const KEY: &str = "why_key_";

/// Where values lie, below `data`, that functions are called with: as texts they would be checked by their types.
const VALUES: &str = "plimsoll.io/why";

/// Queries may take so long to compile; there are many of them.
const LONGEST: usize = 64 << 10;

/// Who asks.
pub(super) struct Asker<'p> {
    pub(super) policies: &'p Policies,
    data: Value,
    /// What lies at [`VALUES`], and the places there by what is written.
    values: (Vec<Value>, BTreeMap<String, usize>),
    input: Value,
    limits: Limits,
    begun: Instant,
    /// By file and text.
    known: BTreeMap<(usize, String), Option<Rc<Vec<Row>>>>,
    /// Time has run out.
    pub(super) late: bool,
}

impl<'p> Asker<'p> {
    /// Asks of these documents, within these limits all in all.
    pub(super) fn new(policies: &'p Policies, (data, input): (Value, Value), limits: Limits) -> Self {
        let values = Default::default();
        Self { policies, data, values, input, limits, begun: Instant::now(), known: BTreeMap::new(), late: false }
    }

    /// A term that is a value.
    pub(super) fn constant(&mut self, value: &Value) -> String {
        let (all, places) = &mut self.values;
        let place = *places.entry(value.to_string()).or_insert(all.len());
        if place == all.len() {
            all.push(value.clone());
            let beside = self.data.as_object().into_iter().flat_map(|data| data.iter().map(|(k, v)| (k.clone(), v.clone())));
            let values = (Value::from(VALUES), Value::array(all.iter().cloned()));
            self.data = Value::object(beside.chain([values]));
        }
        format!("data[\"{VALUES}\"][{place}]")
    }

    /// The ways in which expressions hold; `None` if that cannot be found out.
    pub(super) fn rows(&mut self, file: &File, text: String) -> Option<Rc<Vec<Row>>> {
        if let Some(known) = self.known.get(&(file.number, text.clone())) {
            return known.clone();
        }
        let found = self.asked(file, &text).map(Rc::new);
        self.known.insert((file.number, text), found.clone());
        found
    }

    fn asked(&mut self, file: &File, text: &str) -> Option<Vec<Row>> {
        let Some(time) = self.limits.time.checked_sub(self.begun.elapsed()).filter(|_| text.len() <= LONGEST) else {
            self.late = true;
            return None;
        };
        let asked = Asked { text: text.to_owned(), ..file.asked.clone() };
        let query = Query::compile(&self.policies.program, &asked).ok()?;
        let limits = Limits { time, ..self.limits.clone() };
        let request = Request { input: Some(&self.input), limits, now_ns: super::now(), ..Request::default() };
        query.evaluate(&self.data, &request).ok().map(|rows| rows.into_iter().filter(holds).collect())
    }

    /// The values of a term in all ways in which expressions hold.
    pub(super) fn values(&mut self, file: &File, expressions: &str, term: &str) -> Option<Rc<BTreeSet<Value>>> {
        let rows = self.rows(file, format!("{expressions}\n{KEY} = {term}"))?;
        let values = rows.iter().filter_map(|row| row.bindings.iter().find(|(name, _)| name == KEY));
        Some(Rc::new(values.map(|(_, value)| value.clone()).collect()))
    }
}

/// A query answers with what its expressions are; a body asks that none is false.
fn holds(row: &Row) -> bool {
    row.expressions.iter().all(|expression| !matches!(expression.value, Value::Bool(false)))
}
