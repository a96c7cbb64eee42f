//! Query parameters as Kubernetes reads them: unknown ones are ignored, of several the first counts, and booleans follow
//! `apimachinery` `pkg/runtime/conversion.go`.

use std::time::Duration;

use actix_web::web;

use crate::status::{FieldError, Status};

/// Of one request.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the part after `?`.
    pub fn read(text: &str) -> Result<Self, Status> {
        let pairs = web::Query::<Vec<(String, String)>>::from_query(text);
        let pairs = pairs.map_err(|error| Status::bad_request(format!("the query of the request cannot be read: {error}")))?;
        Ok(Self(pairs.into_inner()))
    }

    /// The first value, if there is one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Every value.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value; empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// Absent, `0` and `false` are false, everything else is true, the empty text too.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// A number; absent and empty are `None`.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Status> {
        let Some(text) = self.get(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        let number = text.parse::<i64>();
        number.map(Some).map_err(|_| Status::bad_request(format!("{name}: Invalid value: {text:?}: must be a whole number")))
    }

    /// Whether nothing may be stored. Only `All` is known.
    pub fn dry_run(&self) -> Result<bool, Status> {
        let mut values = self.all("dryRun");
        let refused = |value: &str| {
            let error = FieldError::not_supported("dryRun", serde_json::json!([value]), &["All"]);
            Status::invalid_kind("meta.k8s.io", "Options", "", &[error])
        };
        values.try_fold(false, |_, value| match value {
            "All" => Ok(true),
            other => Err(refused(other)),
        })
    }

    /// `timeout`, a Go duration such as `30s` or `1m30s`; a bare number is refused as upstream does.
    pub fn timeout(&self) -> Result<Option<Duration>, Status> {
        let Some(text) = self.get("timeout").filter(|text| !text.is_empty()) else { return Ok(None) };
        let refused = || Status::bad_request(format!("invalid timeout specified in the request URL - {text:?}"));
        duration(text).map(Some).ok_or_else(refused)
    }
}

/// Go's spelling of a duration: numbers with units, largest first or not; never negative.
fn duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(end)?;
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit_end)?;
        let scale = match unit {
            "ns" => 1e-9,
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * scale;
        rest = tail;
    }
    if text.is_empty() { None } else { Duration::try_from_secs_f64(sum).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_follow_the_rule() {
        let table = [
            ("", false),
            ("watch=0", false),
            ("watch=False", false),
            ("watch=", true),
            ("watch=True", true),
            ("watch=1", true),
            ("watch=x", true),
        ];
        for (text, expected) in table {
            assert_eq!(Query::read(text).unwrap().flag("watch"), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_those_of_go() {
        let table = [
            ("30s", Some(30_000)),
            ("1m30s", Some(90_000)),
            ("1.5s", Some(1_500)),
            ("100ms", Some(100)),
            ("0", Some(0)),
            ("30", None),
            ("-1s", None),
            ("1x", None),
            ("s", None),
        ];
        for (text, expected) in table {
            assert_eq!(duration(text).map(|duration| duration.as_millis()), expected, "{text}");
        }
    }

    #[test]
    fn only_one_value_of_dry_run_is_known() {
        assert!(!Query::read("").unwrap().dry_run().unwrap());
        assert!(Query::read("dryRun=All").unwrap().dry_run().unwrap());
        let refused = Query::read("dryRun=Some").unwrap().dry_run().unwrap_err();
        assert_eq!(refused.code, 422);
        assert!(refused.message.contains("dryRun: Unsupported value"), "{}", refused.message);
    }
}
