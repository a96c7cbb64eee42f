//! Commands and their operands.

use super::super::functions;
use super::super::lex::Token;
use super::super::tree::{Command, Pipe, Place, Term, Word};
use super::{Parsed, Parser, STACK};
use crate::builtins::quote;

impl Parser<'_> {
    pub(super) fn pipe(&mut self, context: &str) -> Parsed<Pipe> {
        stacker::maybe_grow(STACK.0, STACK.1, || {
            self.spaces();
            let (variables, assigns) = self.declared(context)?;
            let mut commands = vec![self.command(context)?];
            while self.eat(&Token::Sign("|")) {
                self.spaces();
                commands.push(self.command(context)?);
            }
            for command in commands.iter().skip(1) {
                if let Some(Term::Bool(_) | Term::Dot | Term::Nil | Term::Int(_) | Term::Float(_) | Term::Text(_)) =
                    command.words.first().map(|word| &word.term)
                {
                    return Err(self.wrong("non executable command in pipeline stage 2"));
                }
            }
            Ok(Pipe { variables, assigns, commands })
        })
    }

    /// `$x :=`, `$x =`, `$i, $x :=`.
    pub(super) fn declared(&mut self, context: &str) -> Parsed<(Vec<String>, bool)> {
        let (start, mut names) = (self.at, Vec::new());
        while let Some(Token::Variable(name)) = self.peek().cloned() {
            self.at = self.at.saturating_add(1);
            names.push(name);
            self.spaces();
            if context == "range" && names.len() < 2 && self.eat(&Token::Sign(",")) {
                self.spaces();
                continue;
            }
            break;
        }
        let assigns = self.peek() == Some(&Token::Sign("="));
        if names.is_empty() || !assigns && self.peek() != Some(&Token::Sign(":=")) {
            self.at = start;
            return Ok((Vec::new(), false));
        }
        self.at = self.at.saturating_add(1);
        self.spaces();
        if !assigns {
            self.variables.extend(names.iter().cloned());
        }
        Ok((names, assigns))
    }

    pub(super) fn command(&mut self, context: &str) -> Parsed<Command> {
        let (mut words, start, mut end) = (Vec::new(), self.at, self.at);
        while let Some(word) = self.word()? {
            words.push(word);
            end = self.at;
            if !self.eat(&Token::Space) {
                break;
            }
        }
        match self.peek() {
            _ if words.is_empty() => Err(match self.peek() {
                Some(Token::Close | Token::Sign(")")) => self.wrong(&format!("missing value for {context}")),
                _ => self.unexpected("operand"),
            }),
            Some(Token::Close | Token::Sign("|" | ")")) => {
                let mut place = self.place(start);
                place.text = self.between(start, end);
                Ok(Command { words, place })
            }
            _ => Err(self.unexpected("operand")),
        }
    }

    pub(super) fn word(&mut self) -> Parsed<Option<Word>> {
        let start = self.at;
        let mut term = match self.peek().cloned() {
            Some(Token::Dot) => Term::Dot,
            Some(Token::Field(name)) => Term::Field(vec![name]),
            Some(Token::Variable(name)) if self.variables.contains(&name) => Term::Variable(name, Vec::new()),
            Some(Token::Variable(name)) => return Err(self.wrong(&format!("undefined variable {}", quote::quote(&name)))),
            Some(Token::Quoted(text)) => Term::Text(text),
            Some(Token::Character(c)) => Term::Int(u32::from(c).into()),
            Some(Token::Number(text)) => self.number(&text)?,
            Some(Token::Name(name)) => self.named(name)?,
            Some(Token::Sign("(")) => {
                self.at = self.at.saturating_add(1);
                let pipe = self.pipe("parenthesized pipeline")?;
                self.spaces();
                match self.peek() {
                    Some(Token::Sign(")")) => {}
                    Some(Token::Close) => return Err(self.wrong("unclosed left paren")),
                    _ => return Err(self.unexpected("parenthesized pipeline")),
                }
                Term::Pipe(Box::new(pipe), Vec::new())
            }
            _ => return Ok(None),
        };
        self.at = self.at.saturating_add(1);
        let chain = self.at;
        while let Some(Token::Field(name)) = self.peek().cloned() {
            match &mut term {
                Term::Field(fields) | Term::Variable(_, fields) | Term::Pipe(_, fields) => fields.push(name),
                _ => return Err(self.unexpected("operand")),
            }
            self.at = self.at.saturating_add(1);
        }
        // Go places a chain at its second name.
        let place = self.place(if self.at > chain { chain } else { start });
        Ok(Some(Word { term, place: Place { text: self.between(start, self.at), ..place } }))
    }

    pub(super) fn named(&mut self, name: String) -> Parsed<Term> {
        match name.as_str() {
            "true" | "false" => Ok(Term::Bool(name == "true")),
            "nil" => Ok(Term::Nil),
            _ if functions::is_known(&name) => Ok(Term::Function(name)),
            _ => Err(self.wrong(&format!("function {} not defined", quote::quote(&name)))),
        }
    }

    pub(super) fn number(&mut self, text: &str) -> Parsed<Term> {
        let digits = text.replace('_', "");
        let (sign, unsigned) = digits.strip_prefix('-').map_or((1, digits.trim_start_matches('+')), |rest| (-1, rest));
        let radix = |prefix: &str| unsigned.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        let (base, from) = match () {
            () if radix("0x") => (16, 2),
            () if radix("0o") => (8, 2),
            () if radix("0b") => (2, 2),
            () if unsigned.len() > 1 && unsigned.starts_with('0') => (8, 1),
            () => (10, 0),
        };
        if let Ok(integer) = i64::from_str_radix(unsigned.get(from..).unwrap_or_default(), base) {
            return Ok(Term::Int(integer.wrapping_mul(sign)));
        }
        match digits.parse::<f64>() {
            Ok(float) if float.is_finite() && digits.contains(|c: char| c.is_ascii_digit()) => Ok(Term::Float(float)),
            _ => Err(self.wrong(&format!("bad number syntax: {}", quote::quote(text)))),
        }
    }
}
