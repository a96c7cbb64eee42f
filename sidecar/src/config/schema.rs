//! The JSON Schema of `sync.yaml`, from the types that read it: editors and CI check a file before the sidecar does.

use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

use super::Config;

/// Returns the schema, with each field's description and default.
pub fn schema() -> Json {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Config>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/sync.md");

    /// Every object of the schema with the name under which the page has its table.
    fn objects(schema: &Json) -> Vec<(String, Json)> {
        let definitions = schema["definitions"].as_object().unwrap();
        let named = definitions.iter().map(|(name, object)| (name.clone(), object.clone()));
        let all = std::iter::once(("Config".to_owned(), schema.clone())).chain(named);
        all.filter(|(_, object)| object["properties"].is_object()).collect()
    }

    /// The row of a field: key, type, default, meaning.
    fn row(object: &Json, key: &str, field: &Json) -> String {
        let is_required = object["required"].as_array().is_some_and(|keys| keys.contains(&Json::from(key)));
        // A block that may be missing has no defaults in force; another has those of its own table.
        let is_block = |shape: &str| shape.starts_with('[') && field["anyOf"].is_null();
        let default = match &field["default"] {
            Json::Null if is_required => "required".to_owned(),
            Json::Null if is_block(&shape(field)) => "see there".to_owned(),
            Json::Null => "none".to_owned(),
            Json::String(text) => format!("`{text}`"),
            other => format!("`{other}`"),
        };
        let meaning = field["description"].as_str().unwrap_or_else(|| panic!("{key} says nothing")).replace('\n', " ");
        format!("| `{key}` | {} | {default} | {meaning} |", shape(field))
    }

    /// A type as the page names it.
    fn shape(field: &Json) -> String {
        let nested = ["$ref", "/allOf/0/$ref", "/anyOf/0/$ref"];
        let reference = nested.into_iter().find_map(|path| field.get(path).or_else(|| field.pointer(path))?.as_str());
        if let Some(reference) = reference {
            return match reference.rsplit('/').next().unwrap() {
                "Mode" => "`off`, `suggest`, `auto`".into(),
                "OnNoOpinion" => "`keep`, `release`".into(),
                "First" => "`stop`, `go`".into(),
                "Urgent" => "`never`, `policy`".into(),
                block => format!("[{block}](#{})", block.to_lowercase()),
            };
        }
        if field["pattern"].as_str().is_some_and(|pattern| pattern.contains("(ms|s|m|h)")) {
            return "time".into();
        }
        let kind = field["type"].as_str().or_else(|| field["type"][0].as_str()).unwrap_or_else(|| panic!("{field}"));
        match (kind, field["items"]["$ref"].as_str()) {
            ("array", Some(_)) => "list of [Kind](#kind)".into(),
            ("array", None) => "list of strings".into(),
            _ => kind.into(),
        }
    }

    #[test]
    fn the_schema_beside_the_manifests_is_that_of_the_types() {
        let kept: Json = serde_json::from_str(include_str!("../../../deploy/sync.schema.json")).unwrap();
        assert_eq!(kept, schema(), "run `plimsoll manifests --schema > deploy/sync.schema.json`");
    }

    #[test]
    fn the_page_about_it_has_every_field_with_type_default_and_meaning() {
        let schema = schema();
        let mut missing = Vec::new();
        for (name, object) in objects(&schema) {
            let section = PAGE.split_once(&format!("\n### {name}\n")).map_or("", |(_, rest)| rest);
            let section = section.split("\n### ").next().unwrap_or_default();
            let fields = object["properties"].as_object().unwrap();
            let rows = fields.iter().map(|(key, field)| row(&object, key, field));
            missing.extend(rows.filter(|row| !section.contains(row.as_str())).map(|row| format!("{name} {row}")));
            assert!(
                section.is_empty() || section.lines().filter(|line| line.starts_with("| `")).count() == fields.len(),
                "{name}"
            );
        }
        assert!(missing.is_empty(), "docs/sync.md lacks:\n{}", missing.join("\n"));
    }
}
