//! The YAML of a block, and its errors in the words of Go's YAML.

use serde::Deserialize;
use yaml_serde::{Deserializer, Value as Yaml};

/// A block's fields as they are written (`v1/ast/parser.go`, `rawAnnotation`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Raw {
    pub(super) scope: Option<String>,
    pub(super) title: Option<String>,
    pub(super) entrypoint: Option<Yaml>,
    pub(super) description: Option<String>,
    pub(super) organizations: Option<Vec<String>>,
    pub(super) related_resources: Option<Vec<Yaml>>,
    pub(super) authors: Option<Vec<Yaml>>,
    pub(super) schemas: Option<Vec<yaml_serde::Mapping>>,
    pub(super) compile: Option<yaml_serde::Mapping>,
    pub(super) custom: Option<yaml_serde::Mapping>,
    pub(super) labels: Option<yaml_serde::Mapping>,
}

/// What is wrong with the YAML.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) message: String,
    /// Which line the message names, from 1.
    pub(super) line: Option<usize>,
    /// The message names none, so that it is about all of it.
    pub(super) whole: bool,
}

impl Raw {
    /// Whether `entrypoint` is set; YAML 1.1 has many words for that.
    pub(super) fn is_entrypoint(&self) -> bool {
        match &self.entrypoint {
            Some(Yaml::Bool(value)) => *value,
            Some(Yaml::String(word)) => matches!(word.to_lowercase().as_str(), "y" | "yes" | "on"),
            _ => false,
        }
    }
}

/// Reads a block.
pub(super) fn raw(text: &str) -> Result<Raw, YamlError> {
    let whole = first::<Yaml>(text).map_err(|error| syntax(&error.to_string()))?;
    let found = match &whole {
        Yaml::Null => return Ok(Raw::default()),
        Yaml::Mapping(fields) if fields.values().all(is_plain) => {
            // Read once more from the text only if something may be wrong, which is then said with its place.
            return Raw::deserialize(&whole).or_else(|_| first(text).map_err(|error| shape(&error, &whole)));
        }
        Yaml::Mapping(_) => return first(text).map_err(|error| shape(&error, &whole)),
        _ => tagged(&whole),
    };
    let message = format!("yaml: unmarshal errors:\n  line 1: cannot unmarshal {found} into ast.rawAnnotation");
    Err(YamlError { message, line: Some(1), whole: false })
}

/// Whether a field has no tag, nor any item of it.
fn is_plain(field: &Yaml) -> bool {
    match field {
        Yaml::Tagged(_) => false,
        Yaml::Sequence(items) => !items.iter().any(|item| matches!(item, Yaml::Tagged(_))),
        _ => true,
    }
}

/// The first document of a text, which is all that Go reads.
fn first<T: for<'a> Deserialize<'a> + Default>(text: &str) -> Result<T, yaml_serde::Error> {
    Deserializer::from_str(text).next().map_or_else(|| Ok(T::default()), T::deserialize)
}

fn shortened(text: &str) -> String {
    if text.len() > 10 { format!("{}...", text.chars().take(7).collect::<String>()) } else { text.to_owned() }
}

/// A field of another type than it should have.
fn shape(error: &yaml_serde::Error, whole: &Yaml) -> YamlError {
    let line = error.location().map_or(1, |location| location.line());
    let text = error.to_string();
    let text = mismatch(whole).unwrap_or_else(|| text.split(" at line ").next().unwrap_or_default().to_owned());
    YamlError { message: format!("yaml: unmarshal errors:\n  line {line}: {text}"), line: Some(line), whole: false }
}

/// The first field of another type than Go has for it.
fn mismatch(whole: &Yaml) -> Option<String> {
    whole.as_mapping()?.iter().find_map(|(key, value)| {
        let (kind, items) = match key.as_str()? {
            "scope" | "title" | "description" => ("string", None),
            "organizations" => ("[]string", Some("string")),
            "related_resources" | "authors" => ("[]interface {}", Some("interface {}")),
            "schemas" => ("[]map[string]interface {}", Some("map[string]interface {}")),
            "compile" | "custom" | "labels" => ("map[string]interface {}", None),
            _ => return None,
        };
        match (items, value) {
            (Some(item), Yaml::Sequence(values)) => values.iter().find_map(|value| unfit(value, item)),
            _ => unfit(value, kind),
        }
    })
}

fn unfit(value: &Yaml, kind: &str) -> Option<String> {
    let fits = match value {
        Yaml::Null => true,
        Yaml::Mapping(_) => kind.starts_with("map") || kind == "interface {}",
        Yaml::Sequence(_) => kind.starts_with("[]") || kind == "interface {}",
        _ => matches!(kind, "string" | "interface {}"),
    };
    (!fits).then(|| format!("cannot unmarshal {} into {kind}", tagged(value)))
}

/// A value as Go's messages show it.
fn tagged(value: &Yaml) -> String {
    match value {
        Yaml::Null => "!!null".to_owned(),
        Yaml::Sequence(_) => "!!seq".to_owned(),
        Yaml::Mapping(_) | Yaml::Tagged(_) => "!!map".to_owned(),
        Yaml::Bool(value) => format!("!!bool `{value}`"),
        Yaml::Number(number) if number.is_f64() => format!("!!float `{number}`"),
        Yaml::Number(number) => format!("!!int `{number}`"),
        Yaml::String(text) => format!("!!str `{}`", shortened(text)),
    }
}

/// What libyaml says, of which Go's YAML is a port: the problem, and the line of its context, counted as it counts.
fn syntax(error: &str) -> YamlError {
    let (problem, context) = error.split_once(", ").unwrap_or((error, ""));
    let problem_text = problem.split(" at line ").next().unwrap_or(problem);
    let line_of = |text: &str| {
        let behind = text.rsplit_once(" at line ")?.1;
        behind.split(' ').next()?.parse::<usize>().ok()?.checked_sub(1)
    };
    // A context without a place of its own stands where the problem is.
    let context_line = if context.is_empty() { None } else { line_of(context).or_else(|| line_of(problem)) };
    let line = context_line.filter(|line| *line > 0).or_else(|| line_of(problem)).filter(|line| *line > 0);
    let line = line.map(|line| if of_parser(problem_text) { line } else { line.saturating_add(1) });
    let place = line.map_or_else(String::new, |line| format!("line {line}: "));
    YamlError { message: format!("yaml: {place}{problem_text}"), line, whole: line.is_none() }
}

/// Whether libyaml's parser says so, not its scanner.
fn of_parser(problem: &str) -> bool {
    problem.strip_prefix("did not find expected ").is_some_and(|what| {
        matches!(
            what,
            "key" | "'-' indicator" | "',' or ']'" | "',' or '}'" | "node content" | "<document start>" | "<stream-start>"
        )
    })
}
