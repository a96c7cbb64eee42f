//! Compares a file with the schema of its kind, to tell whether a hook will see what the file says.

use std::sync::LazyLock;

use plimsoll_apiserver::expression::{Step, Use};
use serde_json::Value as Json;

use super::{Doubt, on, shown};
use crate::cli::predict::schema::{Schema, SchemaError, TEXTS};

/// Fails with the reason if a hook may see something else at a path than the file says; `by` is what is asked of it.
pub(super) fn written(object: &Json, path: &[Step], by: Use, schema: Result<&Schema, &SchemaError>) -> Result<(), Doubt> {
    static SHAPELESS: LazyLock<Schema> = LazyLock::new(Schema::empty);
    let shown = shown(path);
    let step = |at: usize| path.get(at).and_then(|step| if let Step::Field(name) = step { Some(name.as_str()) } else { None });
    match (step(0), step(1)) {
        (Some("metadata"), Some("name")) => {
            let is_drawn = object.pointer("/metadata/name").is_none_or(|name| name == "");
            if is_drawn { Err(on("the name that the server draws")) } else { Ok(()) }
        }
        (Some("metadata"), Some(texts @ ("labels" | "annotations"))) => {
            let texts = object.pointer("/metadata").and_then(|metadata| metadata.get(texts)).ok_or_else(|| missing(&shown))?;
            Walk { schema: &SHAPELESS, by, shown: &shown }.part(texts, &TEXTS, path.get(2..).unwrap_or_default(), false)
        }
        _ => {
            let schema = schema.map_err(|why| Doubt::Unknown(why.to_string()))?;
            Walk { schema, by, shown: &shown }.part(object, schema.root(), path, false)
        }
    }
}

fn missing(path: &str) -> Doubt {
    Doubt::On(format!("defaulting: the file has no `{path}`"))
}

/// The parameters of one walk down an object and its schema: schema, question, and the path for messages.
struct Walk<'a> {
    schema: &'a Schema,
    by: Use,
    shown: &'a str,
}

impl Walk<'_> {
    /// Follows the rest of a path. `is_member`: `value` is a member of a map or list, where the server keeps empty values.
    fn part(&self, value: &Json, node: &Json, path: &[Step], is_member: bool) -> Result<(), Doubt> {
        match (path.split_first(), value) {
            (None, _) => self.end(value, node, is_member),
            (Some((Step::Field(name), rest)), Json::Object(_)) => {
                let member = value.get(name).ok_or_else(|| missing(self.shown))?;
                let of_member = self.schema.member(node, name).ok_or_else(|| self.pruned())?;
                let is_map = self.schema.declared(node).next().is_none();
                self.part(member, of_member, rest, is_map)
            }
            (Some((Step::Each, rest)), Json::Array(members)) => {
                members.iter().try_for_each(|member| self.part(member, self.schema.item(node), rest, true))
            }
            // The keys of a map: its members have been looked at.
            (Some((Step::Each, _)), Json::Object(_)) => Ok(()),
            // What a list holds is looked for by value.
            (Some((Step::Field(_), _)), Json::Array(_)) => self.whole(value, node, is_member),
            _ => Err(missing(self.shown)),
        }
    }

    fn end(&self, value: &Json, node: &Json, is_member: bool) -> Result<(), Doubt> {
        match (self.by, value) {
            (Use::Value, _) => self.whole(value, node, is_member),
            (Use::Members, Json::Object(_)) if self.schema.declared(node).next().is_some() => {
                Err(Doubt::On(format!("defaulting: fields of `{}`", self.shown)))
            }
            // A map keeps its keys, whatever stands behind them.
            (_, Json::Object(members)) if self.schema.declared(node).next().is_none() => {
                let is_kept = !members.is_empty() && members.values().all(|member| !member.is_null());
                is_kept.then_some(()).ok_or_else(|| self.empty())
            }
            (_, Json::Object(members)) => {
                let mut kept = members.iter().map(|(name, member)| self.kept(member, self.schema.member(node, name)));
                kept.any(|kept| kept).then_some(()).ok_or_else(|| self.empty())
            }
            (Use::Presence | Use::Members, Json::Array(members)) => {
                let is_kept = !members.is_empty() && members.iter().all(|member| !member.is_null());
                is_kept.then_some(()).ok_or_else(|| self.empty())
            }
            (Use::Presence | Use::Members, _) => {
                if is_member && !value.is_null() || !is_empty(value) {
                    Ok(())
                } else {
                    Err(self.empty())
                }
            }
        }
    }

    /// Returns whether the server keeps a member: its schema knows the field, and the value is not empty.
    fn kept(&self, value: &Json, node: Option<&Json>) -> bool {
        let Some(node) = node else { return false };
        match value {
            Json::Object(members) => members.iter().any(|(name, member)| self.kept(member, self.schema.member(node, name))),
            Json::Array(members) => !members.is_empty(),
            scalar => !is_empty(scalar),
        }
    }

    /// Fails unless the server keeps a value with all that is in it, and adds nothing.
    fn whole(&self, value: &Json, node: &Json, is_member: bool) -> Result<(), Doubt> {
        match value {
            Json::Array(members) if !members.is_empty() => {
                members.iter().try_for_each(|member| self.whole(member, self.schema.item(node), true))
            }
            Json::Object(members) if !members.is_empty() => {
                if self.schema.declared(node).any(|name| !members.contains_key(name)) {
                    return Err(Doubt::On(format!("defaulting: fields of `{}`", self.shown)));
                }
                let is_map = self.schema.declared(node).next().is_none();
                members.iter().try_for_each(|(name, member)| {
                    let node = self.schema.member(node, name).ok_or_else(|| self.pruned())?;
                    self.whole(member, node, is_map)
                })
            }
            Json::Null => Err(self.empty()),
            _ if self.schema.is_rewritten(node) => {
                Err(Doubt::On(format!("the form in which the server writes `{}`", self.shown)))
            }
            scalar if is_empty(scalar) && !is_member => Err(self.empty()),
            _ => Ok(()),
        }
    }

    fn pruned(&self) -> Doubt {
        Doubt::On(format!("pruning: the schema has no `{}`", self.shown))
    }

    fn empty(&self) -> Doubt {
        Doubt::On(format!("defaulting: `{}` is empty in the file", self.shown))
    }
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Bool(flag) => !flag,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(members) => members.is_empty(),
        Json::Object(members) => members.is_empty(),
    }
}
