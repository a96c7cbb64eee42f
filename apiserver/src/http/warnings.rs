//! `Warning` headers: each text once, and not more than clients can take. Source: `apiserver`
//! `pkg/endpoints/filters/warning.go`, KEP-1693, RFC 7234 for the spelling.

use std::collections::HashSet;

use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderValue};

/// Characters of all texts, before they are cut.
const TOTAL: usize = 4096;
/// Characters of one text that is cut.
const ONE: usize = 256;

/// Adds a header for each text; what no header may hold is left out.
pub fn add(response: &mut HttpResponse, warnings: &[String]) {
    for text in within_limits(warnings) {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
}

/// Whole texts as long as all of them fit. If they do not, each is cut, and what comes when the limit is reached is left out.
fn within_limits(warnings: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let texts: Vec<&String> = warnings.iter().filter(|text| !text.is_empty() && seen.insert(*text)).collect();
    let length = |text: &str| text.chars().count();
    let mut total = 0;
    let whole = texts.iter().position(|text| {
        total += length(text);
        total > TOTAL
    });
    let Some(first_too_many) = whole else { return texts.into_iter().cloned().collect() };
    let (mut written, mut shown) = (0, Vec::new());
    for (index, text) in texts.into_iter().enumerate() {
        if index > first_too_many && written >= TOTAL {
            break;
        }
        let cut: String = text.chars().take(ONE).collect();
        written += length(&cut);
        shown.push(cut);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_once_and_cut_when_there_is_too_much() {
        let of = |length: usize, letter: &str| letter.repeat(length);
        let many: Vec<String> = (0..40).map(|number| format!("{number:03}{}", of(997, "x"))).collect();
        let table: [(Vec<String>, Vec<usize>); 6] = [
            (vec![], vec![]),
            (vec!["a".into(), "a".into(), String::new(), "b".into()], vec![1, 1]),
            (vec![of(4096, "é")], vec![4096]),
            (vec![of(4097, "é"), "b".into()], vec![256, 1]),
            (vec![of(4000, "a"), of(97, "b")], vec![256, 97]),
            (many, vec![256; 16]),
        ];
        for (texts, expected) in table {
            let lengths: Vec<usize> = within_limits(&texts).iter().map(|text| text.chars().count()).collect();
            assert_eq!(lengths, expected, "{} texts", texts.len());
        }
    }
}
