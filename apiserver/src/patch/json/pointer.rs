//! Paths of a JSON patch, and the object or array that a path's last part lies in.

use std::num::{IntErrorKind, ParseIntError};

use serde_json::{Map, Value as Json};
use thiserror::Error;

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

/// Why a key is no position of an array, in upstream's words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum IndexError {
    /// No number, as Go's `strconv.Atoi` says it.
    #[error("strconv.Atoi: parsing {key:?}: {}", go_words(.source))]
    Number {
        /// The key.
        key: String,
        /// Why it is none.
        source: ParseIntError,
    },
    /// No number, where a member is to be put.
    #[error("value was not a proper array index: '{key}': {source}")]
    Insertion {
        /// The key.
        key: String,
        /// Why it is none.
        source: Box<IndexError>,
    },
    /// Nothing is there.
    #[error("Unable to access invalid index: {0}: invalid index referenced")]
    Invalid(i64),
}

fn go_words(error: &ParseIntError) -> &'static str {
    match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    }
}

/// The position of a member that must be there; negative ones count from the end.
pub(super) fn existing(key: &str, length: usize) -> Result<usize, IndexError> {
    let index = integer(key)?;
    let position = if index < 0 { index.checked_add_unsigned(length as u64) } else { Some(index) };
    match position.and_then(|position| usize::try_from(position).ok()) {
        Some(position) if position < length => Ok(position),
        _ => Err(IndexError::Invalid(index)),
    }
}

/// The position that a new member gets: up to one past the end, `-` and `-1` are there.
pub(super) fn insertion(key: &str, length: usize) -> Result<usize, IndexError> {
    if key == "-" {
        return Ok(length);
    }
    let wrong = |source: IndexError| IndexError::Insertion { key: key.into(), source: source.into() };
    let index = integer(key).map_err(wrong)?;
    existing(key, length + 1).map_err(|_| IndexError::Invalid(index))
}

fn integer(key: &str) -> Result<i64, IndexError> {
    key.parse().map_err(|source| IndexError::Number { key: key.into(), source })
}

/// RFC 6901: `~1` is a slash, `~0` a tilde.
fn decoded(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}
