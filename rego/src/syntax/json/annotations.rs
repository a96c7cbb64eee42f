//! Annotations (`v1/ast/annotations_json.go`).

use super::{Members, Style, location};
use crate::syntax::tree::Annotations;
use crate::value::Value;

/// A block as OPA shows it.
pub(super) fn annotations(style: Style<'_>, annotations: &Annotations) -> Value {
    let fields = annotations.fields.as_object().into_iter().flat_map(crate::value::Object::iter);
    let members = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    let place = style.locations.then(|| location(style, annotations.span));
    Members(members).with_some("location", place).finish()
}
