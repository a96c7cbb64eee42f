//! What Go's YAML takes for a date (`resolve.go`, `parseTimestamp`).

/// `2006-1-2`, alone, or with a time behind a blank, or behind `T` and with a zone.
pub(super) fn is_time(text: &str) -> bool {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let Some((date, time)) = text.split_at_checked(end) else { return false };
    let numbers: Vec<&str> = date.split('-').collect();
    let [year, month, day] = numbers.as_slice() else { return false };
    let lengths = year.len() == 4 && (1..=2).contains(&month.len()) && (1..=2).contains(&day.len());
    let number = |text: &str| text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse::<u8>().ok()).flatten();
    let date = || {
        let year = year.bytes().all(|c| c.is_ascii_digit()).then(|| year.parse::<i32>().ok())??;
        chrono::NaiveDate::from_ymd_opt(year, number(month)?.into(), number(day)?.into())
    };
    lengths
        && date().is_some()
        && match time.as_bytes().first() {
            None => true,
            Some(b' ') => is_clock(time.get(1..).unwrap_or_default()),
            _ => has_zone(time.get(1..).unwrap_or_default()),
        }
}

fn has_zone(time: &str) -> bool {
    if let Some(clock) = time.strip_suffix('Z') {
        return is_clock(clock);
    }
    let Some((clock, zone)) = time.rfind(['+', '-']).and_then(|at| time.split_at_checked(at)) else { return false };
    let is_zone = match zone.as_bytes() {
        [_, a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    };
    is_zone && is_clock(clock)
}

fn is_clock(text: &str) -> bool {
    let (text, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = text.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else { return false };
    let within = |text: &str, most: u8| {
        (1..=2).contains(&text.len())
            && text.bytes().all(|c| c.is_ascii_digit())
            && text.parse::<u8>().is_ok_and(|number| number <= most)
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|c| c.is_ascii_digit());
    is_fraction && within(hour, 23) && within(minute, 59) && within(second, 59)
}
