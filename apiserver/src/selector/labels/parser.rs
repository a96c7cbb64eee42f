//! The grammar of label selectors. Source: `Parser` and `NewRequirement` in `apimachinery` `pkg/labels/selector.go`, whose
//! messages users see.

use thiserror::Error;

use super::lexer::{Token, tokens};
use super::{Requirement, Test};
use crate::names::{label_key, label_value};
use crate::status::FieldError;

/// Why a text is no label selector, in upstream's words.
#[derive(Clone, Debug, Error, PartialEq)]
pub(super) enum SelectorError {
    /// A token that cannot stand there.
    #[error("found '{found}', expected: {expected}")]
    Unexpected {
        /// What stands there.
        found: String,
        /// What could.
        expected: &'static str,
    },
    /// Something else than a set behind `in` or `notin`; upstream has no comma here.
    #[error("found '{0}' expected: '('")]
    NoSet(String),
    /// A requirement that cannot be read.
    #[error("unable to parse requirement: {0}")]
    Requirement(Box<SelectorError>),
    /// A key that is no label's name.
    #[error("{0}")]
    Key(FieldError),
    /// Values that are no labels' values, or no number.
    #[error("{}", faults(.0))]
    Values(Vec<FieldError>),
}

impl SelectorError {
    fn unexpected(found: Token<'_>, expected: &'static str) -> Self {
        Self::Unexpected { found: found.text().to_owned(), expected }
    }
}

/// Several are shown as Go shows an aggregate.
fn faults(faults: &[FieldError]) -> String {
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    if texts.len() == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) }
}

/// Returns the requirements of a selector. Fails where the text is none.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, SelectorError> {
    let mut parser = Parser { tokens: tokens(text), position: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.next() {
            Token::End => return Ok(requirements),
            Token::Word(_) | Token::Sign("!") => {}
            other => return Err(SelectorError::unexpected(other, "!, identifier, or 'end of string'")),
        }
        let requirement = parser.requirement().map_err(|why| SelectorError::Requirement(why.into()))?;
        requirements.push(requirement);
        match parser.take() {
            Token::End => return Ok(requirements),
            Token::Sign(",") => match parser.next() {
                Token::Word(_) | Token::Sign("!") => {}
                other => return Err(SelectorError::unexpected(other, "identifier after ','")),
            },
            other => return Err(SelectorError::unexpected(other, "',' or 'end of string'")),
        }
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> Parser<'a> {
    fn next(&self) -> Token<'a> {
        self.tokens.get(self.position).copied().unwrap_or(Token::End)
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.next();
        self.position += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let absent = self.next() == Token::Sign("!");
        self.position += usize::from(absent);
        let key = match self.take() {
            Token::Word(key) => key,
            other => return Err(SelectorError::unexpected(other, "identifier")),
        };
        if let faults @ [_, ..] = label_key(key).as_slice() {
            return Err(SelectorError::Key(FieldError::invalid("<nil>", key, faults.join("; "))));
        }
        if absent || matches!(self.next(), Token::End | Token::Sign(",")) {
            let test = if absent { Test::Missing } else { Test::Exists };
            return Ok(Requirement { key: key.to_owned(), test });
        }
        let operator = self.take().text();
        let values = match operator {
            "in" | "notin" => self.set()?,
            "=" | "==" | "!=" | ">" | "<" => vec![self.value()?],
            other => {
                let expected = "in, notin, =, ==, !=, gt, lt";
                return Err(SelectorError::Unexpected { found: other.to_owned(), expected });
            }
        };
        requirement(key, operator, values)
    }

    /// What stands in parentheses.
    fn set(&mut self) -> Result<Vec<String>, SelectorError> {
        match self.take() {
            Token::Sign("(") => {}
            other => return Err(SelectorError::NoSet(other.text().to_owned())),
        }
        match self.next() {
            Token::Word(_) | Token::Sign("," | ")") => self.members(),
            other => Err(SelectorError::unexpected(other, "',', ')' or identifier")),
        }
    }

    /// Up to the closing parenthesis; between commas there may be nothing.
    fn members(&mut self) -> Result<Vec<String>, SelectorError> {
        let mut members = Vec::new();
        loop {
            let member = match self.next() {
                Token::Word(word) => {
                    self.position += 1;
                    word
                }
                Token::Sign("," | ")") => "",
                other => return Err(SelectorError::unexpected(other, "',', or identifier")),
            };
            members.push(member.to_owned());
            match self.take() {
                Token::Sign(",") => {}
                Token::Sign(")") => break,
                other => return Err(SelectorError::unexpected(other, "',' or ')'")),
            }
        }
        members.sort();
        members.dedup();
        Ok(members)
    }

    fn value(&mut self) -> Result<String, SelectorError> {
        match self.next() {
            Token::End | Token::Sign(",") => Ok(String::new()),
            Token::Word(word) => {
                self.position += 1;
                Ok(word.to_owned())
            }
            other => Err(SelectorError::unexpected(other, "identifier")),
        }
    }
}

fn requirement(key: &str, operator: &str, values: Vec<String>) -> Result<Requirement, SelectorError> {
    let number = values.first().and_then(|value| value.parse::<i64>().ok());
    let mut faults = Vec::new();
    if matches!(operator, ">" | "<") && number.is_none() {
        let why = "for 'Gt', 'Lt' operators, the value must be an integer";
        faults.push(FieldError::invalid("values[0]", values.concat(), why));
    }
    for (index, value) in values.iter().enumerate() {
        if let wrong @ [_, ..] = label_value(value).as_slice() {
            faults.push(FieldError::invalid(format!("values[{index}][{key}]"), value.as_str(), wrong.join("; ")));
        }
    }
    if !faults.is_empty() {
        return Err(SelectorError::Values(faults));
    }
    let test = match (operator, number) {
        (">", Some(limit)) => Test::Above(limit),
        ("<", Some(limit)) => Test::Below(limit),
        ("notin" | "!=", _) => Test::NotIn(values),
        _ => Test::In(values),
    };
    Ok(Requirement { key: key.to_owned(), test })
}
