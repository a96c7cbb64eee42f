//! Templates at work (`text/template`, `exec.go`).

use super::functions::{self, Fault};
use super::tree::{Branch, Command, Node, Pipe, Place, Templates, Term, Word};
use super::value::Data;
use crate::builtins::output::Output;
use crate::builtins::{BuiltinError, quote};
use crate::limits::Halt;
use crate::value::Value;

/// Stack that must be there for a level, and what is added where it is not.
const STACK: (usize, usize) = (128 << 10, 1 << 20);

type Done<T> = Result<T, BuiltinError>;

/// How a list of parts ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

pub(super) struct Execution<'t, 'a> {
    templates: &'t Templates,
    out: Output<'a>,
    /// The names that are known, the latest last.
    variables: Vec<(&'t str, Data)>,
    data: Data,
    depth: u32,
}

impl<'t, 'a> Execution<'t, 'a> {
    pub(super) fn new(templates: &'t Templates, out: Output<'a>, data: Data) -> Self {
        Self { templates, out, variables: vec![("$", data.clone())], data, depth: 0 }
    }

    pub(super) fn run(&mut self) -> Done<()> {
        let templates = self.templates;
        self.list(&templates.root, &self.data.clone()).map(drop)
    }

    pub(super) fn finish(self) -> String {
        self.out.finish()
    }

    fn list(&mut self, nodes: &'t [Node], dot: &Data) -> Done<Flow> {
        stacker::maybe_grow(STACK.0, STACK.1, || {
            for node in nodes {
                self.out.account().step(1)?;
                let flow = self.node(node, dot)?;
                if flow != Flow::Next {
                    return Ok(flow);
                }
            }
            Ok(Flow::Next)
        })
    }

    fn node(&mut self, node: &'t Node, dot: &Data) -> Done<Flow> {
        let scope = self.variables.len();
        let flow = match node {
            Node::Text(text) => self.out.push(text).map(|()| Flow::Next)?,
            Node::Action(pipe) => {
                let value = self.pipe(pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.print(&value)?;
                }
                return Ok(Flow::Next);
            }
            Node::If(branch) => {
                let value = self.pipe(&branch.pipe, dot)?;
                self.list(if value.is_true() { &branch.then } else { &branch.otherwise }, dot)?
            }
            Node::With(branch) => {
                let value = self.pipe(&branch.pipe, dot)?;
                if value.is_true() { self.list(&branch.then, &value)? } else { self.list(&branch.otherwise, dot)? }
            }
            Node::Range(branch) => self.range(branch, dot)?,
            Node::Template { name, pipe, place } => self.template(name, pipe.as_ref(), place, dot)?,
            Node::Break => Flow::Break,
            Node::Continue => Flow::Continue,
        };
        self.variables.truncate(scope);
        Ok(flow)
    }

    fn print(&mut self, value: &Data) -> Done<()> {
        match value {
            Data::Missing | Data::Null => self.out.push("<no value>")?,
            value => self.out.display(value)?,
        }
        Ok(())
    }

    fn wrong(&self, place: &Place, what: &str) -> BuiltinError {
        let (line, column, shown) = (place.line, place.column, &place.text);
        BuiltinError::failed(format!("template: template:{line}:{column}: executing \"template\" at <{shown}>: {what}"))
    }

    fn template(&mut self, name: &str, pipe: Option<&'t Pipe>, place: &Place, dot: &Data) -> Done<Flow> {
        let templates = self.templates;
        let missing = || self.wrong(place, &format!("template {} not defined", quote::quote(name)));
        let nodes = templates.named.get(name).ok_or_else(missing)?;
        let deepest = self.out.account().limits().depth;
        if self.depth >= deepest {
            return Err(Halt::Depth(deepest).into());
        }
        let value = pipe.map_or(Ok(Data::Missing), |pipe| self.pipe(pipe, dot))?;
        let outside = std::mem::replace(&mut self.variables, vec![("$", value.clone())]);
        self.depth = self.depth.saturating_add(1);
        self.list(nodes, &value)?;
        self.depth = self.depth.saturating_sub(1);
        self.variables = outside;
        Ok(Flow::Next)
    }

    fn range(&mut self, branch: &'t Branch, dot: &Data) -> Done<Flow> {
        let value = self.pipe(&branch.pipe, dot)?;
        let entries: Vec<(Data, Data)> = match &value {
            Data::Missing | Data::Null => Vec::new(),
            Data::Int(count) => return self.count(branch, *count, dot),
            Data::Collection(Value::Object(object)) => {
                object.iter().map(|(key, value)| (Data::of(key.clone()), Data::of(value.clone()))).collect()
            }
            Data::Collection(other) => {
                let items = other.as_array().unwrap_or_default().iter().enumerate();
                items.map(|(at, item)| (Data::Int(i64::try_from(at).unwrap_or(i64::MAX)), Data::of(item.clone()))).collect()
            }
            other => {
                let what = format!("range can't iterate over {other}");
                return Err(self.wrong(&ranged(branch), &what));
            }
        };
        self.turns(branch, entries.into_iter(), dot)
    }

    fn count(&mut self, branch: &'t Branch, count: i64, dot: &Data) -> Done<Flow> {
        if branch.pipe.variables.len() > 1 {
            let what = format!("can't use {count} to iterate over more than one variable");
            return Err(self.wrong(&ranged(branch), &what));
        }
        self.turns(branch, (0..count).map(|at| (Data::Missing, Data::Int(at))), dot)
    }

    fn turns(&mut self, branch: &'t Branch, entries: impl Iterator<Item = (Data, Data)>, dot: &Data) -> Done<Flow> {
        let (scope, mut any) = (self.variables.len(), false);
        for (key, item) in entries {
            any = true;
            self.out.account().step(1)?;
            self.variables.truncate(scope);
            match branch.pipe.variables.as_slice() {
                [] => {}
                [one] => self.set(one, item.clone(), branch.pipe.assigns),
                [first, second, ..] => {
                    self.set(first, key, branch.pipe.assigns);
                    self.set(second, item.clone(), branch.pipe.assigns);
                }
            }
            if self.list(&branch.then, &item)? == Flow::Break {
                break;
            }
        }
        self.variables.truncate(scope);
        if any { Ok(Flow::Next) } else { self.list(&branch.otherwise, dot) }
    }

    /// Declares a variable, or gives another value to the latest of its name.
    fn set(&mut self, name: &'t str, value: Data, assigns: bool) {
        let known = self.variables.iter_mut().rev().find(|(known, _)| *known == name).filter(|_| assigns);
        match known {
            Some((_, known)) => *known = value,
            None => self.variables.push((name, value)),
        }
    }

    fn pipe(&mut self, pipe: &'t Pipe, dot: &Data) -> Done<Data> {
        let mut value = None;
        for command in &pipe.commands {
            value = Some(stacker::maybe_grow(STACK.0, STACK.1, || self.command(command, dot, value))?.settled());
        }
        let value = value.unwrap_or(Data::Missing);
        // A range sets its own.
        if let [one] = pipe.variables.as_slice() {
            self.set(one, value.clone(), pipe.assigns);
        }
        Ok(value)
    }

    fn command(&mut self, command: &'t Command, dot: &Data, last: Option<Data>) -> Done<Data> {
        let Some((first, rest)) = command.words.split_first() else { return Ok(Data::Missing) };
        if let Term::Function(name) = &first.term {
            return self.call(name, (first, &command.place), rest, dot, last);
        }
        if !rest.is_empty() || last.is_some() {
            let shown = &first.place.text;
            let name = shown.rsplit('.').next().unwrap_or(shown);
            return Err(match &first.term {
                Term::Field(_) | Term::Variable(_, _) => {
                    self.wrong(&first.place, &format!("{name} is not a method but has arguments"))
                }
                _ => self.wrong(&first.place, &format!("can't give argument to non-function {shown}")),
            });
        }
        if matches!(first.term, Term::Nil) {
            return Err(self.wrong(&first.place, "nil is not a command"));
        }
        self.word(first, dot)
    }

    fn word(&mut self, word: &'t Word, dot: &Data) -> Done<Data> {
        Ok(match &word.term {
            Term::Dot => dot.clone(),
            Term::Nil => Data::Missing,
            Term::Bool(truth) => Data::Bool(*truth),
            Term::Int(number) => Data::Int(*number),
            Term::Float(number) => Data::Float(*number),
            Term::Text(text) => Data::Text(text.clone()),
            Term::Field(fields) => self.fields(dot.clone(), fields, &word.place)?,
            Term::Variable(name, fields) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                let value = known.map_or(Data::Missing, |(_, value)| value.clone());
                self.fields(value, fields, &word.place)?
            }
            Term::Pipe(pipe, fields) => {
                let value = self.pipe(pipe, dot)?;
                self.fields(value, fields, &word.place)?
            }
            Term::Function(name) => self.call(name, (word, &word.place), &[], dot, None)?,
        })
    }

    /// The member below, name by name; below what is not there is nothing.
    fn fields(&mut self, value: Data, fields: &[String], place: &Place) -> Done<Data> {
        fields.iter().try_fold(value, |value, field| match &value {
            Data::Missing => Ok(Data::Missing),
            Data::Null => Err(self.wrong(place, &format!("nil pointer evaluating interface {{}}.{field}"))),
            Data::Collection(Value::Object(object)) => {
                Ok(object.get(&Value::from(field.as_str())).map_or(Data::Missing, |value| Data::of(value.clone())))
            }
            other => {
                let kind = if matches!(other, Data::Int(_) | Data::Float(_)) { other.type_name() } else { "interface {}" };
                Err(self.wrong(place, &format!("can't evaluate field {field} in type {kind}")))
            }
        })
    }

    fn call(
        &mut self,
        name: &str,
        (word, whole): (&'t Word, &'t Place),
        rest: &'t [Word],
        dot: &Data,
        last: Option<Data>,
    ) -> Done<Data> {
        let mut operands = Vec::new();
        for operand in rest {
            let value = self.word(operand, dot)?;
            // What decides is the answer; the rest is not looked at.
            if matches!((name, value.is_true()), ("and", false) | ("or", true)) {
                return Ok(value);
            }
            operands.push(value);
        }
        operands.extend(last);
        if let Some(wanted) = functions::wrong_count(name, operands.len()) {
            let what = format!("wrong number of args for {name}: want {wanted} got {}", operands.len());
            return Err(self.wrong(&word.place, &what));
        }
        if name == "call" {
            let (shown, kind) =
                rest.first().map_or(("nil", "<nil>"), |word| (&word.place.text, operands.first().map_or("", Data::type_name)));
            return Err(self.wrong(whole, &format!("error calling call: non-function {shown} of type {kind}")));
        }
        if matches!(name, "and" | "or") {
            return Ok(operands.pop().unwrap_or(Data::Missing));
        }
        functions::call(name, &operands, self.out.account()).map_err(|fault| match fault {
            Fault::Error(error) => error,
            Fault::Call(message) => self.wrong(whole, &format!("error calling {name}: {message}")),
        })
    }
}

/// Where what is gone through stands.
fn ranged(branch: &Branch) -> Place {
    branch.pipe.commands.first().map(|command| command.place.clone()).unwrap_or_default()
}
