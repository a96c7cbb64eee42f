//! The v2 document as protobuf. kubectl before 1.24 takes it in no other form.
//!
//! Written from the JSON document. Source of the field numbers: `openapiv2/OpenAPIv2.proto` of gnostic-models.

mod wire;

use serde_json::Value as Json;

use wire::Message;

/// The `Document` message of a v2 document.
pub(super) fn encode(document: &Json) -> Vec<u8> {
    let mut message = Message::default();
    message.text(1, document.get("swagger"));
    message.message(2, document.get("info").map(|info| texts(info, &[(1, "title"), (2, "version")])));
    message.message(8, document.get("paths").map(|paths| named(2, paths, path_item)));
    message.message(9, document.get("definitions").map(|definitions| named(1, definitions, schema)));
    message.bytes()
}

fn path_item(item: &Json) -> Message {
    let mut message = Message::default();
    for (field, method) in [(2, "get"), (3, "put"), (4, "post"), (5, "delete"), (8, "patch")] {
        message.message(field, item.get(method).map(operation));
    }
    parameters(&mut message, 9, item);
    message
}

fn operation(operation: &Json) -> Message {
    let mut message = Message::default();
    message.texts(1, operation.get("tags"));
    message.text(3, operation.get("description"));
    message.text(5, operation.get("operationId"));
    message.texts(6, operation.get("produces"));
    message.texts(7, operation.get("consumes"));
    parameters(&mut message, 8, operation);
    message.message(9, operation.get("responses").map(|responses| named(1, responses, response)));
    message.texts(10, operation.get("schemes"));
    extensions(&mut message, 13, operation);
    message
}

/// `ParametersItem`s, each a `Parameter`, each a body or not.
fn parameters(message: &mut Message, field: u32, from: &Json) {
    for parameter in list(from, "parameters") {
        let inner = match parameter.get("in").and_then(Json::as_str) {
            Some("body") => Message::wrap(1, body_parameter(parameter)),
            Some("path") => Message::wrap(2, Message::wrap(4, plain_parameter(parameter, [5, 19]))),
            _ => Message::wrap(2, Message::wrap(3, plain_parameter(parameter, [6, 20]))),
        };
        message.message(field, Some(Message::wrap(1, inner)));
    }
}

fn body_parameter(parameter: &Json) -> Message {
    let mut message = texts(parameter, &[(1, "description"), (2, "name"), (3, "in")]);
    message.boolean(4, parameter.get("required"));
    message.message(5, parameter.get("schema").map(schema));
    message
}

/// Parameters of the path and of the query differ in the numbers of `type` and `uniqueItems`.
fn plain_parameter(parameter: &Json, [kind, unique]: [u32; 2]) -> Message {
    let mut message = Message::default();
    message.boolean(1, parameter.get("required"));
    for (field, name) in [(2, "in"), (3, "description"), (4, "name"), (kind, "type")] {
        message.text(field, parameter.get(name));
    }
    message.boolean(unique, parameter.get("uniqueItems"));
    message
}

/// `ResponseValue`, `Response`, and in it a `SchemaItem`.
fn response(response: &Json) -> Message {
    let mut message = texts(response, &[(1, "description")]);
    message.message(2, response.get("schema").map(|item| Message::wrap(1, schema(item))));
    Message::wrap(1, message)
}

fn schema(said: &Json) -> Message {
    let mut message = texts(said, &[(1, "$ref"), (2, "format"), (4, "description")]);
    for (field, name) in [(6, "multipleOf"), (7, "maximum"), (9, "minimum")] {
        message.double(field, said.get(name));
    }
    message.boolean(8, said.get("exclusiveMaximum"));
    message.boolean(10, said.get("exclusiveMinimum"));
    message.text(13, said.get("pattern"));
    let counts =
        [(11, "maxLength"), (12, "minLength"), (14, "maxItems"), (15, "minItems"), (17, "maxProperties"), (18, "minProperties")];
    for (field, name) in counts {
        message.integer(field, said.get(name));
    }
    message.boolean(16, said.get("uniqueItems"));
    message.texts(19, said.get("required"));
    for value in list(said, "enum") {
        message.message(20, Some(any(value)));
    }
    inner_schemas(&mut message, said);
    extensions(&mut message, 31, said);
    message
}

fn inner_schemas(message: &mut Message, said: &Json) {
    message.message(21, said.get("additionalProperties").map(|values| Message::wrap(1, schema(values))));
    message.message(
        22,
        said.get("type").map(|kind| {
            let mut item = Message::default();
            item.text(1, Some(kind));
            item
        }),
    );
    message.message(23, said.get("items").map(|items| Message::wrap(1, schema(items))));
    message.message(25, said.get("properties").map(|properties| named(1, properties, schema)));
}

/// `x-…` of anything.
fn extensions(message: &mut Message, field: u32, from: &Json) {
    for (name, value) in from.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with("x-")) {
        message.message(field, Some(entry(name, any(value))));
    }
}

/// A map: entries with a name and a value.
fn named(field: u32, from: &Json, value: fn(&Json) -> Message) -> Message {
    let mut message = Message::default();
    for (name, inner) in from.as_object().into_iter().flatten() {
        message.message(field, Some(entry(name, value(inner))));
    }
    message
}

fn entry(name: &str, value: Message) -> Message {
    let mut message = Message::default();
    message.text_of(1, name);
    message.message(2, Some(value));
    message
}

/// Any JSON is sent as YAML text; JSON is YAML.
fn any(value: &Json) -> Message {
    let mut message = Message::default();
    message.text_of(2, &value.to_string());
    message
}

fn texts(from: &Json, fields: &[(u32, &str)]) -> Message {
    let mut message = Message::default();
    for (field, name) in fields {
        message.text(*field, from.get(*name));
    }
    message
}

fn list<'a>(from: &'a Json, name: &str) -> &'a [Json] {
    from.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}
