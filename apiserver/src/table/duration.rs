//! Ages for people, two or three figures long. Source: apimachinery's `duration.HumanDuration`.

use serde_json::Value as Json;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// `duration` as kubectl shows it. Two seconds into the future are forgiven: clocks differ.
pub(super) fn human(duration: Duration) -> String {
    match duration.whole_seconds() {
        seconds if seconds < -1 => "<invalid>".into(),
        seconds if seconds < 0 => "0s".into(),
        seconds if seconds < 2 * MINUTE => format!("{seconds}s"),
        seconds if seconds < 10 * MINUTE => pair(seconds, (MINUTE, "m"), (1, "s")),
        seconds if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        seconds if seconds < 8 * HOUR => pair(seconds, (HOUR, "h"), (MINUTE, "m")),
        seconds if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        seconds if seconds < 8 * DAY => pair(seconds, (DAY, "d"), (HOUR, "h")),
        seconds if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        seconds if seconds < 8 * YEAR => pair(seconds, (YEAR, "y"), (DAY, "d")),
        seconds => format!("{}y", seconds / YEAR),
    }
}

/// The larger unit, and the smaller one unless there is none of it.
fn pair(seconds: i64, large: (i64, &str), small: (i64, &str)) -> String {
    let rest = seconds % large.0 / small.0;
    let whole = format!("{}{}", seconds / large.0, large.1);
    if rest == 0 { whole } else { format!("{whole}{rest}{}", small.1) }
}

/// How long before `now` the timestamp is; `<unknown>` for one that is absent or unreadable, as for Go's zero time.
pub(super) fn since(timestamp: Option<&Json>, now: OffsetDateTime) -> String {
    timestamp.and_then(Json::as_str).and_then(parse).map_or_else(|| "<unknown>".into(), |then| human(now - then))
}

/// A timestamp of an object.
pub(super) fn parse(timestamp: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(timestamp, &Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_durations_as_kubernetes_does() {
        let cases = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (121, "2m1s"),
            (9 * MINUTE + 59, "9m59s"),
            (10 * MINUTE + 59, "10m"),
            (179 * MINUTE + 59, "179m"),
            (180 * MINUTE, "3h"),
            (7 * HOUR + 59 * MINUTE + 59, "7h59m"),
            (8 * HOUR + 59 * MINUTE, "8h"),
            (47 * HOUR + 59 * MINUTE, "47h"),
            (48 * HOUR, "2d"),
            (49 * HOUR, "2d1h"),
            (7 * DAY + 23 * HOUR, "7d23h"),
            (8 * DAY, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + DAY, "2y1d"),
            (8 * YEAR - 1, "7y364d"),
            (8 * YEAR + 3 * DAY, "8y"),
        ];
        for (seconds, shown) in cases {
            assert_eq!(human(Duration::seconds(seconds)), shown, "{seconds} s");
        }
    }

    #[test]
    fn an_unreadable_timestamp_is_unknown() {
        let now = parse("2026-01-02T00:00:00Z").unwrap();
        for (timestamp, shown) in [
            (Json::from("2026-01-01T23:59:00Z"), "60s"),
            (Json::from("2026-01-01T23:59:00.250000Z"), "59s"),
            (Json::Null, "<unknown>"),
            (Json::from("yesterday"), "<unknown>"),
        ] {
            assert_eq!(since(Some(&timestamp), now), shown, "{timestamp}");
        }
        assert_eq!(since(None, now), "<unknown>");
    }
}
