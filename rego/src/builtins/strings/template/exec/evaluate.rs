//! Pipes, commands and operands.

use super::super::functions::{self, Fault};
use super::super::tree::{Command, Pipe, Place, Term, Word};
use super::super::value::Data;
use super::{Call, Done, Execution, STACK};
use crate::builtins::BuiltinError;
use crate::value::Value;

impl<'t> Execution<'t, '_> {
    pub(super) fn wrong(&self, place: &Place, what: &str) -> BuiltinError {
        let (line, column, shown) = (place.line, place.column, &place.text);
        BuiltinError::failed(format!("template: template:{line}:{column}: executing \"template\" at <{shown}>: {what}"))
    }

    pub(super) fn pipe(&mut self, pipe: &'t Pipe, dot: &Data) -> Done<Data> {
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

    pub(super) fn command(&mut self, command: &'t Command, dot: &Data, last: Option<Data>) -> Done<Data> {
        let Some((first, rest)) = command.words.split_first() else { return Ok(Data::Missing) };
        if let Term::Function(name) = &first.term {
            return self.call(Call { name, word: first, whole: &command.place, rest }, dot, last);
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

    pub(super) fn word(&mut self, word: &'t Word, dot: &Data) -> Done<Data> {
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
            Term::Function(name) => self.call(Call { name, word, whole: &word.place, rest: &[] }, dot, None)?,
        })
    }

    /// The member below, name by name; below what is not there is nothing.
    pub(super) fn fields(&mut self, value: Data, fields: &[String], place: &Place) -> Done<Data> {
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

    pub(super) fn call(&mut self, call: Call<'t>, dot: &Data, last: Option<Data>) -> Done<Data> {
        let Call { name, word, whole, rest } = call;
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
