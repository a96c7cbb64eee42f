//! From words to a tree (`text/template/parse`, `parse.go`).

mod cursor;
mod pipe;

use super::lex::{self, Placed, Token};
use super::tree::{Branch, Node, Templates};
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
    /// `end`.
    Here,
    /// `else`, and the keyword that may follow it.
    Else(Option<&'static str>),
    /// The text is at its end.
    Nothing,
}

pub(super) fn parse(text: &str) -> Parsed<Templates> {
    let tokens = lex::tokens(text)?;
    let variables = vec!["$".to_owned()];
    let mut parser = Parser { text, tokens, at: 0, variables, templates: Templates::default(), ranges: 0 };
    let (nodes, end) = parser.list()?;
    match end {
        End::Nothing => {}
        End::Here => return Err(parser.wrong("unexpected {{end}}")),
        End::Else(_) => return Err(parser.wrong("unexpected {{else}}")),
    }
    parser.templates.root = nodes;
    Ok(parser.templates)
}

impl Parser<'_> {
    fn list(&mut self) -> Parsed<(Vec<Node>, End)> {
        stacker::maybe_grow(STACK.0, STACK.1, || self.nodes())
    }

    fn nodes(&mut self) -> Parsed<(Vec<Node>, End)> {
        let mut nodes = Vec::new();
        loop {
            match self.next() {
                None => return Ok((nodes, End::Nothing)),
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
            "end" => return self.keyword("end").map(|()| Some(End::Here)),
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
            End::Here => Ok(Vec::new()),
            End::Nothing => Err(self.wrong("unexpected EOF")),
            // `{{else if}}` is an `if` that needs no `end` of its own.
            End::Else(Some(word)) if word == keyword => {
                let branch = stacker::maybe_grow(STACK.0, STACK.1, || self.branch(word))?;
                Ok(vec![if word == "if" { Node::If(branch) } else { Node::With(branch) }])
            }
            End::Else(Some(_)) => Err(self.unexpected("else")),
            End::Else(None) => match self.list()? {
                (nodes, End::Here) => Ok(nodes),
                (_, End::Else(_)) => Err(self.wrong("expected end; found {{else}}")),
                (_, End::Nothing) => Err(self.wrong("unexpected EOF")),
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
        if !matches!(end, End::Here) {
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
}
