//! Paths of a JSON patch, and the object or array that a path's last part lies in.

use serde_json::{Map, Value as Json};

/// Where an operation works: the container, and the key in it.
pub(super) enum Place<'a> {
    Object(&'a mut Map<String, Json>, String),
    Array(&'a mut Vec<Json>, String),
}

/// How many levels down the value at `path` lies.
pub(super) fn level(path: &str) -> usize {
    path.matches('/').count()
}

/// The container of `path`; `None` where there is none. Like upstream, what stands before the first `/` is not looked at.
pub(super) fn find<'a>(document: &'a mut Json, path: &str) -> Option<Place<'a>> {
    let (parents, key) = path.rsplit_once('/')?;
    let mut container = document;
    for part in parents.split('/').skip(1) {
        container = match container {
            Json::Object(fields) => fields.get_mut(&decoded(part))?,
            Json::Array(items) => {
                let index = existing(part, items.len()).ok()?;
                items.get_mut(index)?
            }
            _ => return None,
        };
    }
    match container {
        Json::Object(fields) => Some(Place::Object(fields, decoded(key))),
        Json::Array(items) => Some(Place::Array(items, decoded(key))),
        _ => None,
    }
}

/// The position of a member that must be there; negative ones count from the end.
pub(super) fn existing(key: &str, length: usize) -> Result<usize, String> {
    let index = integer(key)?;
    let position = if index < 0 { index.checked_add_unsigned(length as u64) } else { Some(index) };
    match position.and_then(|position| usize::try_from(position).ok()) {
        Some(position) if position < length => Ok(position),
        _ => Err(invalid(index)),
    }
}

/// The position that a new member gets: up to one past the end, `-` and `-1` are there.
pub(super) fn insertion(key: &str, length: usize) -> Result<usize, String> {
    if key == "-" {
        return Ok(length);
    }
    let wrong = |error| format!("value was not a proper array index: '{key}': {error}");
    let index = integer(key).map_err(wrong)?;
    existing(key, length + 1).map_err(|_| invalid(index))
}

/// As Go's `strconv.Atoi`, with its texts.
fn integer(key: &str) -> Result<i64, String> {
    let why = |error: std::num::ParseIntError| match error.kind() {
        std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    key.parse().map_err(|error| format!("strconv.Atoi: parsing {key:?}: {}", why(error)))
}

fn invalid(index: i64) -> String {
    format!("Unable to access invalid index: {index}: invalid index referenced")
}

/// RFC 6901: `~1` is a slash, `~0` a tilde.
fn decoded(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}
