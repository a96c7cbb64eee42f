//! How a value is walked: what the schema says, or, where it says nothing, what the value is. Sources: `structured-merge-diff`
//! `typed/helpers.go` (`deduceAtom`), `kube-openapi` `pkg/schemaconv`.

use std::sync::LazyLock;

use serde_json::Value as Json;

use super::element::Element;
use crate::patch::go_text;
use crate::patch::ordered::Ordered;
use crate::resources::Schema;
use crate::resources::schema::{Kind, ListType};

/// From here down a value is one whole, whatever the schema says: `fieldsV1`, which lies five levels down and spells each
/// level as one, must not nest deeper than documents may.
const DEEPEST: usize = 110;

/// These published definitions are more than their schema says; see `schemaconv`, "hard-coded schemas".
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/// Definitions of types that Go encodes.
const BUILT_IN: &str = "io.k8s.";

static EMPTY: LazyLock<Json> = LazyLock::new(|| Json::Object(serde_json::Map::new()));
static TEXT: LazyLock<Schema> = LazyLock::new(|| Schema { kind: Some(Kind::String), ..Schema::default() });
static ANYTHING: LazyLock<Schema> = LazyLock::new(Schema::default);

/// The type of a value at some depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type<'a> {
    schema: &'a Schema,
    depth: usize,
    /// The named schema that this one is in, which a recursive one stands for.
    around: &'a Schema,
    /// The schema of every object's metadata, for objects in objects.
    metadata: Option<&'a Schema>,
}

/// How a value is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A scalar.
    Scalar,
    /// A list; `atomic` is one whole.
    List { atomic: bool },
    /// An object or a map; `atomic` is one whole.
    Map { atomic: bool },
}

impl<'a> Type<'a> {
    /// Of a whole object.
    pub(crate) fn root(schema: &'a Schema) -> Self {
        let metadata = schema.properties.get("metadata").map(|metadata| metadata.as_ref());
        Self { schema, depth: 0, around: schema, metadata }
    }

    fn below(self, schema: &'a Schema) -> Self {
        let schema = match schema.recursive && schema.definition == self.around.definition {
            true => self.around,
            false => schema,
        };
        let around = if schema.definition.is_some() { schema } else { self.around };
        Self { schema, depth: self.depth + 1, around, ..self }
    }

    /// The schema itself.
    pub(crate) fn schema(self) -> &'a Schema {
        self.schema
    }

    /// Whether `name` is a field, not an entry of a map.
    pub(crate) fn declares(self, name: &str) -> bool {
        self.schema.properties.contains_key(name) || self.embedded(name).is_some()
    }

    /// What an object in an object has besides what its schema says.
    fn embedded(self, name: &str) -> Option<&'a Schema> {
        match name {
            _ if !self.schema.embedded_resource => None,
            "apiVersion" | "kind" => Some(&TEXT),
            "metadata" => self.metadata,
            _ => None,
        }
    }

    /// What an object of a built-in type has at `name` before anybody says anything: Go writes structs even when they are
    /// empty, and so are required lists and maps. So `spec` is added by nobody, and belongs to nobody as such.
    pub(crate) fn always(self, name: &str) -> Option<&'static Json> {
        let built_in = |schema: &Schema| schema.definition.as_ref().is_some_and(|name| name.starts_with(BUILT_IN));
        let field = self.schema.properties.get(name).filter(|_| built_in(self.schema))?;
        let is_struct = field.default.as_ref().and_then(Json::as_object).is_some_and(serde_json::Map::is_empty);
        match field.kind {
            _ if is_struct => Some(&EMPTY),
            Some(Kind::Array | Kind::Object) if self.schema.required.iter().any(|required| required == name) => Some(&Json::Null),
            _ => None,
        }
    }

    /// The type of a field or entry.
    pub(crate) fn field(self, name: &str) -> Self {
        let embedded = self.embedded(name);
        let found = self.schema.properties.get(name).or(self.schema.values.as_ref());
        self.below(embedded.or(found.map(|schema| schema.as_ref())).unwrap_or(&ANYTHING))
    }

    /// The type of the members.
    pub(crate) fn items(self) -> Self {
        self.below(self.schema.items.as_ref().map_or(&ANYTHING, |schema| schema))
    }

    /// The type of what an element selects.
    pub(crate) fn child(self, element: &Element) -> Self {
        match element {
            Element::Field(name) => self.field(name),
            _ => self.items(),
        }
    }

    /// How `value` is walked. Null goes with any type.
    pub(crate) fn shape(self, value: &Json) -> Shape {
        match (self.kind(), value) {
            (Some(Kind::Object), _) | (None, Json::Object(_) | Json::Null) => Shape::Map { atomic: self.is_whole() },
            (Some(Kind::Array), _) | (None, Json::Array(_)) => {
                Shape::List { atomic: self.is_whole() || self.schema.list == ListType::Atomic }
            }
            _ => Shape::Scalar,
        }
    }

    /// Whether the schema says that any value here is one whole.
    pub(crate) fn is_atomic(self) -> bool {
        match self.kind() {
            Some(Kind::Object) => self.is_whole(),
            Some(Kind::Array) => self.is_whole() || self.schema.list == ListType::Atomic,
            _ => false,
        }
    }

    /// What the schema says the value is; `None` where anything goes.
    pub(crate) fn kind(self) -> Option<Kind> {
        match self.schema.definition.as_deref() {
            Some(QUANTITY) => Some(Kind::String),
            Some(RAW_EXTENSION) => None,
            _ => self.schema.kind,
        }
    }

    /// Whether a string is only one by name: quantities, dates and the like are looked at by nobody here.
    pub(crate) fn is_loose(self) -> bool {
        let format = self.schema.rules.format.as_deref();
        self.schema.definition.as_deref() == Some(QUANTITY) || format.is_some_and(|format| format != "byte")
    }

    fn is_whole(self) -> bool {
        self.schema.atomic_map || self.depth >= DEEPEST || self.schema.definition.as_deref() == Some(RAW_EXTENSION)
    }

    /// What selects `member` in a list that is not atomic. The text of the error is upstream's.
    pub(crate) fn element(self, member: &Json) -> Result<Element, ElementError> {
        match &self.schema.list {
            ListType::Map(keys) if !keys.is_empty() => self.keyed(keys, member),
            _ => value_element(member),
        }
    }

    fn keyed(self, keys: &[String], member: &Json) -> Result<Element, ElementError> {
        let fields = match member {
            Json::Object(fields) => fields,
            Json::Null => return Err(ElementError::NullWithKeys),
            _ => return Err(ElementError::NoMap),
        };
        let items = self.items();
        let default = |key: &String| items.schema.properties.get(key).and_then(|field| field.default.as_ref());
        let value = |key: &String| fields.get(key).or_else(|| default(key)).map(|value| (key.clone(), Ordered(value.clone())));
        let mut found: Vec<_> = keys.iter().filter_map(value).collect();
        if found.is_empty() {
            return Err(ElementError::NoKeys(keys.to_vec()));
        }
        found.sort();
        Ok(Element::Key(found))
    }
}

/// Why a member of a list has no name, in upstream's words (`structured-merge-diff`, `typed/helpers.go`).
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum ElementError {
    /// `null`, in a list with keys.
    #[error("associative list with keys may not have a null element")]
    NullWithKeys,
    /// A scalar or a list, in a list with keys.
    #[error("associative list with keys may not have non-map elements")]
    NoMap,
    /// A map without any of these keys.
    #[error(
        "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
        quoted_names(.0)
    )]
    NoKeys(Vec<String>),
    /// A map, in a set.
    #[error("associative list without keys has an element that's a map type")]
    Map,
    /// A list, in a set.
    #[error("not supported: associative list with lists as elements")]
    List,
    /// `null`, in a set.
    #[error("associative list without keys has an element that's an explicit null")]
    Null,
}

fn quoted_names(keys: &[String]) -> String {
    keys.iter().map(|key| go_text::quoted(key)).collect::<Vec<_>>().join(" ")
}

fn value_element(member: &Json) -> Result<Element, ElementError> {
    match member {
        Json::Object(_) => Err(ElementError::Map),
        Json::Array(_) => Err(ElementError::List),
        Json::Null => Err(ElementError::Null),
        scalar => Ok(Element::Value(Ordered(scalar.clone()))),
    }
}

/// What is absent or null has no fields.
pub(crate) fn fields(value: Option<&Json>) -> Option<&serde_json::Map<String, Json>> {
    value.and_then(Json::as_object)
}

/// What is absent or null has no members.
pub(crate) fn members(value: Option<&Json>) -> &[Json] {
    value.and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::patch::testing::{integer, keyed, list, object, or, text};

    #[test]
    fn members_are_known_by_their_keys_and_defaults() {
        let port = object([("port", integer()), ("protocol", or(text(), json!("TCP"))), ("name", text())]);
        let ports = keyed(&["port", "protocol"], port);
        let ports = Type::root(&ports);
        let key = |member: Json| ports.element(&member).map(|element| element.key()).map_err(|error| error.to_string());
        assert_eq!(key(json!({"port": 80, "name": "a"})).unwrap(), r#"k:{"port":80,"protocol":"TCP"}"#);
        assert_eq!(key(json!({"port": 80, "protocol": "UDP"})).unwrap(), r#"k:{"port":80,"protocol":"UDP"}"#);
        assert_eq!(key(json!(null)).unwrap_err(), "associative list with keys may not have a null element");
        assert_eq!(key(json!(1)).unwrap_err(), "associative list with keys may not have non-map elements");
        let named = keyed(&["name", "kind"], object([("name", text())]));
        assert_eq!(
            Type::root(&named).element(&json!({})).unwrap_err().to_string(),
            "associative list with keys has an element that omits all key fields [\"name\" \"kind\"] (and doesn't have default values for any key fields)"
        );
    }

    #[test]
    fn what_the_schema_does_not_say_the_value_does() {
        let anything = Schema::default();
        let shape = |value: Json| Type::root(&anything).shape(&value);
        assert_eq!(shape(json!({})), Shape::Map { atomic: false });
        assert_eq!(shape(json!([])), Shape::List { atomic: true });
        assert_eq!(shape(json!(1)), Shape::Scalar);
        assert_eq!(shape(json!(null)), Shape::Map { atomic: false });
        let set = list(text(), ListType::Set);
        assert_eq!(Type::root(&set).shape(&json!("no list")), Shape::List { atomic: false });
    }
}
