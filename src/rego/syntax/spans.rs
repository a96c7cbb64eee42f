//! Where expressions begin and end in the text; the parser's spans leave quotes, parentheses and more out.

use std::ops::Range;

use regorus::unstable::Expr;

/// The offset in `text` behind a reference.
pub(in crate::rego) fn end(expr: &Expr, text: &str) -> u32 {
    match expr {
        Expr::RefDot { field, .. } => field.0.end,
        // In heads of rules the parser's span ends elsewhere.
        Expr::RefBrack { index, .. } => {
            let inner = range(index, text).end;
            let behind = behind(text, inner, "]").map_or(inner, |at| at.saturating_add(1));
            u32::try_from(behind).unwrap_or(u32::MAX)
        }
        // The parser's span goes on to the end of what follows.
        Expr::Set { span, items, .. } if items.is_empty() => {
            let from = usize::try_from(span.start).ok().and_then(|at| text.get(at..)).unwrap_or_default();
            let length = from.find(')').and_then(|at| u32::try_from(at).ok()).map_or(0, |at| at.saturating_add(1));
            span.start.saturating_add(length)
        }
        other => other.span().end,
    }
}

/// The most bytes of comments between a brace and what it opens that are looked at: each brace among them costs what is behind it.
const COMMENTED: usize = 8192;

/// The offset in `text` where an expression begins.
pub(in crate::rego) fn start(expr: &Expr, text: &str) -> u32 {
    let span = expr.span();
    // The parser's span of an object begins with its last member.
    let Expr::Object { fields, .. } = expr else { return span.start };
    let Some(end) = fields.first().and_then(|(first, ..)| usize::try_from(first.start).ok()) else { return span.start };
    let from = text.floor_char_boundary(end.saturating_sub(COMMENTED));
    let Some(before) = text.get(from..end) else { return span.start };
    // It leaves the quotes of strings out.
    let before = before.strip_suffix(['"', '`']).unwrap_or(before);
    let only_comments = |between: &str| between.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#'));
    let braces = before.rmatch_indices('{').map(|(at, _)| at);
    // A comment may have braces too, so the first one counts.
    let brace = braces.take_while(|at| before.get(at.saturating_add(1)..).is_some_and(only_comments)).last();
    brace.and_then(|at| u32::try_from(from.saturating_add(at)).ok()).unwrap_or(span.start)
}

/// The range of an expression in `text`, with the quotes of strings, which the parser leaves out of its spans.
pub(in crate::rego) fn range(expr: &Expr, text: &str) -> Range<usize> {
    opened(start(expr, text), text)..closed(end(expr, text), text)
}

/// Where something begins whose span begins there: before the quote, if it begins with a string.
pub(in crate::rego) fn opened(start: u32, text: &str) -> usize {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let opened = text.get(..start).is_some_and(|before| before.ends_with(['"', '`']));
    start.saturating_sub(usize::from(opened))
}

/// Where something ends whose span ends there: behind the quote, if it ends with a string.
pub(in crate::rego) fn closed(end: u32, text: &str) -> usize {
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let closed = text.get(end..).is_some_and(|after| after.starts_with(['"', '`']));
    end.saturating_add(usize::from(closed))
}

/// Where a token stands behind an operand that ends at `from`, and its closing brackets.
pub(in crate::rego) fn behind(text: &str, from: usize, token: &str) -> Option<usize> {
    let mut rest = text.get(from..)?.trim_start();
    while !rest.starts_with(token) {
        rest = match rest.strip_prefix('#') {
            Some(comment) => comment.split_once('\n')?.1,
            None => rest.strip_prefix([')', ']', '}'])?,
        };
        rest = rest.trim_start();
    }
    Some(text.len().saturating_sub(rest.len()))
}

/// Rego on one line, without its comments; line breaks in strings stay.
pub(in crate::rego) fn flat(text: &str) -> String {
    let (mut written, mut quote, mut escaped) = (String::with_capacity(text.len()), None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some('#'), '\n') => quote = None,
            (Some('#'), _) => continue,
            (Some('"'), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(end), c) if end == c => quote = None,
            (None, '"' | '`') => quote = Some(c),
            (None, '#') => {
                quote = Some('#');
                continue;
            }
            _ => {}
        }
        written.push(if quote.is_none() && matches!(c, '\n' | '\r') { ' ' } else { c });
    }
    written
}
