//! The JSONPath of printer columns: what client-go's `jsonpath` understands inside one `{}`, less `range` and functions.
//!
//! A column shows the first result only. Where Go walks a map in random order, this walks it sorted.

mod parse;

use serde_json::Value as Json;

/// Results that a step may have; more make the cell empty. Descending twice would otherwise multiply.
const MAX_RESULTS: usize = 10_000;

/// A parsed path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonPath(Vec<Step>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// `.name`, `['name']`.
    Field(String),
    /// `[1]`, `[1:3]`, `[::2]`, `[*]`.
    Slice(Slice),
    /// `.*`.
    Wildcard,
    /// `..`: the value and everything in it that has members.
    Descend,
    /// `[0,2]`, `['a','b']`.
    Union(Vec<JsonPath>),
    /// `[?(@.type=="Ready")]`, `[?(@.type)]`.
    Filter(Filter),
}

/// A slice; `to` absent and `one` set is a single index.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    step: Option<i64>,
    one: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: JsonPath,
    test: Option<(Operator, Operand)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Path(JsonPath),
    Literal(Json),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The path does not fit the value: too many results, or an index out of bounds. The cell is empty.
struct Unfit;

impl JsonPath {
    /// Reads a path such as `.status.conditions[?(@.type=="Ready")].status`; `None` if it is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        parse::path(text)
    }

    /// The first value that the path finds.
    pub(super) fn first<'a>(&self, value: &'a Json) -> Option<&'a Json> {
        self.find(value).ok()?.first().copied()
    }

    fn find<'a>(&self, value: &'a Json) -> Result<Vec<&'a Json>, Unfit> {
        self.0.iter().try_fold(vec![value], |found, step| {
            let mut next = Vec::new();
            for value in found {
                step.walk(value, &mut next)?;
            }
            if next.len() > MAX_RESULTS { Err(Unfit) } else { Ok(next) }
        })
    }
}

impl Step {
    fn walk<'a>(&self, value: &'a Json, found: &mut Vec<&'a Json>) -> Result<(), Unfit> {
        match self {
            Step::Field(name) => found.extend(value.get(name)),
            Step::Wildcard => found.extend(members(value)),
            Step::Descend => descend(value, found)?,
            Step::Slice(slice) => slice.walk(value, found)?,
            Step::Filter(filter) => filter.walk(value, found)?,
            Step::Union(paths) => {
                for path in paths {
                    found.extend(path.find(value)?);
                }
            }
        }
        Ok(())
    }
}

fn members<'a>(value: &'a Json) -> Box<dyn Iterator<Item = &'a Json> + 'a> {
    match value {
        Json::Array(items) => Box::new(items.iter()),
        Json::Object(fields) => Box::new(fields.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn descend<'a>(value: &'a Json, found: &mut Vec<&'a Json>) -> Result<(), Unfit> {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        let inside: Vec<&Json> = members(value).collect();
        if inside.is_empty() {
            continue;
        }
        found.push(value);
        if found.len() > MAX_RESULTS {
            return Err(Unfit);
        }
        waiting.extend(inside.into_iter().rev());
    }
    Ok(())
}

impl Slice {
    fn walk<'a>(self, value: &'a Json, found: &mut Vec<&'a Json>) -> Result<(), Unfit> {
        let items = match value {
            Json::Null => return Ok(()),
            other => other.as_array().ok_or(Unfit)?,
        };
        let length = i64::try_from(items.len()).map_err(|_| Unfit)?;
        let from = wrap(self.from.unwrap_or(0), length);
        let to = if self.one { from.checked_add(1).ok_or(Unfit)? } else { wrap(self.to.unwrap_or(length), length) };
        if from == to {
            return Ok(());
        }
        if from < 0 || from >= length || to < from || to > length {
            return Err(Unfit);
        }
        let (from, to) = (usize::try_from(from).map_err(|_| Unfit)?, usize::try_from(to).map_err(|_| Unfit)?);
        let step = usize::try_from(self.step.unwrap_or(1)).ok().filter(|step| *step > 0).ok_or(Unfit)?;
        found.extend(items.get(from..to).ok_or(Unfit)?.iter().step_by(step));
        Ok(())
    }
}

/// Negative indexes count from the end.
fn wrap(index: i64, length: i64) -> i64 {
    if index < 0 { index.saturating_add(length) } else { index }
}

impl Filter {
    fn walk<'a>(&self, value: &'a Json, found: &mut Vec<&'a Json>) -> Result<(), Unfit> {
        for item in value.as_array().ok_or(Unfit)? {
            if self.passes(item)? {
                found.push(item);
            }
        }
        Ok(())
    }

    fn passes(&self, item: &Json) -> Result<bool, Unfit> {
        let left = self.left.find(item);
        let Some((operator, operand)) = &self.test else {
            return Ok(left.is_ok_and(|found| !found.is_empty()));
        };
        let left = left?;
        let right = match operand {
            Operand::Literal(literal) => vec![literal],
            Operand::Path(path) => path.find(item)?,
        };
        match (left.as_slice(), right.as_slice()) {
            ([left], [right]) => operator.compare(left, right),
            ([], _) | (_, []) => Ok(false),
            _ => Err(Unfit),
        }
    }
}

impl Operator {
    /// Values of different types cannot be compared, nor can lists and maps.
    fn compare(self, left: &Json, right: &Json) -> Result<bool, Unfit> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = match (left, right) {
            (Json::String(left), Json::String(right)) => left.cmp(right),
            (Json::Number(left), Json::Number(right)) => left.as_f64().partial_cmp(&right.as_f64()).ok_or(Unfit)?,
            (Json::Bool(left), Json::Bool(right)) if matches!(self, Operator::Equal | Operator::Unequal) => left.cmp(right),
            _ => return Err(Unfit),
        };
        Ok(match self {
            Operator::Equal => order == Equal,
            Operator::Unequal => order != Equal,
            Operator::Less => order == Less,
            Operator::LessOrEqual => order != Greater,
            Operator::Greater => order == Greater,
            Operator::GreaterOrEqual => order != Less,
        })
    }
}

#[cfg(test)]
mod tests;
