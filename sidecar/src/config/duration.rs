//! Times in configuration files: `500ms`, `0.5s`, `30s`, `10m`, `1h`.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// Ten years: nobody waits longer, and no sum of a few of them is more than a clock can hold.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// The JSON Schema of a duration.
pub(super) struct Time;

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?(ms|s|m|h)$"})
    }
}

/// Writes a time as people write it; the schema's defaults come from here.
pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*time))
}

fn text(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds, time.subsec_millis()) {
        (0, millis) => format!("{millis}ms"),
        (_, 1..) => format!("{}s", time.as_secs_f64()),
        _ if seconds.is_multiple_of(60) && seconds > 60 => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}

/// Reads a number and a unit. The visitor makes the error carry its key and line.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = Duration;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a time such as 500ms, 7.5s, 30s, 10m or 1h")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
            parse(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
        }
    }
    deserializer.deserialize_str(Text)
}

fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at_checked(digits)?;
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    // Rust reads `.5` and `5.` as numbers; people write digits on both sides.
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with(|c: char| c.is_ascii_digit());
    let number: f64 = number.parse().ok().filter(|_| is_number)?;
    let nanos = (number * seconds * 1e9).round();
    Duration::try_from_secs_f64(nanos / 1e9).ok().filter(|time| *time <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same_time() {
        for (millis, written) in [(500, "500ms"), (7_500, "7.5s"), (60_000, "60s"), (290_000, "290s"), (1_800_000, "30m")] {
            let time = Duration::from_millis(millis);
            assert_eq!((text(time).as_str(), parse(&text(time))), (written, Some(time)));
        }
    }

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        let cases = [
            ("500ms", Some(500)),
            ("30s", Some(30_000)),
            ("10m", Some(600_000)),
            ("1h", Some(3_600_000)),
            ("7.5s", Some(7_500)),
            ("0.5s", Some(500)),
            ("1.5m", Some(90_000)),
        ];
        for (text, millis) in cases.into_iter().chain([
            ("5", None),
            ("s", None),
            ("-1s", None),
            ("1 s", None),
            ("1..5s", None),
            (".5s", None),
            ("99999999999h", None),
            ("5.s", None),
        ]) {
            assert_eq!(parse(text), millis.map(Duration::from_millis), "{text}");
        }
    }
}
