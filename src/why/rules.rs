//! What puts a value into the documents of rules.

use std::rc::Rc;

use plimsoll_contract::why::{Alternative, Condition, Reached};
use plimsoll_rego::syntax::tree::{Expr, Term};
use plimsoll_rego::syntax::visit::{Node, walk_terms};
use plimsoll_rego::value::Value;

use super::Explainer;
use super::bodies::{Aim, Judged};
use super::frame::Frame;
use super::member::{Found, Gives, Sought};
use super::policies::Definition;
use super::reasons::frame_of;

impl<'p> Explainer<'p> {
    /// Finds the conditions under which a value is in the document that a reference leads to; at a key, if the reference goes on.
    pub(super) fn of_rule(&mut self, terms: &'p [Term], sought: Sought<'_, 'p>) -> Found {
        let policies = self.asker.policies;
        if sought.frame.is_local(terms) {
            return Found::default();
        }
        let Some((path, named)) = policies.resolve(terms, sought.frame.file) else { return Found::unknown() };
        let Some(key) = terms.get(named) else { return self.of_document(&path, sought.value, sought.level) };
        let key = self.values_of(sought.frame, key).into_iter().next();
        let definitions = policies.rules(&path);
        definitions.into_iter().fold(Found::default(), |found, definition| {
            let at = definition.key().zip(key.clone());
            found.with(self.in_value(definition, at, (sought.value, sought.level)))
        })
    }

    /// Finds the conditions under which a value is in the document of a rule.
    pub(super) fn of_document(&mut self, path: &[String], value: &Value, level: usize) -> Found {
        let policies = self.asker.policies;
        let mut found = Found::default();
        for definition in policies.rules(path) {
            match definition.key() {
                _ if definition.is_deep() => {
                    found.aggregates.push(self.written(definition.rule.head.span, Reached::NotSeparable))
                }
                Some(_) => found.alternatives.extend(self.keyed(&[definition], value, level)),
                None => found = found.with(self.in_value(definition, None, (value, level))),
            }
        }
        if let Some(default) = policies.default(path) {
            found = found.with(self.in_value(default, None, (value, level)));
        }
        let own = value.as_str().map(|name| [path, &[name.to_string()]].concat()).map(|path| policies.rules(&path));
        let own = own.into_iter().flatten().map(|definition| (definition, frame_of(definition))).collect();
        found.alternatives.extend(self.whether(own, false, level));
        found
    }

    /// Finds the conditions under which a value is in the members of an object, whatever their keys.
    pub(super) fn of_members(&mut self, path: &[String], value: &Value) -> Found {
        let definitions = self.asker.policies.rules(path);
        definitions
            .into_iter()
            .fold(Found::default(), |found, definition| found.with(self.in_value(definition, None, (value, 0))))
    }

    /// Finds the conditions under which a value is among the keys of the rules that an expression goes through.
    pub(super) fn at_keys(&mut self, expr: &'p Expr, sought: Sought<'_, 'p>) -> Found {
        let (policies, file) = (self.asker.policies, sought.frame.file);
        let mut paths = Vec::new();
        walk_terms(Node::Expr(expr), |term| {
            let terms = term.as_ref_parts().unwrap_or_default();
            let led = policies.resolve(terms, file);
            let goes_through = |named: usize| terms.get(named).is_some_and(|key| key.as_var().is_some());
            paths.extend(led.filter(|(_, named)| goes_through(*named)).map(|(path, _)| path));
            false
        });
        paths.iter().fold(Found::default(), |found, path| found.with(self.of_document(path, sought.value, sought.level)))
    }

    /// Finds the conditions under which a value is among the keys of rules, or in their sets.
    pub(super) fn keyed(&mut self, definitions: &[Definition<'p>], value: &Value, level: usize) -> Vec<Alternative> {
        let keyed = definitions.iter().filter_map(|definition| Some((*definition, definition.key()?)));
        let each = keyed.filter_map(|(definition, key)| {
            let frame = frame_of(definition);
            let aim = self.aim(&frame, key, value);
            if aim.part.is_empty() && !self.values_of(&frame, key).contains(value) {
                // A key that is written down gives no other one.
                return None;
            }
            let mut judged = self.judge(&frame, Some(&aim), level.saturating_add(1));
            self.with_value(definition.value(), (&frame, &aim), &mut judged);
            Some(self.alternative(definition, judged))
        });
        each.collect()
    }

    /// Finds the conditions under which a value is in the value of a rule; at a key, if it has keys.
    fn in_value(&mut self, definition: Definition<'p>, at: Option<(&'p Term, Value)>, (value, level): (&Value, usize)) -> Found {
        let frame = frame_of(definition);
        let aim = at.map(|(term, key)| self.aim(&frame, term, &key));
        self.through(definition, aim.as_ref(), Sought { frame: &frame, value, level: level.saturating_add(1) })
    }

    /// Finds the conditions of a body, then those of what its value is made of.
    pub(super) fn through(&mut self, definition: Definition<'p>, aim: Option<&Aim>, sought: Sought<'_, 'p>) -> Found {
        let mut judged = self.judge(sought.frame, aim, sought.level);
        self.after_others(definition, (sought.frame, sought.level), &mut judged);
        let value = definition.value();
        let mut found = value.map(|term| self.member(term, sought)).unwrap_or_default();
        for alternative in &mut found.alternatives {
            alternative.holds &= judged.holds;
            self.tell(&judged.conditions);
            let before = if self.room > 0 { judged.conditions.clone() } else { Vec::new() };
            alternative.conditions = [before, std::mem::take(&mut alternative.conditions)].concat();
        }
        let is_own = match found.gives {
            Gives::Literal => true,
            Gives::Unknown if !judged.holds => found.alternatives.is_empty(),
            Gives::Unknown => {
                value.is_some_and(|term| self.values_of(sought.frame, term).iter().any(|all| has(all, sought.value)))
            }
            Gives::No => false,
        };
        if is_own {
            found.alternatives.push(self.alternative(definition, judged));
        }
        Found { gives: Gives::No, ..found }
    }

    /// What stands behind an `else`, and a default, is asked where nothing before it holds.
    pub(super) fn after_others(
        &mut self,
        definition: Definition<'p>,
        (frame, level): (&Rc<Frame<'p>>, usize),
        judged: &mut Judged,
    ) {
        for before in self.asker.policies.before(definition) {
            let body = Rc::new(frame.other(self.asker.policies, before));
            let alternatives = self.proven(true, |explainer| explainer.whether(vec![(before, body)], false, level));
            if alternatives.iter().any(|alternative| alternative.holds) {
                let location = self.asker.policies.location(definition.rule.span);
                let text = if definition.rule.default { "default" } else { "else" }.to_owned();
                let found = Default::default();
                let condition = Condition { text, location, result: Reached::Fails, together: false, found, alternatives };
                judged.conditions.insert(0, condition);
                judged.holds = false;
            }
        }
    }

    /// A member whose value is undefined is none.
    pub(super) fn with_value(&mut self, value: Option<&Term>, (frame, aim): (&Rc<Frame<'p>>, &Aim), judged: &mut Judged) {
        let Some(term) = value.filter(|_| judged.holds) else { return };
        let all = (0..frame.body.len()).collect();
        let policies = self.asker.policies;
        let text = format!("{}\nwhy_value_ = {}", frame.text(policies, &all), policies.text(term.span));
        let is_there = self.asker.of(frame.question(&text), &aim.text).is_some_and(|values| values.contains(&aim.value));
        if !is_there {
            judged.holds = false;
            judged.conditions.push(self.written(term.span, Reached::Fails));
        }
    }
}

/// Whether a value is a key or a member of another one, or of what is inside it.
pub(super) fn has(all: &Value, value: &Value) -> bool {
    match all {
        Value::Array(array) => array.items().iter().any(|item| item == value || has(item, value)),
        Value::Set(set) => set.members().iter().any(|item| item == value || has(item, value)),
        Value::Object(object) => object.iter().any(|(key, member)| key == value || has(member, value)),
        Value::String(text) => value.as_str().is_some_and(|name| text.contains(&format!("\"{name}\""))),
        Value::Null | Value::False | Value::True | Value::Int(_) | Value::Number(_) => false,
    }
}
