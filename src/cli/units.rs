//! Values of options with a unit: durations and sizes.

use std::time::Duration;

/// Why an option with a unit is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// A text that is no whole number with a unit of time, or a time that is too long.
    #[error("`{0}` is no duration: use a whole number with ms, s, m or h, such as `30s`")]
    Duration(String),
    /// A time of zero for something that repeats.
    #[error("must be longer than zero")]
    Zero,
    /// A text that is no whole number of bytes, Ki, Mi or Gi, or a size beyond 64 bits.
    #[error("`{0}` is no size: use bytes, or a whole number with Ki, Mi or Gi, such as `512Mi`")]
    Size(String),
    /// Memory in which no request could be read.
    #[error("`{0}` is less than 16Mi, in which nothing can be decided: say it with its unit, such as `512Mi`")]
    Little(String),
}

/// The least memory that an engine can do anything in.
const LEAST: u64 = 16 << 20;

/// Reads a duration: `500ms`, `2s`, `1m`, `1h`. Fails when number or unit is missing.
pub fn duration(text: &str) -> Result<Duration, UnitError> {
    let wrong = || UnitError::Duration(text.into());
    let split = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(wrong)
}

/// Reads a [`duration`] that is longer than zero. Fails for zero, too.
pub fn interval(text: &str) -> Result<Duration, UnitError> {
    let duration = duration(text)?;
    if duration.is_zero() { Err(UnitError::Zero) } else { Ok(duration) }
}

/// Reads a number of bytes as Kubernetes writes sizes: `1048576`, `512Mi`, `2Gi`. Fails for anything else.
pub fn bytes(text: &str) -> Result<u64, UnitError> {
    let wrong = || UnitError::Size(text.into());
    let units = [("Ki", 10), ("Mi", 20), ("Gi", 30)];
    let unit = units.into_iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// Reads a number of [`bytes()`] that an engine can do with. Fails for less, too.
pub fn memory(text: &str) -> Result<u64, UnitError> {
    let size = bytes(text)?;
    if size < LEAST { Err(UnitError::Little(text.into())) } else { Ok(size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_never_said_without_a_unit_by_mistake() {
        assert_eq!(memory("16Mi"), Ok(16 << 20));
        for text in ["512", "0", "1Mi", "x"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_a_unit() {
        for (text, millis) in [("500ms", 500), ("2s", 2_000), ("1m", 60_000), ("1h", 3_600_000), ("0s", 0)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "5", "s", "-1s", "1.5s", "1 s", "1d", "18446744073709551615h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(interval("0s").is_err() && interval("1ms").is_ok());
    }

    #[test]
    fn sizes_are_those_of_kubernetes() {
        for (text, size) in [("1", 1), ("1Ki", 1 << 10), ("512Mi", 512 << 20), ("2Gi", 2 << 30)] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "Mi", "1MB", "-1", "99999999999Gi"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
