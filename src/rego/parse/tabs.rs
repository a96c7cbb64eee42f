//! A tab in a quoted string, which the interpreter's lexer refuses, is written as `\t`. Source: OPA `v1/ast/internal/scanner`, `scanString`.

use super::tokens::{Kind, Tokens};
use crate::rego::splice::Splices;

/// What writes such tabs out, outside the templates of a text.
pub(super) fn write_out(text: &str, templates: &Splices) -> Splices {
    let mut splices = Splices::default();
    let quoted = Tokens::new(text).filter(|token| token.kind == Kind::String && token.text.starts_with('"'));
    for token in quoted.filter(|token| !templates.cover(token.start)) {
        for (at, _) in token.text.match_indices('\t') {
            let at = token.start.saturating_add(at);
            splices.insert(at, at.saturating_add(1), "\\t".into());
        }
    }
    splices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_written_out_in_quoted_strings_only() {
        let text = "\tx := \"a\tb\" + `c\td` # \"e\tf\"";
        assert_eq!(write_out(text, &Splices::default()).apply(text).text, "\tx := \"a\\tb\" + `c\td` # \"e\tf\"");
    }
}
