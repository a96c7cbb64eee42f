//! `walk`: each value inside of a value, and the path to it (opa `v1/topdown/walk.go`).

use smallvec::SmallVec;

use super::body::Next;
use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::{Call, KnownPath, Pattern, Term};
use crate::value::Value;

/// The keys of the paths that are asked for: no other path is as long as there are keys, and a path has each key that is known.
type Keys<'a> = SmallVec<[Option<Val<'a>>; 4]>;

/// Which of the paths into a value the answer of a call may have.
enum Asked<'a> {
    /// None: what was given as a path is undefined, or no array.
    Nothing,
    /// Those with these keys.
    Keys(Keys<'a>),
    /// Any.
    All,
}

/// Where a walk has come to.
struct Walk<'a> {
    keys: Option<Keys<'a>>,
    /// The value that `walk` was called with. It is the first one to be found, and taken from here then.
    root: Option<Val<'a>>,
    /// To the value that was found last.
    path: Vec<Val<'a>>,
    /// The collections on the way, and which member of each comes next.
    levels: Vec<(Val<'a>, usize)>,
}

impl<'a> Evaluation<'a> {
    /// Calls `next` for each value that `walk` finds, outermost first.
    pub(super) fn relation(&mut self, call: &'a Call, base: usize, next: Next<'_, 'a>) -> Found {
        let [operand] = call.operands.as_ref() else { return Ok(Flow::Next) };
        let Some(root) = self.term(operand, base)? else { return Ok(Flow::Next) };
        let keys = match self.asked_paths(call.known_path.as_deref(), base)? {
            Asked::Nothing => return Ok(Flow::Next),
            Asked::Keys(keys) => Some(keys),
            Asked::All => None,
        };
        let mut walk = Walk { keys, root: Some(root), path: Vec::new(), levels: Vec::new() };
        while let Some(value) = self.walk_on(&mut walk)? {
            if self.is_found(call.output.as_ref(), (&walk, value), base)? && next(self)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
    }

    fn asked_paths(&mut self, known: Option<&'a KnownPath>, base: usize) -> Result<Asked<'a>, Stop> {
        let (term, is_pair) = match known {
            None => return Ok(Asked::All),
            Some(KnownPath::Keys(terms)) => return self.asked_keys(terms, base),
            Some(KnownPath::Path(term)) => (term, false),
            Some(KnownPath::Pair(term)) => (term, true),
        };
        let Some(known) = self.term(term, base)? else { return Ok(Asked::Nothing) };
        let path = match (known.value().as_array(), is_pair) {
            (Some([path, _]), true) => path.as_array(),
            (path, false) => path,
            _ => None,
        };
        let Some(path) = path else { return Ok(Asked::Nothing) };
        self.context.account.charge(size_of_val(path))?;
        Ok(Asked::Keys(path.iter().map(|key| Some(Val::Own(key.clone()))).collect()))
    }

    fn asked_keys(&mut self, terms: &'a [Option<Term>], base: usize) -> Result<Asked<'a>, Stop> {
        let mut keys = Keys::new();
        for term in terms {
            let key = match term {
                Some(term) => self.term(term, base)?,
                None => None,
            };
            if term.is_some() && key.is_none() {
                return Ok(Asked::Nothing);
            }
            keys.push(key);
        }
        Ok(Asked::Keys(keys))
    }

    /// Returns the next value at the end of a path that is asked for, outermost first, with its path in `walk.path`; `None` at the end. Fails
    /// when a bound is reached.
    fn walk_on(&mut self, walk: &mut Walk<'a>) -> Result<Option<Val<'a>>, Stop> {
        loop {
            let value = match walk.root.take() {
                Some(root) => root,
                None => match self.next_member(walk)? {
                    Some(value) => value,
                    None if walk.levels.is_empty() => return Ok(None),
                    None => continue,
                },
            };
            self.context.account.step(1)?;
            let missing = walk.keys.as_ref().map(|keys| keys.len().saturating_sub(walk.path.len()));
            if missing != Some(0) && value.value().as_collection().is_some() {
                walk.levels.push((value.clone(), 0));
            }
            if missing.unwrap_or(0) == 0 {
                return Ok(Some(value));
            }
        }
    }

    /// The next member of the innermost collection, which is left where it has none.
    fn next_member(&mut self, walk: &mut Walk<'a>) -> Result<Option<Val<'a>>, Stop> {
        let depth = walk.levels.len().saturating_sub(1);
        walk.path.truncate(depth);
        let Some((collection, at)) = walk.levels.last_mut() else { return Ok(None) };
        let index = *at;
        *at = at.saturating_add(1);
        let member = match walk.keys.as_ref().and_then(|keys| keys.get(depth)) {
            // It stands in the path as it is asked for.
            Some(Some(key)) if index == 0 => {
                collection.get_within(key.value(), &mut self.context.account)?.map(|found| (key.clone(), found))
            }
            Some(Some(_)) => None,
            _ => collection.entry(index),
        };
        let Some((key, value)) = member else {
            walk.levels.pop();
            return Ok(None);
        };
        walk.path.push(key);
        Ok(Some(value))
    }

    fn is_found(&mut self, output: Option<&'a Pattern>, (walk, value): (&Walk<'a>, Val<'a>), base: usize) -> Result<bool, Stop> {
        match output {
            None => Ok(true),
            Some(Pattern::Array(parts)) => match parts.as_ref() {
                [path, found] => Ok(self.leads(path, walk, base)? && self.matches(found, value, base)?),
                _ => Ok(false),
            },
            Some(pattern) => {
                let path = self.path_value(&walk.path)?;
                self.context.account.charge(size_of::<[Value; 2]>())?;
                self.matches(pattern, Val::Own(Value::array([path, value.into_value()])), base)
            }
        }
    }

    /// Returns whether the path of the walk fits a pattern, after binding what the pattern binds. Keys that were looked up are not compared
    /// again; the path becomes a value only where all of it is bound or compared.
    fn leads(&mut self, pattern: &'a Pattern, walk: &Walk<'a>, base: usize) -> Result<bool, Stop> {
        match pattern {
            Pattern::Any => Ok(true),
            Pattern::Array(patterns) if patterns.len() != walk.path.len() => Ok(false),
            Pattern::Array(patterns) => {
                let is_known = |at: usize| walk.keys.as_ref().is_some_and(|keys| matches!(keys.get(at), Some(Some(_))));
                for (at, (pattern, key)) in patterns.iter().zip(&walk.path).enumerate() {
                    if !is_known(at) && !self.matches(pattern, key.clone(), base)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            pattern => {
                let path = self.path_value(&walk.path)?;
                self.matches(pattern, Val::Own(path), base)
            }
        }
    }

    fn path_value(&mut self, path: &[Val<'a>]) -> Result<Value, Stop> {
        self.context.account.charge(size_of_val(path))?;
        Ok(Value::array(path.iter().map(|key| key.value().clone())))
    }
}
