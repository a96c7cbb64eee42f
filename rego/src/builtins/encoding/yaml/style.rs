//! How a text is written (`yaml_emitter_analyze_scalar` and `yaml_emitter_select_scalar_style` of `emitterc.go`).

use super::resolve::{self, Scalar};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// What rules out a style.
#[derive(Default)]
struct Looks {
    plain: bool,
    single: bool,
    block: bool,
}

/// The style of a text, which may be the simple key of a mapping.
pub(super) fn style(text: &str, key: bool) -> Style {
    let no = looks(text);
    if text.contains('\n') {
        return if no.block || key { Style::Double } else { Style::Literal };
    }
    if !matches!(resolve::resolve(text), Scalar::Text) || resolve::is_old(text) {
        return Style::Double;
    }
    match (no.plain, no.single) {
        (false, _) => Style::Plain,
        (true, false) => Style::Single,
        (true, true) => Style::Double,
    }
}

fn looks(text: &str) -> Looks {
    let has_special = text.chars().any(|c| c != '\t' && !is_printable(c));
    let has_indicator = text.starts_with("---") || text.starts_with("...") || begins_as_else(text) || goes_on_as_else(text);
    let outer = |c: char| c == ' ' || c == '\n';
    let space_break = text.contains(" \n");
    let broken = text.contains("\n ") || space_break || text.contains('\t') || has_special;
    Looks {
        plain: has_indicator || broken || text.starts_with(outer) || text.ends_with(outer) || text.contains('\n'),
        single: broken,
        block: text.ends_with(' ') || space_break || has_special,
    }
}

fn is_blank(c: Option<char>) -> bool {
    matches!(c, None | Some(' ' | '\t'))
}

fn begins_as_else(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some('?' | ':' | '-') => is_blank(chars.next()),
        Some(c) => "#,[]{}&*!|>'\"%@`".contains(c),
        None => false,
    }
}

/// A colon before a blank, a `#` behind one.
fn goes_on_as_else(text: &str) -> bool {
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let first = before.is_none();
        match c {
            ':' if !first && is_blank(chars.peek().copied()) => return true,
            '#' if !first && matches!(before, Some(' ' | '\t' | '\n' | '\r')) => return true,
            _ => before = Some(c),
        }
    }
    false
}

/// Nothing beyond the basic plane is, for Go's emitter.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}
