//! Templates at work (`text/template`, `exec.go`).

mod evaluate;

use super::tree::{Branch, Node, Pipe, Place, Templates, Word};
use super::value::Data;
use crate::builtins::output::Output;
use crate::builtins::{BuiltinError, quote};
use crate::limits::Halt;
use crate::value::Value;

/// Stack that must be there for a level, and what is added where it is not.
const STACK: (usize, usize) = (128 << 10, 1 << 20);

type Done<T> = Result<T, BuiltinError>;

/// A function, where it stands alone and with its operands, and these.
struct Call<'t> {
    name: &'t str,
    word: &'t Word,
    whole: &'t Place,
    rest: &'t [Word],
}

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
}

/// Where what is gone through stands.
fn ranged(branch: &Branch) -> Place {
    branch.pipe.commands.first().map(|command| command.place.clone()).unwrap_or_default()
}
