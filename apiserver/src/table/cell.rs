//! One column's values. Source of the conversions: apiextensions-apiserver's `tableconvertor.go`.

use serde_json::Value as Json;
use time::OffsetDateTime;

use super::computed::{self, Compute};
use super::duration;
use super::json_path::JsonPath;
use crate::resources::Resource;
use crate::resources::resource::{Cell, Column};

/// A column, ready to be read from objects.
pub(super) enum Source {
    /// Found in the object.
    Path { path: JsonPath, kind: Kind, absent: Json },
    /// Worked out from the object.
    Computed(Compute),
    /// A path that cannot be read, or a computation that does not exist: its cells are empty, as upstream's are.
    Nothing,
}

/// Types of columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    Date,
    Other,
}

impl Source {
    /// The source of `column` of `resource`. Custom resources have empty cells where built-in ones have zero values.
    pub(super) fn new(column: &Column, resource: &Resource) -> Self {
        Self::read(column, resource.custom)
    }

    /// The source of a column of a built-in kind.
    pub(super) fn built_in(column: &Column) -> Self {
        Self::read(column, false)
    }

    fn read(column: &Column, custom: bool) -> Self {
        // Roles and definitions show when they were made, not how old they are.
        let kind = match Kind::of(&column.kind) {
            Kind::Date if !custom => Kind::Text,
            kind => kind,
        };
        match &column.cell {
            Cell::Path(path) => JsonPath::parse(path).map_or(Source::Nothing, |path| {
                let absent = if custom { Json::Null } else { kind.zero() };
                Source::Path { path, kind, absent }
            }),
            Cell::Count(path) => {
                JsonPath::parse(path).map_or(Source::Nothing, |path| Source::Path { path, kind: Kind::Integer, absent: 0.into() })
            }
            Cell::Computed(name) => computed::find(name).map_or(Source::Nothing, Source::Computed),
        }
    }

    /// The cell of `object`.
    pub(super) fn value(&self, object: &Json, now: OffsetDateTime) -> Json {
        match self {
            Source::Nothing => Json::Null,
            Source::Computed(compute) => compute(object, now),
            Source::Path { path, kind, absent } => {
                path.first(object).map_or_else(|| absent.clone(), |value| kind.convert(value, now))
            }
        }
    }
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "string" => Kind::Text,
            "integer" => Kind::Integer,
            "number" => Kind::Number,
            "boolean" => Kind::Boolean,
            "date" => Kind::Date,
            _ => Kind::Other,
        }
    }

    fn zero(self) -> Json {
        match self {
            Kind::Text => "".into(),
            Kind::Integer | Kind::Number => 0.into(),
            Kind::Boolean => false.into(),
            Kind::Date | Kind::Other => Json::Null,
        }
    }

    /// `value` as a cell of this type; a value of another type makes an empty cell.
    fn convert(self, value: &Json, now: OffsetDateTime) -> Json {
        match (self, value) {
            (Kind::Text, value) => print(value).into(),
            (Kind::Integer, Json::Number(number)) => match (number.as_i64(), number.as_f64()) {
                (Some(integer), _) => integer.into(),
                #[expect(clippy::cast_possible_truncation, reason = "as upstream: the fraction is dropped, the range saturates")]
                (None, Some(float)) => (float as i64).into(),
                (None, None) => Json::Null,
            },
            (Kind::Number, Json::Number(_)) | (Kind::Boolean, Json::Bool(_)) => value.clone(),
            (Kind::Date, Json::String(timestamp)) => date(timestamp, now).into(),
            _ => Json::Null,
        }
    }
}

fn date(timestamp: &str, now: OffsetDateTime) -> String {
    match (timestamp, duration::parse(timestamp)) {
        ("" | "null", _) => "<unknown>".into(),
        (_, Some(then)) => duration::human(now - then),
        (_, None) => "<invalid>".into(),
    }
}

/// A value as client-go's JSONPath prints it.
fn print(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "<no value>".into(),
        other => other.to_string(),
    }
}
