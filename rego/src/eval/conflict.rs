//! What a conflict of a complete rule, or of a function, says: all values that differ, and where they come from (opa
//! `v1/topdown/conflicts.go`). Evaluation ends at the first conflict; the definitions are then evaluated again, so that others pay
//! nothing for the list.

use super::index::Candidates;
use super::val::Val;
use super::{Evaluation, Flow, Stop};
use crate::ir::{Group, GroupKind, Rule};
use crate::limits::Halt;
use crate::syntax::source::Sources;
use crate::syntax::span::Span;
use crate::value::Value;
use crate::value::print::beginning;

/// How many values are listed.
pub(crate) const MOST: usize = 10;
/// How many characters of a value are shown.
const LONGEST: usize = 80;
/// Bytes of a value that are written, of which those are shown.
const WRITTEN: usize = 16 << 10;

/// Values that differ from the first one.
#[derive(Default)]
struct Values<'a> {
    found: Vec<(Span, Val<'a>)>,
    /// There are more than are listed.
    more: bool,
}

impl<'a> Evaluation<'a> {
    /// The error of a conflict that a rule was found to make.
    pub(super) fn conflict(&mut self, group: &'a Group, rule: &'a Rule, operands: &[Val<'a>]) -> Result<Stop, Halt> {
        let mut message = match group.kind {
            GroupKind::Function(_) => format!("function {} produced conflicting values for the same inputs", group.name),
            _ => format!("rule {} produced conflicting values", group.name),
        };
        let failed = self.failed.clone();
        let mut values = Values::default();
        if let Some(halt) = self.conflicting(group, operands, &mut values).err().and_then(|stop| stop.halt()) {
            return Err(halt);
        }
        self.failed = failed;
        // What depends on chance may not show the conflict again.
        if values.found.len() > 1 {
            let found = values.found.iter().map(|(span, value)| (*span, value.value()));
            message.push_str(&listed(found, values.more, &self.policy.sources));
        }
        Ok(Stop::conflict(message, rule.span))
    }

    fn conflicting(&mut self, group: &'a Group, operands: &[Val<'a>], values: &mut Values<'a>) -> Result<(), Stop> {
        let candidates: Candidates = self.candidates(group, operands)?;
        let mut next = candidates.from(0);
        while let Some(entry) = next.and_then(|number| group.index.entries.get(number)) {
            let Some(rule) = group.definition(entry) else { break };
            let holds = self.values_of(rule, operands, values, candidates.early_exit)?;
            if values.more {
                break;
            }
            next = candidates.from(if holds { entry.next_rule } else { next.map_or(0, |number| number.saturating_add(1)) });
        }
        Ok(())
    }

    /// Adds the values of a definition, up to the first one that is another than the first of all; returns whether it has any.
    fn values_of(&mut self, rule: &'a Rule, operands: &[Val<'a>], values: &mut Values<'a>, once: bool) -> Result<bool, Stop> {
        let Some(definition) = rule.definitions.first() else { return Ok(false) };
        let base = self.push(definition.slots);
        let mut holds = false;
        for (pattern, operand) in rule.args.iter().zip(operands) {
            if !self.matches(pattern, operand.clone(), base)? {
                self.slots.truncate(base);
                return Ok(false);
            }
        }
        let found = self.run(&definition.body, base, &mut |eval| {
            let Some(value) = eval.term(&definition.value, base)? else { return Ok(Flow::Next) };
            holds = true;
            let differs = eval.add_conflict(rule.span, value, values)?;
            Ok(if differs || once { Flow::Enough } else { Flow::Next })
        });
        self.slots.truncate(base);
        found.map(|_| holds)
    }

    fn add_conflict(&mut self, span: Span, value: Val<'a>, values: &mut Values<'a>) -> Result<bool, Stop> {
        if let Some((_, first)) = values.found.first()
            && first.value().equal_within(value.value(), &mut self.context.account)?
        {
            return Ok(false);
        }
        if values.found.len() == MOST {
            values.more = true;
            return Ok(true);
        }
        values.found.push((span, value));
        Ok(values.found.len() > 1)
    }
}

/// Values that are in conflict, in the order of files and their text, and whether there are more.
pub(crate) fn listed<'v>(values: impl Iterator<Item = (Span, &'v Value)>, more: bool, sources: &Sources) -> String {
    let mut values: Vec<_> = values.collect();
    values.sort_by_key(|(span, _)| (sources.get(span.source).map(|source| source.name.as_str()), span.start));
    let line =
        |(span, value): &(Span, &Value)| format!("\n  {} at {}", shortened(&beginning(value, WRITTEN).0), place(*span, sources));
    let lines: String = values.iter().map(line).collect();
    format!(":{lines}{}", if more { "\n  ..." } else { "" })
}

/// A file and a row.
fn place(span: Span, sources: &Sources) -> String {
    let Some(source) = sources.get(span.source) else { return "<unknown>".to_owned() };
    let position = source.position(span.start);
    if source.name.is_empty() {
        format!("{}:{}", position.row, position.col)
    } else {
        format!("{}:{}", source.name, position.row)
    }
}

/// A value on one line, and no longer than a line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
