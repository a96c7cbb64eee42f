//! The fields of a block as `rego.metadata.chain` shows them (`v1/ast/parser.go`, `metadataParser.Parse`; `v1/ast/annotations.go`,
//! `toTerm`): paths of schemas are arrays of their parts, references of `compile` are text.

use yaml_serde::Value as Yaml;

use super::convert::{mapping, shown};
use super::error::AnnotationError;
use super::yaml::Raw;
use crate::builtins::Url;
use crate::error::Errors;
use crate::syntax::parse::{Options, parse_ref, parse_term};
use crate::syntax::print;
use crate::syntax::report::listed;
use crate::syntax::source::Source;
use crate::syntax::span::SourceId;
use crate::syntax::tree::{Kind, Term};
use crate::value::Value;

type Fields = Vec<(Value, Value)>;

/// All fields that are not empty.
pub(super) fn fields(raw: Raw) -> Result<Fields, AnnotationError> {
    let mut fields = Fields::new();
    let entrypoint = raw.is_entrypoint();
    for (name, text) in [("title", raw.title), ("description", raw.description)] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            fields.push((name.into(), text.into()));
        }
    }
    if entrypoint {
        fields.push(("entrypoint".into(), true.into()));
    }
    list(&mut fields, "organizations", raw.organizations.unwrap_or_default().into_iter().map(|name| Ok(name.into())))?;
    list(
        &mut fields,
        "related_resources",
        raw.related_resources.unwrap_or_default().iter().map(|yaml| within(yaml, "related-resource", resource)),
    )?;
    if let Some(compile) = &raw.compile {
        fields.push(("compile".into(), self::compile(compile)?));
    }
    list(&mut fields, "schemas", raw.schemas.unwrap_or_default().iter().map(schema))?;
    list(&mut fields, "authors", raw.authors.unwrap_or_default().iter().map(|yaml| within(yaml, "author", author)))?;
    for (name, members) in [("custom", raw.custom), ("labels", raw.labels)] {
        if let Some(members) = members.filter(|members| !members.is_empty()) {
            fields.push((name.into(), mapping(&members, "")?));
        }
    }
    Ok(fields)
}

fn list(
    fields: &mut Fields,
    name: &str,
    items: impl Iterator<Item = Result<Value, AnnotationError>>,
) -> Result<(), AnnotationError> {
    let items = items.collect::<Result<Vec<_>, _>>()?;
    if !items.is_empty() {
        fields.push((name.into(), Value::array(items)));
    }
    Ok(())
}

fn within(yaml: &Yaml, what: &'static str, read: fn(&Yaml) -> Result<Value, AnnotationError>) -> Result<Value, AnnotationError> {
    read(yaml).map_err(|why| AnnotationError::Definition { what, shown: shown(yaml), why: why.into() })
}

fn resource(yaml: &Yaml) -> Result<Value, AnnotationError> {
    let (reference, description) = match yaml {
        Yaml::String(text) if text.is_empty() => return Err(AnnotationError::EmptyReference),
        Yaml::String(text) => (text.clone(), String::new()),
        Yaml::Mapping(members) => (text_of(members, "ref"), text_of(members, "description")),
        _ => return Err(AnnotationError::ValueType),
    };
    if reference.is_empty() {
        return Err(AnnotationError::ReferenceRequired);
    }
    let url = Url::parse(&reference).map_err(|why| AnnotationError::Url(why.to_string()))?;
    Ok(texts(&[("ref", &url.to_string()), ("description", &description)]))
}

fn author(yaml: &Yaml) -> Result<Value, AnnotationError> {
    let (name, email) = match yaml {
        Yaml::String(text) => author_of_text(text)?,
        Yaml::Mapping(members) => (text_of(members, "name"), text_of(members, "email")),
        _ => return Err(AnnotationError::ValueType),
    };
    if name.is_empty() && email.is_empty() && matches!(yaml, Yaml::Mapping(_)) {
        return Err(AnnotationError::NameRequired);
    }
    Ok(texts(&[("name", &name), ("email", &email)]))
}

/// `Name <email>`.
fn author_of_text(text: &str) -> Result<(String, String), AnnotationError> {
    let mut words: Vec<_> = text.split_whitespace().collect();
    let last = *words.last().ok_or(AnnotationError::EmptyAuthor)?;
    let email = last.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    if email.is_some() {
        words.pop();
    }
    Ok((words.join(" "), email.unwrap_or_default().to_owned()))
}

fn text_of(members: &yaml_serde::Mapping, name: &str) -> String {
    members.get(name).and_then(Yaml::as_str).unwrap_or_default().trim().to_owned()
}

fn texts(members: &[(&str, &str)]) -> Value {
    Value::object(
        members.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| (Value::from(*name), Value::from(*text))),
    )
}

fn schema(pair: &yaml_serde::Mapping) -> Result<Value, AnnotationError> {
    let (path, schema) = pair.iter().next().ok_or(AnnotationError::DocumentReference)?;
    let path = path.as_str().unwrap_or_default();
    let parts =
        parse_ref(&source(path), SourceId::default(), &Options::default()).map_err(|_| AnnotationError::DocumentReference)?;
    let declared = match schema {
        Yaml::String(text) => ("schema".into(), schema_path(text).ok_or(AnnotationError::SchemaReference)?),
        Yaml::Mapping(members) => {
            let definition = mapping(members, "").map_err(|why| AnnotationError::SchemaDefinition(why.into()))?;
            ("definition".into(), definition)
        }
        _ => return Err(AnnotationError::SchemaDeclaration(path.into())),
    };
    Ok(Value::object([("path".into(), steps(&parts)), declared]))
}

/// `schema`, or a reference below it.
fn schema_path(text: &str) -> Option<Value> {
    let term = parse_term(&source(text), SourceId::default(), &Options::default()).ok()?;
    let parts = match term.kind {
        Kind::Ref(parts) => parts,
        _ => vec![term],
    };
    parts.first()?.as_var().filter(|name| *name == "schema").is_some().then(|| steps(&parts))
}

fn steps(parts: &[Term]) -> Value {
    Value::array(parts.iter().map(|part| part.as_str().map_or_else(|| Value::from(print::term(part)), Value::string)))
}

fn compile(members: &yaml_serde::Mapping) -> Result<Value, AnnotationError> {
    let mut fields = Fields::new();
    let unknowns = members.get("unknowns").and_then(Yaml::as_sequence).into_iter().flatten().filter_map(Yaml::as_str);
    list(&mut fields, "unknowns", unknowns.map(unknown))?;
    if let Some(mask) = members.get("mask_rule").and_then(Yaml::as_str) {
        fields.push(("mask_rule".into(), mask_rule(mask)?));
    }
    Ok(Value::object(fields))
}

/// A reference; a variable alone is none.
fn unknown(text: &str) -> Result<Value, AnnotationError> {
    let wrong = |why: String| AnnotationError::Unknown { text: text.into(), why };
    let term = term(text).map_err(|why| wrong(format!("failed to parse ref: {why}")))?;
    match &term.kind {
        Kind::Ref(_) => Ok(print::term(&term).into()),
        _ => Err(wrong(format!("expected ref but got {}", print::term(&term)))),
    }
}

/// A reference, or a name.
fn mask_rule(text: &str) -> Result<Value, AnnotationError> {
    let term = term(text).map_err(|why| AnnotationError::MaskRule { text: text.into(), why })?;
    match &term.kind {
        Kind::Ref(_) | Kind::Var(_) | Kind::String(_) => Ok(print::term(&term).into()),
        _ => Err(AnnotationError::MaskType(text.into())),
    }
}

/// One term, or why it is none in the words of OPA's `ParseTerm`.
fn term(text: &str) -> Result<Term, String> {
    let source = source(text);
    // What is no Rego at all has a place; of another number of terms than one it is said without.
    let said = |errors: Errors| match errors.iter().next() {
        Some(error) if error.details().is_empty() => error.message().to_owned(),
        _ => format!("failed to parse term: {}", listed(&source, &errors)),
    };
    parse_term(&source, SourceId::default(), &Options::default()).map_err(said)
}

fn source(text: &str) -> Source {
    Source::new("", text)
}
