//! The fields of an annotation: which of them have a type that OPA refuses (opa `v1/ast/parser.go`, `rawAnnotation`,
//! `metadataParser.Parse`). Fields that it does not know it lets be.

use regorus::Value;
use yaml_serde::{Mapping, Value as Yaml};

use crate::rego::builtins;
use crate::rego::parse::tokens::{Kind, Token, Tokens};
use crate::yaml;

/// What of an annotation matters to where it may stand.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// Empty if there is none.
    pub(super) scope: String,
    pub(super) entrypoint: bool,
}

/// In which line of the block something is wrong, if that is known, and what.
type Wrong = (Option<usize>, String);

/// A field's check.
type Check = fn(&Yaml) -> Result<(), String>;

const CHECKS: [(&str, Check); 9] = [
    ("title", |value| text(value).map(drop)),
    ("description", |value| text(value).map(drop)),
    ("organizations", |value| items(value)?.iter().try_for_each(|item| text(item).map(drop))),
    ("related_resources", |value| items(value)?.iter().try_for_each(resource)),
    ("authors", |value| items(value)?.iter().try_for_each(author)),
    ("schemas", |value| items(value)?.iter().try_for_each(schema)),
    ("compile", compile),
    ("custom", free),
    ("labels", free),
];

impl Fields {
    /// Reads the text of a block.
    pub(super) fn read(text: &str) -> Result<Self, Wrong> {
        let Some(yaml) = yaml::first(text).map_err(|wrong| (wrong.line, wrong.message))? else {
            return Ok(Self::default_of(text));
        };
        let fields = match &yaml {
            Yaml::Null => return Ok(Self::default()),
            Yaml::Mapping(fields) => fields,
            other => return Err((None, format!("cannot unmarshal {} into an annotation", tag(other)))),
        };
        let wrong = |(name, message): (&str, String)| (line_of(text, name), format!("{name}: {message}"));
        for (name, check) in CHECKS {
            fields.get(name).map_or(Ok(()), check).map_err(|message| wrong((name, message)))?;
        }
        let scope = fields.get("scope").map_or(Ok(String::new()), self::text).map_err(|message| wrong(("scope", message)))?;
        let entrypoint = fields.get("entrypoint").map_or(Ok(false), truth).map_err(|message| wrong(("entrypoint", message)))?;
        Ok(Self { scope, entrypoint })
    }

    /// Of a text that may be YAML for OPA: what stands in a line of its own.
    fn default_of(text: &str) -> Self {
        let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).unwrap_or_default();
        Self { scope: value("scope:").trim_matches(['"', '\'']).to_owned(), entrypoint: value("entrypoint:") == "true" }
    }
}

/// The line of a field.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let is_field = |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'));
    text.lines().position(is_field).map(|line| line.saturating_add(1))
}

fn tag(value: &Yaml) -> &'static str {
    match value {
        Yaml::Null => "!!null",
        Yaml::Bool(_) => "!!bool",
        Yaml::Number(_) => "a number",
        Yaml::String(_) => "!!str",
        Yaml::Sequence(_) => "!!seq",
        Yaml::Mapping(_) => "!!map",
        Yaml::Tagged(_) => "a tag of its own",
    }
}

/// Any scalar.
fn text(value: &Yaml) -> Result<String, String> {
    match value {
        Yaml::Null => Ok(String::new()),
        Yaml::Bool(truth) => Ok(truth.to_string()),
        Yaml::Number(number) => Ok(number.to_string()),
        Yaml::String(text) => Ok(text.clone()),
        Yaml::Tagged(tagged) => text(&tagged.value),
        Yaml::Sequence(_) | Yaml::Mapping(_) => Err(format!("cannot unmarshal {} into string", tag(value))),
    }
}

fn truth(value: &Yaml) -> Result<bool, String> {
    match value {
        Yaml::Null => Ok(false),
        Yaml::Bool(truth) => Ok(*truth),
        Yaml::String(text) if matches!(text.as_str(), "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON") => Ok(true),
        Yaml::String(text) if matches!(text.as_str(), "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF") => Ok(false),
        other => Err(format!("cannot unmarshal {} into bool", tag(other))),
    }
}

fn items(value: &Yaml) -> Result<&[Yaml], String> {
    match value {
        Yaml::Null => Ok(&[]),
        Yaml::Sequence(items) => Ok(items),
        other => Err(format!("cannot unmarshal {} into a list", tag(other))),
    }
}

fn members(value: &Yaml) -> Result<Option<&Mapping>, String> {
    match value {
        Yaml::Null => Ok(None),
        Yaml::Mapping(members) => members.keys().try_for_each(|key| text(key).map(drop)).map(|()| Some(members)),
        other => Err(format!("cannot unmarshal {} into a map", tag(other))),
    }
}

/// Keys must be texts; members of maps that have such keys only are not looked at, as in OPA.
fn keys(value: &Yaml) -> Result<(), String> {
    match value {
        Yaml::Sequence(items) => items.iter().try_for_each(keys),
        Yaml::Mapping(members) if !members.keys().all(Yaml::is_string) => Err("invalid map key type(s)".to_owned()),
        _ => Ok(()),
    }
}

fn free(value: &Yaml) -> Result<(), String> {
    members(value)?.into_iter().flat_map(Mapping::values).try_for_each(keys)
}

/// A text of a map, without the blanks around it.
fn trimmed<'y>(members: &'y Mapping, name: &str) -> &'y str {
    members.get(name).and_then(Yaml::as_str).map(str::trim).unwrap_or_default()
}

fn author(value: &Yaml) -> Result<(), String> {
    keys(value)?;
    match value {
        Yaml::String(text) if text.trim().is_empty() => Err("author is an empty string".to_owned()),
        Yaml::String(_) => Ok(()),
        Yaml::Mapping(members) if [trimmed(members, "name"), trimmed(members, "email")] == ["", ""] => {
            Err("'name' and/or 'email' values required in object".to_owned())
        }
        Yaml::Mapping(_) => Ok(()),
        _ => Err("invalid value type, must be string or map".to_owned()),
    }
}

fn resource(value: &Yaml) -> Result<(), String> {
    keys(value)?;
    let reference = match value {
        Yaml::String(text) => text,
        Yaml::Mapping(members) => trimmed(members, "ref"),
        _ => return Err("invalid value type, must be string or map".to_owned()),
    };
    let valid = !reference.is_empty()
        && builtins::call("uri.is_valid", &[Value::from(reference)]).is_ok_and(|valid| valid == Value::from(true));
    if valid { Ok(()) } else { Err(format!("ref is no URL: {reference:?}")) }
}

fn schema(value: &Yaml) -> Result<(), String> {
    let pair = members(value)?.and_then(|members| members.iter().next());
    let path = pair.map(|(path, _)| text(path)).transpose()?.unwrap_or_default();
    if !is_reference(&path) {
        return Err("invalid document reference".to_owned());
    }
    match pair.map(|(_, schema)| schema) {
        Some(Yaml::String(schema)) if root(schema) == Some("schema") => Ok(()),
        Some(Yaml::String(_)) => Err("invalid schema reference".to_owned()),
        Some(Yaml::Mapping(members)) if members.keys().all(Yaml::is_string) => Ok(()),
        _ => Err(format!("invalid schema declaration for path {path:?}")),
    }
}

fn compile(value: &Yaml) -> Result<(), String> {
    let Some(members) = members(value)? else { return Ok(()) };
    if let Some(Yaml::Sequence(unknowns)) = members.get("unknowns")
        && let Some(unknown) = unknowns.iter().filter_map(Yaml::as_str).find(|unknown| !is_reference(unknown))
    {
        return Err(format!("invalid unknowns element {unknown:?}"));
    }
    match members.get("mask_rule").and_then(Yaml::as_str) {
        Some(mask) if root(mask).is_none() && !is_string(mask) => Err(format!("invalid mask_rule annotation {mask:?}")),
        _ => Ok(()),
    }
}

/// A document, or something inside one.
fn is_reference(text: &str) -> bool {
    root(text).is_some_and(|root| matches!(text.trim(), "input" | "data") || text.trim() != root)
}

fn is_string(text: &str) -> bool {
    matches!(Tokens::new(text).collect::<Vec<_>>().as_slice(), [token] if token.kind == Kind::String)
}

/// What a variable, or a reference, begins with; nothing if a text is neither.
fn root(text: &str) -> Option<&str> {
    let tokens: Vec<Token<'_>> = Tokens::new(text).collect();
    let (first, mut rest) = tokens.split_first().filter(|(first, _)| first.kind == Kind::Name)?;
    while let Some((step, behind)) = rest.split_first() {
        rest = match step.text {
            "." => behind.split_first().filter(|(name, _)| name.kind == Kind::Name)?.1,
            "[" => behind.get(1..).filter(|behind| behind.first().is_some_and(|close| close.text == "]"))?.get(1..)?,
            _ => return None,
        };
    }
    (!matches!(first.text, "true" | "false" | "null" | "not" | "some" | "every" | "default")).then_some(first.text)
}
