//! Reading the file: environment, YAML or JSON, types, and what types cannot say.

use std::io::Read;
use std::path::Path;
use std::{env, fs};

use serde_json::{Map, Value as Json};

use super::decision_logs::DecisionLogs;
use super::{ConfigError, KeyError, OpaConfig, env as environment, shown};
use crate::yaml;

/// Far larger than anybody writes.
const LARGEST: u64 = 8 << 20;

/// Reads a file.
pub fn load(path: &Path, id: &str) -> Result<OpaConfig, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.into(), source };
    let mut text = String::new();
    fs::File::open(path).map_err(failed)?.take(LARGEST).read_to_string(&mut text).map_err(failed)?;
    parse(&environment::substitute(&text, |name| env::var(name).ok()), id)
}

/// Reads a text.
pub fn parse(text: &str, id: &str) -> Result<OpaConfig, ConfigError> {
    let raw = yaml::load(text).map_err(ConfigError::Syntax)?;
    let mut raw = if raw.is_null() { Json::Object(Map::new()) } else { raw };
    settle(&mut raw);
    if !raw.is_object() {
        return Err(ConfigError::NotAMap);
    }
    let config: Result<OpaConfig, _> = serde_path_to_error::deserialize(by_name(raw.clone())?);
    let mut config = config.map_err(|error| {
        let key = error.path().to_string();
        error_at(key, KeyError::Type(plainly(&error.into_inner().to_string())))
    })?;
    check(&mut config)?;
    config.active = shown::active(&raw, id);
    for (name, label) in shown::own_labels(id) {
        config.labels.insert(name, label.as_str().unwrap_or_default().into());
    }
    Ok(config)
}

/// Removes keys without a value, as templates leave them; a label without a value becomes an empty text (Go: `null`).
fn settle(raw: &mut Json) {
    let Some(sections) = raw.as_object_mut() else { return };
    sections.retain(|_, section| !section.is_null());
    for (name, section) in sections {
        let Some(fields) = section.as_object_mut() else { continue };
        match name.as_str() {
            "labels" => fields.values_mut().filter(|label| label.is_null()).for_each(|label| *label = "".into()),
            // Their keys are names: one of nothing is a mistake.
            "bundles" => {
                // But OPA passes over a bundle that is `null`.
                fields.retain(|_, bundle| !bundle.is_null());
                fields.values_mut().for_each(without_nulls);
            }
            "services" | "keys" => fields.values_mut().for_each(without_nulls),
            _ => without_nulls(section),
        }
    }
}

fn without_nulls(value: &mut Json) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(without_nulls);
    }
}

/// `services` as a list is the same as a map.
fn by_name(mut raw: Json) -> Result<Json, ConfigError> {
    let Some(Json::Array(list)) = raw.get_mut("services") else { return Ok(raw) };
    let mut services = Map::new();
    for (at, service) in std::mem::take(list).into_iter().enumerate() {
        let name = service.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        if name.is_empty() || services.insert(name, service).is_some() {
            return Err(error_at(format!("services[{at}].name"), KeyError::ServiceName));
        }
    }
    if let Some(fields) = raw.as_object_mut() {
        fields.insert("services".into(), Json::Object(services));
    }
    Ok(raw)
}

/// Serde's words for a key that it does not know are those of a programmer, and those for a value quote it: it may be a token
/// that stands one level too high.
fn plainly(message: &str) -> String {
    if let Some(what) = ["invalid type: ", "invalid value: "].iter().find(|prefix| message.starts_with(**prefix))
        && let Some((found, expected)) = message.rsplit_once(", expected ")
    {
        let kind = found.get(what.len()..).unwrap_or_default();
        let kind = kind.split(['"', '`']).next().unwrap_or_default().trim_end();
        return format!("{what}{kind}, expected {expected}");
    }
    match message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        Some((field, rest)) => format!("key `{field}` is not supported here{}", rest.replace(", expected", "; supported:")),
        None => message.into(),
    }
}

fn error_at(key: impl Into<String>, why: KeyError) -> ConfigError {
    ConfigError::Key { key: key.into(), why }
}

fn check(config: &mut OpaConfig) -> Result<(), ConfigError> {
    let names: Vec<String> = config.services.keys().cloned().collect();
    for (name, service) in &mut config.services {
        service.check().map_err(|why| error_at(format!("services.{name}"), why))?;
        service.name = Some(name.clone());
    }
    for (name, source) in &mut config.bundles {
        let at = |why| error_at(format!("bundles.{name}"), why);
        if source.resource.is_empty() {
            source.resource = format!("bundles/{name}");
        }
        if !source.resource.starts_with("file://") {
            known("service", &mut source.service, &names, true).map_err(at)?;
        }
        source.polling.check().map_err(at)?;
        let signing = source.signing.as_ref();
        signing.map_or(Ok(()), super::bundles::Signing::check).map_err(at)?;
        match signing.map(|signing| signing.keyid.as_str()) {
            Some("") if config.keys.is_empty() => return Err(at(KeyError::NoKeys)),
            Some(id) if !id.is_empty() && !config.keys.contains_key(id) => {
                return Err(at(KeyError::UnknownKey(id.into())));
            }
            _ => {}
        }
    }
    // Sections without anything to do are not there, as in OPA.
    let idle = |logs: &DecisionLogs| logs.service.is_empty() && !logs.console && logs.plugin.is_none();
    config.decision_logs.take_if(|logs| names.is_empty() && idle(logs));
    config.status.take_if(|status| names.is_empty() && status.service.is_empty() && !status.console && !status.prometheus);
    if let Some(logs) = &mut config.decision_logs {
        let at = |why| error_at("decision_logs", why);
        let only = !logs.console && logs.plugin.is_none();
        known("service", &mut logs.service, &names, only).map_err(at)?;
        logs.check().map_err(at)?;
        if logs.plugin.is_some() && config.plugins.file_logger.is_none() {
            return Err(at(KeyError::NoFileLogger));
        }
    }
    if let Some(status) = &mut config.status {
        let only = !status.console && !status.prometheus;
        known("service", &mut status.service, &names, only).map_err(|why| error_at("status", why))?;
    }
    config.server.check().map_err(|why| error_at("server", why))
}

/// Sets the first service where none is named and OPA takes it. Fails where the service that is named does not exist.
fn known(field: &'static str, service: &mut String, names: &[String], default: bool) -> Result<(), KeyError> {
    if service.is_empty() && default {
        service.clone_from(names.first().ok_or(KeyError::NoService(field))?);
    }
    if service.is_empty() || names.contains(service) {
        Ok(())
    } else {
        Err(KeyError::UnknownService { field, name: service.clone() })
    }
}

#[cfg(test)]
mod tests;
