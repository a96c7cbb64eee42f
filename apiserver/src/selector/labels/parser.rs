//! The grammar of label selectors. Source: `Parser` and `NewRequirement` in `apimachinery` `pkg/labels/selector.go`, whose
//! messages users see.

use super::lexer::{Token, tokens};
use super::{Requirement, Test};
use crate::resources::validate::names::{label_key, label_value};
use crate::status::FieldError;

/// The requirements, or what is wrong.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(text), position: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.next() {
            Token::End => return Ok(requirements),
            Token::Word(_) | Token::Sign("!") => {}
            other => return Err(format!("found '{}', expected: !, identifier, or 'end of string'", other.text())),
        }
        let requirement = parser.requirement().map_err(|why| format!("unable to parse requirement: {why}"))?;
        requirements.push(requirement);
        match parser.take() {
            Token::End => return Ok(requirements),
            Token::Sign(",") => match parser.next() {
                Token::Word(_) | Token::Sign("!") => {}
                other => return Err(format!("found '{}', expected: identifier after ','", other.text())),
            },
            other => return Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
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

    fn requirement(&mut self) -> Result<Requirement, String> {
        let absent = self.next() == Token::Sign("!");
        self.position += usize::from(absent);
        let key = match self.take() {
            Token::Word(key) => key,
            other => return Err(format!("found '{}', expected: identifier", other.text())),
        };
        if let faults @ [_, ..] = label_key(key).as_slice() {
            return Err(FieldError::invalid("<nil>", key, faults.join("; ")).to_string());
        }
        if absent || matches!(self.next(), Token::End | Token::Sign(",")) {
            let test = if absent { Test::Missing } else { Test::Exists };
            return Ok(Requirement { key: key.to_owned(), test });
        }
        let operator = self.take().text();
        let values = match operator {
            "in" | "notin" => self.set()?,
            "=" | "==" | "!=" | ">" | "<" => vec![self.value()?],
            other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        requirement(key, operator, values)
    }

    /// What stands in parentheses.
    fn set(&mut self) -> Result<Vec<String>, String> {
        match self.take() {
            Token::Sign("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        match self.next() {
            Token::Word(_) | Token::Sign("," | ")") => self.members(),
            other => Err(format!("found '{}', expected: ',', ')' or identifier", other.text())),
        }
    }

    /// Up to the closing parenthesis; between commas there may be nothing.
    fn members(&mut self) -> Result<Vec<String>, String> {
        let mut members = Vec::new();
        loop {
            let member = match self.next() {
                Token::Word(word) => {
                    self.position += 1;
                    word
                }
                Token::Sign("," | ")") => "",
                other => return Err(format!("found '{}', expected: ',', or identifier", other.text())),
            };
            members.push(member.to_owned());
            match self.take() {
                Token::Sign(",") => {}
                Token::Sign(")") => break,
                other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
            }
        }
        members.sort();
        members.dedup();
        Ok(members)
    }

    fn value(&mut self) -> Result<String, String> {
        match self.next() {
            Token::End | Token::Sign(",") => Ok(String::new()),
            Token::Word(word) => {
                self.position += 1;
                Ok(word.to_owned())
            }
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }
}

fn requirement(key: &str, operator: &str, values: Vec<String>) -> Result<Requirement, String> {
    let number = values.first().and_then(|value| value.parse::<i64>().ok());
    let mut faults = Vec::new();
    if matches!(operator, ">" | "<") && number.is_none() {
        let why = "for 'Gt', 'Lt' operators, the value must be an integer";
        faults.push(FieldError::invalid("values[0]", values.concat(), why).to_string());
    }
    for (index, value) in values.iter().enumerate() {
        if let wrong @ [_, ..] = label_value(value).as_slice() {
            let fault = FieldError::invalid(format!("values[{index}][{key}]"), value.as_str(), wrong.join("; "));
            faults.push(fault.to_string());
        }
    }
    let test = match (operator, faults.as_slice(), number) {
        (_, [fault], _) => return Err(fault.clone()),
        (_, [_, _, ..], _) => return Err(format!("[{}]", faults.join(", "))),
        (">", _, Some(limit)) => Test::Above(limit),
        ("<", _, Some(limit)) => Test::Below(limit),
        ("notin" | "!=", ..) => Test::NotIn(values),
        _ => Test::In(values),
    };
    Ok(Requirement { key: key.to_owned(), test })
}
