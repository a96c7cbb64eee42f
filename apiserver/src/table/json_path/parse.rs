//! Reading a JSONPath. Source of the grammar: client-go's `jsonpath/parser.go`.

use serde_json::Value as Json;

use super::{Filter, JsonPath, Operand, Operator, Slice, Step};

/// Bytes and steps of a path that are read; upstream has no limit but the size of a definition.
const MAX_LENGTH: usize = 4096;
const MAX_STEPS: usize = 64;

/// A whole path; `None` if it is not one.
pub(super) fn path(text: &str) -> Option<JsonPath> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let mut rest = text.trim();
    let mut steps: Vec<Step> = Vec::new();
    while !rest.is_empty() {
        rest = step(rest, &mut steps)?;
        if steps.len() > MAX_STEPS {
            return None;
        }
    }
    Some(JsonPath(steps))
}

/// Reads one step off the front and returns the rest.
fn step<'a>(text: &'a str, steps: &mut Vec<Step>) -> Option<&'a str> {
    if let Some(rest) = text.strip_prefix("[?(") {
        return filter(rest, steps);
    }
    if let Some(rest) = text.strip_prefix("..") {
        if steps.last() == Some(&Step::Descend) {
            return None;
        }
        steps.push(Step::Descend);
        return if rest.starts_with(['[', '.', '*']) || rest.is_empty() { Some(rest) } else { field(rest, steps) };
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, rest) = rest.split_once(']')?;
        steps.push(subscript(inside)?);
        return Some(rest);
    }
    match text.strip_prefix(['@', '$', ' ']) {
        Some(rest) => Some(rest),
        None => field(text.strip_prefix('.')?, steps),
    }
}

/// A field's name ends at `.`, `[`, a blank or a bracket; a backslash keeps the character behind it.
fn field<'a>(text: &'a str, steps: &mut Vec<Step>) -> Option<&'a str> {
    let mut name = String::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.push(characters.next()?.1),
            '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' | ' ' => {
                end = at;
                break;
            }
            other => name.push(other),
        }
    }
    match name.as_str() {
        // A lone dot is the object itself.
        "" => {}
        "*" => steps.push(Step::Wildcard),
        _ => steps.push(Step::Field(name)),
    }
    text.get(end..)
}

fn subscript(inside: &str) -> Option<Step> {
    if inside.contains(',') {
        let members = inside.split(',').map(|member| subscript(member.trim()).map(|step| JsonPath(vec![step])));
        return Some(Step::Union(members.collect::<Option<_>>()?));
    }
    if let Some(name) = inside.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')) {
        return Some(Step::Field(name.replace('\\', "")));
    }
    slice(inside).map(Step::Slice)
}

fn slice(inside: &str) -> Option<Slice> {
    if inside == "*" {
        return Some(Slice::default());
    }
    let parts: Vec<Option<i64>> = inside.split(':').map(number).collect::<Option<_>>()?;
    match parts.as_slice() {
        [Some(index)] => Some(Slice { from: Some(*index), one: true, ..Slice::default() }),
        [from, to] => Some(Slice { from: *from, to: *to, ..Slice::default() }),
        [from, to, step] => Some(Slice { from: *from, to: *to, step: *step, one: false }),
        _ => None,
    }
}

/// Absent, or an integer.
fn number(text: &str) -> Option<Option<i64>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

fn filter<'a>(text: &'a str, steps: &mut Vec<Step>) -> Option<&'a str> {
    let end = closing(text)?;
    let (inside, rest) = (text.get(..end)?, text.get(end..)?.strip_prefix(")]")?);
    steps.push(Step::Filter(comparison(inside)?));
    Some(rest)
}

/// Where the parenthesis closes that is already open; not inside of quotes.
fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (None, '"' | '\'') => quote = Some(character),
            (None, ')') => return Some(at),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    None
}

fn comparison(inside: &str) -> Option<Filter> {
    let is_operator = |character: char| matches!(character, '!' | '<' | '>' | '=');
    let Some(start) = inside.find(is_operator) else {
        return Some(Filter { left: path(inside)?, test: None });
    };
    let (left, rest) = inside.split_at(start);
    let right = rest.trim_start_matches(is_operator);
    let operator = match rest.strip_suffix(right)? {
        "==" => Operator::Equal,
        "!=" => Operator::Unequal,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        _ => return None,
    };
    Some(Filter { left: path(left)?, test: Some((operator, operand(right.trim())?)) })
}

fn operand(text: &str) -> Option<Operand> {
    let literal = |value: Json| Some(Operand::Literal(value));
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    if let Some(inside) = quoted('"').or_else(|| quoted('\'')) {
        return literal(unescape(inside).into());
    }
    match text {
        "true" => literal(true.into()),
        "false" => literal(false.into()),
        _ if text.starts_with(['@', '.', '$']) => path(text).map(Operand::Path),
        _ => literal(Json::Number(serde_json::from_str(text.strip_prefix('+').unwrap_or(text)).ok()?)),
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.extend(characters.next()),
            other => plain.push(other),
        }
    }
    plain
}
