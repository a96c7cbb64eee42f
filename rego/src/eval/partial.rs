//! Rules that make sets and objects, member by member.

use super::cache::Cache;
use super::head;
use super::object::Branch;
use super::parts::Solution;
use super::reference::Ahead;
use super::val::Val;
use super::{Evaluation, Flow, Stop};
use crate::ir::{Definition, Element, Group, GroupId, GroupKind, Rule};
use crate::value::Value;

/// What has been made so far.
enum Made {
    Set(Vec<Value>),
    Object(Branch),
}

/// Which members are wanted.
#[derive(Clone, Copy)]
enum Wanted<'e> {
    /// All of them.
    All,
    /// Those at known keys.
    Known,
    /// Those at these keys, some of which are patterns.
    Patterns(&'e [Element]),
}

/// Returns whether a document that was made for some keys answers for equal keys, too. One without a member does not where a key has a
/// number like `1.0`: base documents have text for keys, so that `1`, which is equal, may be there.
fn is_known_at(found: Option<&Value>, keys: &[Val<'_>]) -> bool {
    let is_there = |found: &Value| keys.iter().try_fold(found, |found, key| found.get(key.value())).is_some();
    keys.iter().all(|key| key.value().is_plain()) || found.is_some_and(is_there)
}

impl<'a> Evaluation<'a> {
    /// The document of a group as far as it is needed for what lies at these keys: all of it, or the members with those keys.
    pub(super) fn partial(&mut self, id: GroupId, keys: &[Val<'a>]) -> Result<Option<&'a Value>, Stop> {
        self.look_at_key(id, keys);
        if let Some(known) = self.known(id) {
            return Ok(known);
        }
        let Some(group) = self.policy.group(id) else { return Ok(None) };
        let keys = head::of_members(group, keys);
        if keys.is_empty() {
            let value = self.deeper(|eval| eval.made(group, &[], Wanted::All))?;
            let value = Some(self.keep(value));
            self.scope.cache.set_complete(id, value);
            return Ok(value);
        }
        self.look_at(keys);
        if let Some(known) = self.known_above(id, keys, keys.len().saturating_sub(1)) {
            return Ok(Some(known));
        }
        let hash = Cache::hash(id, keys);
        if let Some(known) = self.recall(id, hash, keys).filter(|known| is_known_at(*known, keys)) {
            return Ok(known);
        }
        let value = self.deeper(|eval| eval.made(group, keys, Wanted::Known))?;
        let value = Some(self.keep(value));
        if is_known_at(value, keys) {
            self.scope.cache.set_keyed(id, hash, keys, value);
        }
        Ok(value)
    }

    /// Returns the document that was made for at most so many of these keys, if there is something at those: all of what is below them
    /// (opa `v1/topdown/eval.go`, `evalCache`).
    fn known_above(&mut self, id: GroupId, keys: &[Val<'a>], most: usize) -> Option<&'a Value> {
        (1..=most).find_map(|fewer| {
            let keys = keys.get(..fewer)?;
            let found = self.recall(id, Cache::hash(id, keys), keys)??;
            keys.iter().try_fold(found, |found, key| found.get(key.value())).map(|_| found)
        })
    }

    /// Returns the document at keys some of which are patterns. As in OPA no labels of its rules are met there, and whoever asks again finds it
    /// anew: where nobody sees that, it is kept unless some rules are left out.
    pub(super) fn with_patterns(&mut self, id: GroupId, keys: &[Val<'a>], ahead: &Ahead<'a>) -> Result<Option<&'a Value>, Stop> {
        self.look_at_patterns(id, keys);
        if let Some(known) = self.known(id) {
            return Ok(known);
        }
        if let Some(known) = self.known_above(id, keys, keys.len()) {
            return Ok(Some(known));
        }
        let Some(group) = self.policy.group(id) else { return Ok(None) };
        let is_anew = self.is_in_order() && keys.is_empty();
        if !is_anew && head::all_fit(group, ahead.elements) && !head::takes_no_value(group) {
            return self.behind(id, group, head::of_members(group, keys)).map(Some);
        }
        let value = self.deeper(|eval| eval.made(group, keys, Wanted::Patterns(ahead.elements)))?;
        Ok(Some(self.keep(value)))
    }

    /// Returns all members at these keys, for a reference that goes on with patterns. They are kept for such references alone: a number among the
    /// keys may find more in base documents, whose keys are text. Fails as the rules' bodies do.
    fn behind(&mut self, id: GroupId, group: &'a Group, keys: &[Val<'a>]) -> Result<&'a Value, Stop> {
        self.look_at(keys);
        let id = Cache::by_patterns(id);
        let hash = Cache::hash(id, keys);
        if let Some(Some(known)) = self.recall(id, hash, keys).filter(|known| is_known_at(*known, keys)) {
            return Ok(known);
        }
        let value = self.deeper(|eval| eval.made(group, keys, Wanted::Known))?;
        let value = self.keep(value);
        if is_known_at(Some(value), keys) {
            self.scope.cache.set_keyed(id, hash, keys, Some(value));
        }
        Ok(value)
    }

    fn made(&mut self, group: &'a Group, keys: &[Val<'a>], wanted: Wanted<'_>) -> Result<Value, Stop> {
        let mut made = match group.kind {
            GroupKind::Set => Made::Set(Vec::new()),
            _ => Made::Object(Branch::default()),
        };
        let candidates = self.candidates(group, &[])?;
        let mut next = candidates.from(0);
        // As in OPA, the `else` of such a rule counts only where the rule itself cannot hold.
        while let Some(entry) = next.and_then(|number| group.index.entries.get(number)) {
            let rule = group.definition(entry).filter(|rule| match wanted {
                Wanted::Patterns(elements) => head::fits(rule, elements),
                Wanted::All | Wanted::Known => true,
            });
            if let Some(rule) = rule {
                // As in OPA, what is asked for by its keys tells nothing of labels.
                self.members_of(rule, keys, &mut made, matches!(wanted, Wanted::All))?;
            }
            next = candidates.from(entry.next_rule);
        }
        Ok(match made {
            Made::Set(members) => self.set_of(members)?,
            Made::Object(branch) => branch.finish(&mut self.context.account)?,
        })
    }

    fn members_of(&mut self, rule: &'a Rule, keys: &[Val<'a>], made: &mut Made, tells: bool) -> Result<(), Stop> {
        let known = keys.len().min(rule.definitions.len().saturating_sub(1));
        let Some(definition) = rule.definitions.get(known) else { return Ok(()) };
        let base = self.push(definition.slots);
        let result = self.members_in((rule, definition, tells), keys, made, base);
        self.slots.truncate(base);
        result
    }

    fn members_in(
        &mut self,
        (rule, definition, tells): (&'a Rule, &'a Definition, bool),
        keys: &[Val<'a>],
        made: &mut Made,
        base: usize,
    ) -> Result<(), Stop> {
        for (pattern, key) in definition.known.iter().zip(keys) {
            if !self.matches(pattern, key.clone(), base)? {
                return Ok(());
            }
        }
        let Definition { path, value, body, .. } = definition;
        if let Some(spot) = self.spot(body) {
            return self.each_part((body, spot), (path, value), base, &mut |eval, found| eval.add(rule, found, made));
        }
        self.run(body, base, &mut |eval| {
            eval.cover(rule.head);
            if tells {
                eval.meet(rule);
            }
            if let Some(found) = eval.solution(path, value, base)? {
                eval.add(rule, found, made)?;
            }
            Ok(Flow::Next)
        })?;
        Ok(())
    }

    fn add(&mut self, rule: &Rule, Solution { path, value }: Solution, made: &mut Made) -> Result<(), Stop> {
        let account = &mut self.context.account;
        account.charge(size_of::<Value>())?;
        match made {
            Made::Set(members) => {
                members.push(value);
                Ok(())
            }
            Made::Object(branch) => {
                let added =
                    if rule.multi { branch.add_member(&path, value, account)? } else { branch.insert(&path, value, account)? };
                if added { Ok(()) } else { Err(Stop::conflict("object keys must be unique", rule.head)) }
            }
        }
    }
}
