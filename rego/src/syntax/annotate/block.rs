//! Which comments are a block, and what it says.

use super::fields::fields;
use super::yaml;
use crate::error::{Code, Error};
use crate::syntax::report::with_details;
use crate::syntax::source::Source;
use crate::syntax::span::Span;
use crate::syntax::tree::Comment;
use crate::value::Value;

/// A block that was read.
#[derive(Debug)]
pub(in crate::syntax) struct Block {
    /// From the first comment to the last one.
    pub(in crate::syntax) span: Span,
    /// As it is written, if it is.
    pub(super) scope: Option<String>,
    pub(super) entrypoint: bool,
    /// All but the scope.
    pub(super) fields: Vec<(Value, Value)>,
}

/// All blocks of a text's comments, and what is wrong with them.
pub(in crate::syntax) fn blocks(source: &Source, comments: &[Comment]) -> (Vec<Block>, Vec<Error>) {
    let (mut blocks, mut errors) = (Vec::new(), Vec::new());
    let mut rest = comments;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if !begins(source, first) {
            continue;
        }
        let rows = std::iter::once(first).chain(behind).zip(behind);
        let length = rows.take_while(|(before, comment)| follows(source, before, comment)).count();
        let (lines, behind) = behind.split_at(length.min(behind.len()));
        rest = behind;
        match block(source, first, lines) {
            Ok(block) => blocks.push(block),
            Err((span, message)) => {
                errors.push(with_details(&source.text, Error::new(Code::Parse, span, message)));
            }
        }
    }
    (blocks, errors)
}

/// `# METADATA` at the beginning of a line.
fn begins(source: &Source, comment: &Comment) -> bool {
    comment.text.trim().starts_with("METADATA") && source.begins_line(comment.span.start)
}

fn follows(source: &Source, before: &Comment, comment: &Comment) -> bool {
    let starts = comment.span.start;
    source.begins_line(starts)
        && source.row(starts) == source.row(before.span.start).saturating_add(1)
        && !begins(source, comment)
}

fn block(source: &Source, first: &Comment, lines: &[Comment]) -> Result<Block, (Span, String)> {
    let text: String = lines.iter().map(|line| format!("{}\n", line.text.strip_prefix(' ').unwrap_or(&line.text))).collect();
    if text.trim().is_empty() {
        return Err((first.span, "expected METADATA block, found whitespace".to_owned()));
    }
    let raw = yaml::raw(&text).map_err(|error| {
        let index = error.line.unwrap_or(0).min(lines.len().saturating_sub(1));
        let place =
            if error.line.is_some() || error.whole { lines.get(index).map_or(first.span, |line| line.span) } else { first.span };
        (place, with_hints(source, error.message, lines))
    })?;
    let (scope, entrypoint) = (raw.scope.clone(), raw.is_entrypoint());
    let fields = fields(raw).map_err(|error| (first.span, error.to_string()))?;
    let span = Span { end: lines.last().map_or(first.span.end, |line| line.span.end), ..first.span };
    Ok(Block { span, scope: scope.filter(|scope| !scope.is_empty()), entrypoint, fields })
}

/// A guess at why the text is no YAML (`augmentYamlError`).
fn with_hints(source: &Source, mut message: String, lines: &[Comment]) -> String {
    for line in lines {
        let parts: Vec<_> = line.text.split(':').skip(1).collect();
        let mut odd = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            match part.chars().next() {
                None if index.saturating_add(1) == parts.len() => break,
                Some(' ' | '\t') => break,
                first => odd.push(first.map_or_else(|| "'\\ufffd'".to_owned(), quoted)),
            }
        }
        if !odd.is_empty() {
            let row = source.row(line.span.start);
            message.push_str(&format!(
                "\n  Hint: on line {row}, symbol(s) [{}] immediately following a key/value separator ':' is not a legal yaml space character",
                odd.join(" ")
            ));
        }
    }
    message
}

/// A character as Go's `%+q` writes it.
fn quoted(c: char) -> String {
    match c {
        '\'' => "'\\''".to_owned(),
        '\\' => "'\\\\'".to_owned(),
        ' '..='~' => format!("'{c}'"),
        c if u32::from(c) < 0x80 => format!("'\\x{:02x}'", u32::from(c)),
        c if u32::from(c) < 0x1_0000 => format!("'\\u{:04x}'", u32::from(c)),
        c => format!("'\\U{:08x}'", u32::from(c)),
    }
}
