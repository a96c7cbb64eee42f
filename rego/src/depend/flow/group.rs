//! Rules and functions.

use super::{Answer, Context, Flow, Frame, exclusive, grown};
use crate::depend::shape::ShapeId;
use crate::ir::{Agreement, Definition, Group, GroupId, GroupKind, Pattern, Rule};

impl<'p> Flow<'p> {
    /// The shape of what a group makes with these operands, or at these keys, in this scope.
    pub(super) fn group_here(&mut self, id: GroupId, operands: Vec<ShapeId>) -> ShapeId {
        let context = (id, self.scope, operands);
        match self.contexts.get(&context) {
            Some(Some(known)) => self.known_answer(*known),
            Some(None) => self.give_up(),
            None if self.left == 0 => self.coarse(context),
            None => self.evaluated(context),
        }
    }

    /// There are no steps left: what a function is called with is read whole, so that all its calls are one.
    fn coarse(&mut self, (id, scope, operands): Context) -> ShapeId {
        for operand in &operands {
            self.whole(*operand);
        }
        let context = (id, scope, vec![ShapeId::COMPUTED; operands.len()]);
        match self.contexts.get(&context) {
            Some(Some(known)) => self.known_answer(*known),
            Some(None) => self.give_up(),
            None => self.evaluated(context),
        }
    }

    /// Returns the shape of a group that was evaluated before; what may fail there may fail here, too.
    fn known_answer(&mut self, Answer { shape, may_fail }: Answer) -> ShapeId {
        self.may_fail |= may_fail;
        shape
    }

    fn evaluated(&mut self, context: Context) -> ShapeId {
        let Some(group) = self.policy.group(context.0) else { return ShapeId::NEVER };
        let (span, failed) = (self.span, std::mem::take(&mut self.may_fail));
        self.contexts.insert(context.clone(), None);
        let shape = grown(|| match group.kind {
            GroupKind::Complete | GroupKind::Function(_) => self.value_of(group, &context.2),
            GroupKind::Set | GroupKind::Object => self.partial(group, &context.2),
        });
        let answer = Answer { shape, may_fail: self.may_fail };
        self.contexts.insert(context, Some(answer));
        (self.span, self.may_fail) = (span, failed);
        self.known_answer(answer)
    }

    /// The one value of complete rules and functions. Where there may be two, they are compared.
    fn value_of(&mut self, group: &'p Group, operands: &[ShapeId]) -> ShapeId {
        let (mut values, mut rules, mut single, mut missed) = (Vec::new(), 0_usize, true, false);
        for rule in &group.rules {
            let before = values.len();
            for branch in std::iter::once(rule).chain(&rule.otherwise) {
                match self.branch(branch, operands) {
                    Some((definition, value)) => {
                        single &= self.is_single(&definition.body);
                        values.push(value);
                    }
                    None => missed = true,
                }
            }
            rules = rules.saturating_add(usize::from(values.len() > before));
        }
        if !group.index.early_exit && (!single || (rules > 1 && !exclusive::are_exclusive(self.policy, group))) {
            values.iter().for_each(|value| self.whole(*value));
            self.may_fail = true;
        }
        let is_left_early = || group.index.entries.iter().any(|entry| entry.agreement != Agreement::Never);
        if self.may_fail || self.asks_index() || (missed && is_left_early()) {
            self.index(group, operands);
        }
        if let Some((_, value)) = group.default.as_ref().and_then(|default| self.branch(default, operands)) {
            values.push(value);
        }
        self.shapes.join_all(values)
    }

    fn branch(&mut self, rule: &'p Rule, operands: &[ShapeId]) -> Option<(&'p Definition, ShapeId)> {
        let definition = rule.definitions.first()?;
        let mut frame = self.held(rule, definition, (&rule.args, operands))?;
        let value = self.term(&definition.value, &mut frame);
        (value != ShapeId::NEVER).then_some((definition, value))
    }

    /// A frame in which patterns fit and the body of a rule holds, if it may.
    pub(super) fn held(
        &mut self,
        rule: &'p Rule,
        definition: &'p Definition,
        (patterns, operands): (&'p [Pattern], &[ShapeId]),
    ) -> Option<Frame> {
        let mut frame = Frame::new(definition.slots);
        self.span = rule.head;
        let fits = patterns.iter().zip(operands).all(|(pattern, operand)| self.matches(pattern, *operand, &mut frame));
        let holds = fits && self.block(&definition.body, &mut frame);
        self.span = rule.head;
        holds.then_some(frame)
    }
}
