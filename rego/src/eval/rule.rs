//! Rules with one value, and functions.

use super::val::Val;
use super::{Evaluation, Flow, Found, Stop};
use crate::ir::{Definition, Group, GroupId, GroupKind, Pattern, Rule, Term};
use crate::value::Value;

/// What is done with the value, once it is there.
pub(super) type Given<'n, 'a> = &'n mut dyn FnMut(&mut Evaluation<'a>, Val<'a>) -> Found;

/// The value that is asked for, and where the pattern's variables are.
#[derive(Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) base: usize,
}

/// How far the rules of a group have come.
struct Progress<'a> {
    /// Solutions with other values do not count: OPA makes the head's value equal to it before it evaluates the body (`evalOneRule`).
    expected: Option<Expected<'a>>,
    /// The value, once there is one.
    value: Option<Val<'a>>,
    /// The value of the last solution, where numbers in it may be written otherwise than in that of the first.
    last: Option<&'a Value>,
    /// What came of it.
    flow: Flow,
    /// The first solution is enough.
    early_exit: bool,
}

impl<'a> Evaluation<'a> {
    /// The value of a complete rule, computed once.
    pub(super) fn complete(&mut self, id: GroupId) -> Result<Option<&'a Value>, Stop> {
        if let Some(known) = self.known(id) {
            return Ok(known);
        }
        let mut found = None;
        self.complete_each(id, &mut |_, value| {
            found = Some(value);
            Ok(Flow::Next)
        })?;
        let found = found.map(|value| self.kept(value));
        self.scope.cache.set_complete(id, found);
        Ok(found)
    }

    /// Gives the value of a complete rule on as soon as it is there: what is done with it comes before other definitions and
    /// solutions are looked at, as in OPA.
    pub(super) fn complete_each(&mut self, id: GroupId, given: Given<'_, 'a>) -> Found {
        if let Some(known) = self.known(id) {
            return match known {
                Some(value) => given(self, Val::Ref(value)),
                None => Ok(Flow::Next),
            };
        }
        let Some(group) = self.policy.group(id) else { return Ok(Flow::Next) };
        let mut defined = false;
        let (flow, _) = self.deeper(|eval| {
            eval.value_of(group, &[], None, &mut |eval, value| {
                defined = true;
                let value = eval.kept(value);
                eval.scope.cache.set_complete(id, Some(value));
                given(eval, Val::Ref(value))
            })
        })?;
        if !defined {
            self.scope.cache.set_complete(id, None);
        }
        Ok(flow)
    }

    /// A value that lives until the evaluation ends.
    pub(super) fn kept(&self, value: Val<'a>) -> &'a Value {
        match value {
            Val::Ref(value) => value,
            Val::Own(value) => self.keep(value),
        }
    }

    /// Gives the one value of complete rules, or of functions with these operands, on. An error if there are two: all solutions
    /// are looked at, however the first one fared (opa `v1/topdown/eval.go`, `deferredEarlyExitError`). Returns what came of it, and the
    /// value as a function has it from then on, if that may be written otherwise.
    pub(super) fn value_of(
        &mut self,
        group: &'a Group,
        operands: &[Val<'a>],
        expected: Option<Expected<'a>>,
        given: Given<'_, 'a>,
    ) -> Result<(Flow, Option<&'a Value>), Stop> {
        let candidates = self.candidates(group, operands)?;
        let mut progress = Progress { expected, value: None, last: None, flow: Flow::Next, early_exit: candidates.early_exit };
        let mut next = candidates.from(0);
        while let Some(entry) = next.and_then(|number| group.index.entries.get(number)) {
            let Some(rule) = group.definition(entry) else { break };
            let holds = self.branch(group, rule, operands, (&mut progress, given))?;
            if progress.early_exit && progress.value.is_some() {
                return Ok((progress.flow, progress.last));
            }
            // Of a rule and its `else`, what holds first is what counts.
            next = candidates.from(if holds { entry.next_rule } else { next.map_or(0, |number| number.saturating_add(1)) });
        }
        if let (None, Some(default)) = (&progress.value, &group.default) {
            self.branch(group, default, operands, (&mut progress, given))?;
        }
        Ok((progress.flow, progress.last))
    }

    /// Evaluates a rule, or an `else`; returns whether it has a value.
    fn branch(
        &mut self,
        group: &'a Group,
        rule: &'a Rule,
        operands: &[Val<'a>],
        on: (&mut Progress<'a>, Given<'_, 'a>),
    ) -> Result<bool, Stop> {
        let asked =
            rule.asked.as_deref().filter(|_| on.0.expected.is_some_and(|expected| matches!(expected.pattern, Pattern::Equal(_))));
        let Some(definition) = asked.or(rule.definitions.first()) else { return Ok(false) };
        let base = self.push(definition.slots);
        let result = self.branch_in((group, rule, definition), operands, on, base);
        self.slots.truncate(base);
        result
    }

    fn branch_in(
        &mut self,
        (group, rule, definition): (&'a Group, &'a Rule, &'a Definition),
        operands: &[Val<'a>],
        (progress, given): (&mut Progress<'a>, Given<'_, 'a>),
        base: usize,
    ) -> Result<bool, Stop> {
        for (pattern, operand) in rule.args.iter().zip(operands) {
            let fits = match operand {
                Val::Ref(operand) => self.fits(pattern, operand, base)?,
                Val::Own(operand) => self.matches(pattern, Val::Own(operand.clone()), base)?,
            };
            if !fits {
                return Ok(false);
            }
        }
        if let Some(expected) = progress.expected
            && !self.may_be_expected(definition, base, expected)?
        {
            return Ok(false);
        }
        let mut defined = false;
        self.run(&definition.body, base, &mut |eval| {
            if let Some(expected) = progress.expected
                && !eval.is_expected(definition, base, expected)?
            {
                return Ok(Flow::Next);
            }
            eval.cover(rule.head);
            eval.meet(rule);
            let Some(value) = eval.term(&definition.value, base)? else { return Ok(Flow::Next) };
            defined = true;
            match &progress.value {
                Some(first) => {
                    if !first.value().equal_within(value.value(), &mut eval.context.account)? {
                        return Err(eval.conflict(group, rule, operands)?);
                    }
                    let is_plain = first.value().is_plain() && value.value().is_plain();
                    if !is_plain && matches!(group.kind, GroupKind::Function(_)) {
                        (eval.met_unusual, eval.met_several) = (true, true);
                        progress.last = Some(eval.kept(value));
                    }
                }
                None => {
                    let value = Val::Ref(eval.kept(value));
                    progress.value = Some(value.clone());
                    progress.flow = eval.grown(|eval| given(eval, value))?;
                }
            }
            Ok(if progress.early_exit { Flow::Enough } else { Flow::Next })
        })?;
        Ok(defined)
    }

    /// Returns whether a definition may have the value that is asked for, as far as that can be told before its body is evaluated: by a constant,
    /// or, where the value is known, by binding the head's variables to it.
    fn may_be_expected(&mut self, definition: &'a Definition, base: usize, expected: Expected<'a>) -> Result<bool, Stop> {
        match (definition.known.first(), expected.pattern) {
            (Some(head), Pattern::Equal(term)) => match self.term(term, expected.base)? {
                Some(value) => self.matches(head, value, base),
                None => Ok(false),
            },
            _ if matches!(definition.value, Term::Constant(_)) => self.is_expected(definition, base, expected),
            _ => Ok(true),
        }
    }

    /// Returns whether the value at a solution is the one that is asked for, after binding what the caller's pattern binds.
    fn is_expected(&mut self, definition: &'a Definition, base: usize, expected: Expected<'a>) -> Result<bool, Stop> {
        let Some(value) = self.term(&definition.value, base)? else { return Ok(false) };
        self.matches(expected.pattern, value, expected.base)
    }
}
