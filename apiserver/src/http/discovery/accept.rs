//! `Accept` headers, as far as discovery and OpenAPI look at them.

use std::cmp::Reverse;

/// One media range.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause<'a> {
    kind: &'a str,
    subtype: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    /// `q`, in thousandths.
    quality: u16,
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
        let quality = parameters.iter().find(|(name, _)| *name == "q").map_or(Some(1.0), |(_, q)| q.parse().ok());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 … 1000 before")]
        let quality = (quality.unwrap_or(1.0_f32).clamp(0.0, 1.0) * 1000.0) as u16;
        Some(Clause { kind, subtype, parameters, quality })
    }

    /// The value of a parameter, such as `as`.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Whether the range covers a media type.
    pub fn takes(&self, kind: &str, subtype: &str) -> bool {
        let covers = |range: &str, value: &str| range == "*" || range.eq_ignore_ascii_case(value);
        self.quality > 0 && covers(self.kind, kind) && covers(self.subtype, subtype)
    }
}

/// The ranges of a header, the preferred first. What is not a range is left out.
pub fn clauses(header: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause> = header.split(',').filter_map(Clause::parse).collect();
    clauses.sort_by_key(|clause| Reverse(clause.quality));
    clauses
}

/// Whether an `Accept-Encoding` header takes gzip.
pub fn takes_gzip(header: &str) -> bool {
    header.split(',').any(|coding| {
        let (name, quality) = coding.split_once(";").unwrap_or((coding, ""));
        let refused = quality.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefers_by_quality_then_by_order() {
        let header = "text/html;q=0.5, application/json;as=Table;v=v1, nonsense, */*;q=0.1,application/yaml;q=x";
        let found: Vec<_> = clauses(header).into_iter().map(|clause| (clause.kind, clause.subtype, clause.quality)).collect();
        let expected = [("application", "json", 1000), ("application", "yaml", 1000), ("text", "html", 500), ("*", "*", 100)];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_range_covers_types_unless_its_quality_is_nothing() {
        for (header, covered) in [
            ("*/*", true),
            ("application/*", true),
            ("application/JSON", true),
            ("application/json;q=0", false),
            ("text/*", false),
        ] {
            assert_eq!(clauses(header).iter().any(|clause| clause.takes("application", "json")), covered, "{header}");
        }
    }

    #[test]
    fn gzip_is_taken_if_it_is_named() {
        for (header, taken) in [("gzip", true), ("deflate, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false), ("", false)] {
            assert_eq!(takes_gzip(header), taken, "{header}");
        }
    }
}
