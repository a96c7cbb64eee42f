//! Comprehensions (opa `v1/topdown/eval.go`, `biunifyComprehension`).

use foldhash::HashMap;

use super::bindings::Bound;
use super::{Leave, Next, Query, Run, Traced};
use crate::eval::Stop;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Kind, Term, Var};
use crate::value::Value;

/// What a comprehension gives, by the values of the variables that it is looked up by; nothing where its head has a variable from outside,
/// which has a value only where it stands.
pub(super) type Table = HashMap<Vec<Value>, Option<Value>>;

/// What the solutions of a comprehension give: values, or keys and values.
#[derive(Default)]
struct Collected {
    members: Vec<(Value, Option<Value>)>,
    /// The values of keys, where several of one key are an error.
    seen: HashMap<Value, Value>,
    /// Whether there is one that has no value without the variables outside.
    is_open: bool,
}

/// What is there where a comprehension stands that is computed once.
enum Found {
    /// Nothing: it is computed here.
    Nothing,
    /// Its value depends on where it stands: it is computed here, and of several values of a key the last one stays.
    Open,
    Value(Value),
}

impl<'a> Traced<'a> {
    pub(super) fn comprehension(&mut self, query: Query<'a>, term: &'a Term, other: Bound<'a>, next: Next<'_, 'a>) -> Run {
        let found = self.looked_up(query, term)?;
        if let Found::Value(value) = found {
            return self.unify(query, Bound::value(value), other, next);
        }
        let Some((body, heads)) = parts(term) else { return Ok(()) };
        let mut collected = Collected::default();
        self.nested(query, body, false, |eval, child| {
            eval.run(child, &mut |eval| match eval.solution(heads, child) {
                Some(solution) if matches!(found, Found::Open) => {
                    collected.members.push(solution);
                    Ok(())
                }
                Some(solution) => collected.add_unique(solution, term),
                None => Ok(()),
            })
        })?;
        self.context.account.charge(collected.members.len().saturating_mul(size_of::<Value>()))?;
        self.unify(query, Bound::value(collected.finish(term)), other, next)
    }

    fn solution(&self, (key, value): (&'a Term, Option<&'a Term>), child: Query<'a>) -> Option<(Value, Option<Value>)> {
        let key = self.plug_tree(key, child.frame)?;
        match value {
            Some(value) => Some((key, Some(self.plug_tree(value, child.frame)?))),
            None => Some((key, None)),
        }
    }

    /// What a comprehension that is computed once gives here (`buildComprehensionCache`).
    fn looked_up(&mut self, query: Query<'a>, term: &'a Term) -> Result<Found, Leave> {
        let Some(keys) = self.comprehensions.get(term).map(<[Var]>::to_vec) else { return Ok(Found::Nothing) };
        let address = std::ptr::from_ref(term).addr();
        if !self.scope.tables.contains_key(&address) {
            let table = self.table(query, term, &keys)?;
            self.scope.tables.insert(address, table);
        }
        let values = self.values_of(&keys, query.frame);
        let row = values.and_then(|values| self.scope.tables.get(&address)?.get(&values).cloned());
        Ok(row.map_or(Found::Nothing, |row| row.map_or(Found::Open, Found::Value)))
    }

    fn table(&mut self, query: Query<'a>, term: &'a Term, keys: &[Var]) -> Result<Table, Leave> {
        let Some((body, heads)) = parts(term) else { return Ok(Table::default()) };
        let mut rows: HashMap<Vec<Value>, Collected> = HashMap::default();
        self.nested(query, body, true, |eval, child| {
            eval.run(child, &mut |eval| {
                if let Some(values) = eval.values_of(keys, child.frame) {
                    let row = rows.entry(values).or_default();
                    match eval.solution(heads, child) {
                        Some(solution) => row.members.push(solution),
                        None => row.is_open = true,
                    }
                }
                Ok(())
            })
        })?;
        let row = |row: Collected| (!row.is_open).then(|| row.finish(term));
        Ok(rows.into_iter().map(|(values, collected)| (values, row(collected))).collect())
    }

    fn values_of(&self, variables: &[Var], frame: usize) -> Option<Vec<Value>> {
        let frame = self.frames.get(frame)?;
        variables.iter().map(|name| self.plug(super::bindings::find(frame, name)?)).collect()
    }
}

impl Collected {
    /// Fails when there is another value of the same key; what is looked up keeps the last one instead.
    fn add_unique(&mut self, (key, value): (Value, Option<Value>), term: &Term) -> Run {
        if let Some(value) = &value
            && self.seen.insert(key.clone(), value.clone()).is_some_and(|before| before != *value)
        {
            return Err(Stop::conflict("object keys must be unique", place(term)).into());
        }
        self.members.push((key, value));
        Ok(())
    }

    fn finish(self, term: &Term) -> Value {
        let members = self.members.into_iter();
        match &term.kind {
            Kind::ArrayCompr(_) => Value::array(members.map(|(item, _)| item)),
            Kind::SetCompr(_) => Value::set(members.map(|(item, _)| item)),
            _ => Value::object(members.map(|(key, value)| (key, value.unwrap_or(Value::Null)))),
        }
    }
}

/// Where an object says two values of one key.
fn place(term: &Term) -> Span {
    if let Kind::ObjectCompr(inner) = &term.kind { inner.key.span } else { term.span }
}

/// The body of a comprehension, and what each solution gives.
fn parts(term: &Term) -> Option<(&Body, (&Term, Option<&Term>))> {
    match &term.kind {
        Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => Some((&inner.body, (&inner.term, None))),
        Kind::ObjectCompr(inner) => Some((&inner.body, (&inner.key, Some(&inner.value)))),
        _ => None,
    }
}
