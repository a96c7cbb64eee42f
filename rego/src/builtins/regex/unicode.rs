//! Classes of Unicode, `\pL` and `\p{Greek}` (Go: `parseUnicodeClass`), in the syntax of the `regex` crate.

use super::classes::NOTHING;
use super::names::{CATEGORIES, SCRIPTS};
use super::reader::{CLASS_RANGE, PatternError, Reader};

/// Go 1.26 knows the characters of Unicode 15.0, the crate later ones.
const KNOWN: &str = r"\p{Age=15.0}";
const UNKNOWN: &str = r"\P{Age=15.0}";

/// The class of Unicode, if one is next.
pub(super) fn class(reader: &mut Reader<'_>) -> Result<Option<String>, PatternError> {
    let before = reader.rest;
    let mut negated = if reader.take(r"\P") {
        true
    } else if reader.take(r"\p") {
        false
    } else {
        return Ok(None);
    };
    let mut name = name(reader)?;
    if let Some(rest) = name.strip_prefix('^') {
        (name, negated) = (rest, !negated);
    }
    let class = known(&canonical(name)).ok_or_else(|| PatternError::syntax(CLASS_RANGE, reader.since(before)))?;
    Ok(Some(if negated { format!("[^{class}]") } else { class }))
}

/// One letter, or what is in braces.
fn name<'p>(reader: &mut Reader<'p>) -> Result<&'p str, PatternError> {
    let before = reader.rest;
    if !reader.take("{") {
        reader.next();
        return Ok(reader.since(before));
    }
    let (name, rest) = reader.rest.split_once('}').ok_or_else(|| PatternError::syntax(CLASS_RANGE, before))?;
    reader.rest = rest;
    Ok(name)
}

/// The form that Go looks for: one capital letter, nothing between words.
fn canonical(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).enumerate();
    letters.map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }).collect()
}

/// The class with a name that Go knows.
fn known(name: &str) -> Option<String> {
    match name {
        "Any" => return Some(r"[\x{0}-\x{10FFFF}]".to_owned()),
        "Ascii" => return Some(r"[\x{0}-\x{7F}]".to_owned()),
        "Assigned" => return Some(format!(r"[^\p{{gc=Cn}}{UNKNOWN}]")),
        _ => {}
    }
    let category = CATEGORIES.iter().find(|(code, names)| *code == name || names.contains(&name));
    match category {
        // A text has no surrogates.
        Some(("Cs", _)) => Some(NOTHING.to_owned()),
        // These hold what nothing is assigned to.
        Some((code @ ("C" | "Cn"), _)) => Some(format!(r"[\p{{gc={code}}}{UNKNOWN}]")),
        Some((code, _)) => Some(format!(r"[\p{{gc={code}}}&&{KNOWN}]")),
        None => SCRIPTS.split(' ').any(|script| script == name).then(|| format!(r"[\p{{sc={name}}}&&{KNOWN}]")),
    }
}
