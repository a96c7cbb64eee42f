//! Strings in quotes.

pub use crate::value::print::quoted;

/// A string as it is written between quotes.
pub(super) fn escape(out: &mut String, text: &str) {
    let text = quoted(text);
    out.push_str(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text));
}
