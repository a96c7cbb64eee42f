//! From words to a tree (`text/template/parse`, `parse.go`).

use super::functions;
use super::lex::{self, Placed, Token};
use super::tree::{Branch, Command, Node, Pipe, Place, Templates, Term, Word};
use crate::builtins::{BuiltinError, quote};

/// Stack that must be there for a level, and what is added where it is not.
const STACK: (usize, usize) = (128 << 10, 1 << 20);

/// Characters of a word that an error shows.
const SHOWN: usize = 10;
const KEYWORDS: [&str; 11] = ["block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"];

type Parsed<T> = Result<T, BuiltinError>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Placed>,
    at: usize,
    variables: Vec<String>,
    templates: Templates,
    /// How many `range` are open: only in them can one leave or go on.
    ranges: usize,
}

/// What ends a list of parts.
enum End {
    End,
    /// `else`, and the keyword that may follow it.
    Else(Option<&'static str>),
    Text,
}

pub(super) fn parse(text: &str) -> Parsed<Templates> {
    let tokens = lex::tokens(text)?;
    let variables = vec!["$".to_owned()];
    let mut parser = Parser { text, tokens, at: 0, variables, templates: Templates::default(), ranges: 0 };
    let (nodes, end) = parser.list()?;
    match end {
        End::Text => {}
        End::End => return Err(parser.wrong("unexpected {{end}}")),
        End::Else(_) => return Err(parser.wrong("unexpected {{else}}")),
    }
    parser.templates.root = nodes;
    Ok(parser.templates)
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |(_, offset)| *offset)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at = self.at.saturating_add(1);
        token
    }

    fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at = self.at.saturating_add(usize::from(found));
        found
    }

    fn spaces(&mut self) {
        self.eat(&Token::Space);
    }

    fn wrong(&self, what: &str) -> BuiltinError {
        lex::wrong(self.text, self.offset(), what)
    }

    fn unexpected(&self, context: &str) -> BuiltinError {
        let behind = self.tokens.get(self.at.saturating_add(1)).map_or(self.text.len(), |(_, offset)| *offset);
        let shown = self.text.get(self.offset()..behind).unwrap_or_default().trim_end();
        let shown = match self.peek() {
            _ if shown.is_empty() => "EOF".to_owned(),
            Some(Token::Dot) => "<.>".to_owned(),
            Some(Token::Name(name)) if KEYWORDS.contains(&name.as_str()) => format!("<{name}>"),
            _ if shown.chars().count() > SHOWN => format!("{}...", quote::quote(&shown.chars().take(SHOWN).collect::<String>())),
            _ => quote::quote(shown),
        };
        self.wrong(&format!("unexpected {shown} in {context}"))
    }

    fn list(&mut self) -> Parsed<(Vec<Node>, End)> {
        stacker::maybe_grow(STACK.0, STACK.1, || self.nodes())
    }

    fn nodes(&mut self) -> Parsed<(Vec<Node>, End)> {
        let mut nodes = Vec::new();
        loop {
            match self.next() {
                None => return Ok((nodes, End::Text)),
                Some(Token::Text(text)) => nodes.push(Node::Text(text)),
                Some(_) => {
                    self.spaces();
                    if let Some(end) = self.action(&mut nodes)? {
                        return Ok((nodes, end));
                    }
                }
            }
        }
    }

    /// One action, behind `{{`.
    fn action(&mut self, nodes: &mut Vec<Node>) -> Parsed<Option<End>> {
        let name = if let Some(Token::Name(name)) = self.peek() { name.clone() } else { String::new() };
        let node = match name.as_str() {
            "end" => return self.keyword("end").map(|()| Some(End::End)),
            "else" => return self.otherwise().map(Some),
            "if" => Node::If(self.branch("if")?),
            "with" => Node::With(self.branch("with")?),
            "range" => Node::Range(self.branch("range")?),
            "break" | "continue" if self.ranges == 0 => return Err(self.wrong(&format!("{{{{{name}}}}} outside {{{{range}}}}"))),
            "break" => self.keyword("break").map(|()| Node::Break)?,
            "continue" => self.keyword("continue").map(|()| Node::Continue)?,
            "template" => self.template()?,
            "block" => self.block()?,
            "define" => {
                self.define()?;
                return Ok(None);
            }
            _ => {
                let pipe = self.pipe("command")?;
                self.close("command")?;
                Node::Action(pipe)
            }
        };
        nodes.push(node);
        Ok(None)
    }

    /// A keyword that stands alone.
    fn keyword(&mut self, name: &str) -> Parsed<()> {
        self.at = self.at.saturating_add(1);
        self.close(name)
    }

    fn close(&mut self, context: &str) -> Parsed<()> {
        self.spaces();
        if self.eat(&Token::Close) {
            return Ok(());
        }
        Err(match self.peek() {
            Some(Token::Sign(")")) => self.wrong("unexpected right paren"),
            _ => self.unexpected(context),
        })
    }

    fn otherwise(&mut self) -> Parsed<End> {
        self.at = self.at.saturating_add(1);
        self.spaces();
        let word = match self.peek() {
            Some(Token::Name(name)) if name == "if" => Some("if"),
            Some(Token::Name(name)) if name == "with" => Some("with"),
            _ => None,
        };
        if word.is_none() {
            self.close("else")?;
        }
        Ok(End::Else(word))
    }

    fn branch(&mut self, keyword: &'static str) -> Parsed<Branch> {
        self.at = self.at.saturating_add(1);
        let scope = self.variables.len();
        let pipe = self.pipe(keyword)?;
        self.close(keyword)?;
        self.ranges = self.ranges.saturating_add(usize::from(keyword == "range"));
        let (then, end) = self.list()?;
        self.ranges = self.ranges.saturating_sub(usize::from(keyword == "range"));
        let otherwise = self.rest(keyword, end)?;
        self.variables.truncate(scope);
        Ok(Branch { pipe, then, otherwise })
    }

    /// What stands behind `else`.
    fn rest(&mut self, keyword: &'static str, end: End) -> Parsed<Vec<Node>> {
        match end {
            End::End => Ok(Vec::new()),
            End::Text => Err(self.wrong("unexpected EOF")),
            // `{{else if}}` is an `if` that needs no `end` of its own.
            End::Else(Some(word)) if word == keyword => {
                let branch = stacker::maybe_grow(STACK.0, STACK.1, || self.branch(word))?;
                Ok(vec![if word == "if" { Node::If(branch) } else { Node::With(branch) }])
            }
            End::Else(Some(_)) => Err(self.unexpected("else")),
            End::Else(None) => match self.list()? {
                (nodes, End::End) => Ok(nodes),
                (_, End::Else(_)) => Err(self.wrong("expected end; found {{else}}")),
                (_, End::Text) => Err(self.wrong("unexpected EOF")),
            },
        }
    }

    /// The quoted name of a template.
    fn name(&mut self, context: &str) -> Parsed<String> {
        self.at = self.at.saturating_add(1);
        self.spaces();
        match self.peek() {
            Some(Token::Quoted(name)) => {
                let name = name.clone();
                self.at = self.at.saturating_add(1);
                Ok(name)
            }
            _ => Err(self.unexpected(context)),
        }
    }

    fn template(&mut self) -> Parsed<Node> {
        let start = self.at;
        let name = self.name("template clause")?;
        let mut place = self.place(self.at.saturating_sub(1));
        self.spaces();
        let pipe = if self.peek() == Some(&Token::Close) { None } else { Some(self.pipe("template clause")?) };
        place.text = format!("{{{{{}}}}}", self.between(start, self.at));
        self.close("template clause")?;
        Ok(Node::Template { name, pipe, place })
    }

    fn block(&mut self) -> Parsed<Node> {
        let start = self.at;
        let name = self.name("block clause")?;
        let mut place = self.place(self.at.saturating_sub(1));
        self.spaces();
        let pipe = Some(self.pipe("block clause")?);
        place.text = format!("{{{{{}}}}}", self.between(start, self.at));
        self.close("block clause")?;
        self.body(name.clone())?;
        Ok(Node::Template { name, pipe, place })
    }

    fn define(&mut self) -> Parsed<()> {
        let name = self.name("define clause")?;
        self.close("define clause")?;
        self.body(name)
    }

    /// What a template is, up to its `end`; it knows no variables but `$`.
    fn body(&mut self, name: String) -> Parsed<()> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (nodes, end) = self.list()?;
        if !matches!(end, End::End) {
            return Err(self.wrong("unexpected EOF"));
        }
        (self.variables, self.ranges) = (variables, ranges);
        let is_empty = |nodes: &[Node]| nodes.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()));
        match self.templates.named.get(&name) {
            Some(known) if !is_empty(known) && !is_empty(&nodes) => {
                Err(self.wrong(&format!("template: multiple definition of template {}", quote::quote(&name))))
            }
            Some(known) if !is_empty(known) => Ok(()),
            _ => {
                self.templates.named.insert(name, nodes);
                Ok(())
            }
        }
    }

    fn pipe(&mut self, context: &str) -> Parsed<Pipe> {
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
    fn declared(&mut self, context: &str) -> Parsed<(Vec<String>, bool)> {
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

    fn command(&mut self, context: &str) -> Parsed<Command> {
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

    fn word(&mut self) -> Parsed<Option<Word>> {
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

    fn named(&mut self, name: String) -> Parsed<Term> {
        match name.as_str() {
            "true" | "false" => Ok(Term::Bool(name == "true")),
            "nil" => Ok(Term::Nil),
            _ if functions::is_known(&name) => Ok(Term::Function(name)),
            _ => Err(self.wrong(&format!("function {} not defined", quote::quote(&name)))),
        }
    }

    fn number(&mut self, text: &str) -> Parsed<Term> {
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

    fn offset_of(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |(_, offset)| *offset)
    }

    /// What stands from a token up to another.
    fn between(&self, start: usize, end: usize) -> String {
        self.text.get(self.offset_of(start)..self.offset_of(end)).unwrap_or_default().trim_end().to_owned()
    }

    /// The place of what was read since a token.
    fn place(&self, start: usize) -> Place {
        let from = self.offset_of(start);
        let before = self.text.get(..from).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        Place {
            line: before.matches('\n').count().saturating_add(1),
            column: from.saturating_sub(line_start),
            text: self.between(start, self.at),
        }
    }
}
