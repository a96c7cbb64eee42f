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
use crate::rego::now_ns;

/// A variable that no policy has.
const KEY: &str = "why_key_";

/// Which operands a function is asked for: a variable that no policy has, either.
const AT: &str = "why_at_";

/// Where operands lie, below `data`, that functions are called with: as texts they would be checked by their types.
const OPERANDS: &str = "plimsoll.io/why";

/// Longer queries are not asked.
const LONGEST: usize = 64 << 10;

/// Larger values are not compared, nor written: one that is shared in itself may be larger than any memory.
const LARGEST: u32 = 1 << 16;

/// So many answers are kept at most.
const MOST: usize = 1 << 20;

/// Some values; `None` where they cannot be found out.
type Values = Option<Rc<BTreeSet<Value>>>;

/// The second values of pairs, by the first.
type Pairs = Option<Rc<BTreeMap<Value, Vec<Value>>>>;

/// Values by the position of the operand.
type ByOperands = Rc<BTreeMap<usize, Rc<BTreeSet<Value>>>>;

/// The operands that a function is called with in one place, in all ways.
pub(super) struct Calls {
    /// Which of all calls.
    number: usize,
    /// Which operands have which place.
    pub(super) places: BTreeMap<Value, usize>,
}

impl Calls {
    /// Expressions that give some patterns their values: any of the operands, and which those are.
    pub(super) fn given(&self, patterns: &str) -> Vec<String> {
        let number = self.number;
        vec![format!("some {AT}"), format!("[{patterns}] = data[\"{OPERANDS}\"][{number}][{AT}]")]
    }
}

/// Expressions, of which file, and by which operands of a function, if they are in one.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) file: &'q File,
    pub(super) expressions: &'q str,
    pub(super) at: Option<usize>,
}

/// Asks questions of the policies, and keeps the answers.
pub(super) struct Asker<'p> {
    pub(super) policies: &'p Policies,
    data: Value,
    /// What lies at [`OPERANDS`].
    operands: Vec<Value>,
    calls: BTreeMap<(usize, String), Option<Rc<Calls>>>,
    /// Pairs by what comes first, by file and text.
    pairs: BTreeMap<(usize, String), Pairs>,
    input: Value,
    limits: Limits,
    begun: Instant,
    /// The time that policies see: one for all questions, and what random builtins start from.
    now_ns: i64,
    /// By file and text.
    known: BTreeMap<(usize, String), Values>,
    /// The same of functions, by which operands.
    known_at: BTreeMap<(usize, String), Option<ByOperands>>,
    /// How many values are known.
    kept: usize,
    /// Time has run out, or there is too much to say.
    pub(super) late: bool,
}

impl<'p> Asker<'p> {
    /// Asks of these documents, within these limits all in all.
    pub(super) fn new(policies: &'p Policies, (data, input): (Value, Value), limits: Limits) -> Self {
        let (calls, pairs, known, known_at) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (begun, now_ns) = (Instant::now(), now_ns());
        Self {
            policies,
            data,
            operands: Vec::new(),
            calls,
            pairs,
            input,
            limits,
            begun,
            now_ns,
            known,
            known_at,
            kept: 0,
            late: false,
        }
    }

    /// Whether there is time left.
    pub(super) fn has_time(&mut self) -> bool {
        self.late |= self.begun.elapsed() > self.limits.time;
        !self.late
    }

    /// Returns the operands that a function is called with where expressions hold; `term` is a key, and the operands. `None` if that cannot be
    /// found out.
    pub(super) fn calls(&mut self, question: Question<'_>, term: &str) -> Option<Rc<Calls>> {
        let term = question.at.map_or_else(|| format!("[null, {term}]"), |_| format!("[{AT}, {term}]"));
        let place = (question.file.number, format!("{}\n{term}", question.expressions));
        if let Some(known) = self.calls.get(&place) {
            return known.clone();
        }
        let ways = self.values(question.file, question.expressions, &term);
        let operands =
            ways.map(|ways| ways.iter().filter_map(|way| way.as_array()?.get(1)?.as_array()?.get(1).cloned()).collect());
        let calls = operands.map(|operands: BTreeSet<Value>| Rc::new(self.called(operands)));
        self.calls.insert(place, calls.clone());
        calls
    }

    fn called(&mut self, operands: BTreeSet<Value>) -> Calls {
        let number = self.operands.len();
        self.operands.push(Value::array(operands.iter().cloned()));
        let members = self.data.as_object().into_iter().flat_map(|data| data.iter());
        let beside = members.map(|(name, value)| (name.clone(), value.clone()));
        let all = (Value::from(OPERANDS), Value::array(self.operands.iter().cloned()));
        self.data = Value::object(beside.chain([all]));
        Calls { number, places: operands.into_iter().zip(0..).collect() }
    }

    /// Whether expressions hold; `None` if that cannot be found out.
    pub(super) fn holds(&mut self, question: Question<'_>) -> Option<bool> {
        self.of(question, "true").map(|values| !values.is_empty())
    }

    /// The values of a term in all ways in which expressions hold; `None` if they cannot be found out.
    pub(super) fn of(&mut self, question: Question<'_>, term: &str) -> Values {
        let Question { file, expressions, at } = question;
        let Some(at) = at else { return self.values(file, expressions, term) };
        let key = (file.number, format!("{expressions}\n{term}"));
        if !self.known_at.contains_key(&key) {
            let found = self.values(file, expressions, &format!("[{AT}, {term}]")).map(|values| Rc::new(by_operands(&values)));
            self.known_at.insert(key.clone(), found);
        }
        let found = self.known_at.get(&key)?.as_ref()?;
        Some(found.get(&at).cloned().unwrap_or_default())
    }

    /// Of a term that is a pair: what comes second where this comes first.
    pub(super) fn seconds(&mut self, question: Question<'_>, term: &str, first: &Value) -> Vec<Value> {
        let place = (question.file.number, format!("{}\n{:?}\n{term}", question.expressions, question.at));
        if !self.pairs.contains_key(&place) {
            let found = self.of(question, term).map(|pairs| Rc::new(by_first(&pairs)));
            self.pairs.insert(place.clone(), found);
        }
        let found = self.pairs.get(&place).and_then(Option::as_ref).and_then(|pairs| pairs.get(first));
        found.cloned().unwrap_or_default()
    }

    fn values(&mut self, file: &File, expressions: &str, term: &str) -> Values {
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
        let request = Request { input: Some(&self.input), limits, now_ns: self.now_ns, seed: Some(0), ..Request::default() };
        let rows = query.evaluate(&self.data, &request).ok()?;
        let values = rows.iter().filter(|row| holds(row)).map(|row| row.bindings.iter().find(|(name, _)| name == KEY));
        values.map(|found| found.map(|(_, value)| value.clone()).filter(|value| value.nodes() <= LARGEST)).collect()
    }

    fn interrupt(&self) -> Interrupt {
        let (begun, time) = (self.begun, self.limits.time);
        Arc::new(move || (begun.elapsed() > time).then(|| "there is no more time".to_owned()))
    }
}

/// Values by which operands they are of.
fn by_operands(values: &BTreeSet<Value>) -> BTreeMap<usize, Rc<BTreeSet<Value>>> {
    let mut found: BTreeMap<usize, BTreeSet<Value>> = BTreeMap::new();
    for pair in values {
        if let Some([Value::Int(at), value]) = pair.as_array()
            && let Ok(at) = usize::try_from(*at)
        {
            found.entry(at).or_default().insert(value.clone());
        }
    }
    found.into_iter().map(|(at, values)| (at, Rc::new(values))).collect()
}

fn by_first(pairs: &BTreeSet<Value>) -> BTreeMap<Value, Vec<Value>> {
    let mut found: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    for pair in pairs {
        if let Some([first, second]) = pair.as_array() {
            found.entry(first.clone()).or_default().push(second.clone());
        }
    }
    found
}

/// A query answers with what its expressions are; a body asks that none is false.
fn holds(row: &Row) -> bool {
    row.expressions.iter().all(|expression| !matches!(expression.value, Value::False))
}
