//! Modules, rules and comments.

use super::annotations::annotations;
use super::body::body;
use super::term::{term, terms};
use super::{Members, Style, location};
use crate::syntax::tree::{Annotations, Comment, Head, Import, Module, Package, Rule};
use crate::value::Value;

/// A module with its comments.
pub fn module(style: Style<'_>, module: &Module) -> Value {
    let imports = module.imports.iter().map(|import| self::import(style, import));
    let annotated = module.annotations.iter().map(|one| annotations(style, one));
    let rules = module.rules.iter().map(|rule| self::rule(style, rule, &module.annotations));
    let comments = module.comments.iter().map(|comment| self::comment(style, comment));
    Members::new()
        .with("package", package(style, &module.package))
        .with_some("imports", list(imports))
        .with_some("annotations", list(annotated))
        .with_some("rules", list(rules))
        .with_some("comments", list(comments))
        .finish()
}

/// Items, unless there is none.
fn list(items: impl Iterator<Item = Value>) -> Option<Value> {
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then(|| Value::array(items))
}

fn package(style: Style<'_>, package: &Package) -> Value {
    Members::new().at(style, package.span).with("path", terms(style, &package.path)).finish()
}

fn import(style: Style<'_>, import: &Import) -> Value {
    let members = Members::new().at(style, import.span).with("path", term(style, &import.path));
    match &import.alias {
        None => members.finish(),
        Some((name, span)) => members
            .with("alias", Value::string(name))
            .with_some("alias_location", style.locations.then(|| location(style, *span)))
            .finish(),
    }
}

/// A rule, and those of its module's annotations that are its own.
pub(crate) fn rule(style: Style<'_>, rule: &Rule, all: &[Annotations]) -> Value {
    let annotated = rule.annotations.iter().filter_map(|index| all.get(*index)).map(|one| annotations(style, one));
    Members::new()
        .with_some("annotations", list(annotated))
        .with("body", body(style, &rule.body))
        .with_flag("default", rule.default)
        .with_some("else", rule.otherwise.as_deref().map(|rule| self::rule(style, rule, all)))
        .with("head", head(style, &rule.head))
        .at(style, rule.span)
        .finish()
}

fn head(style: Style<'_>, head: &Head) -> Value {
    let args = head.args.as_ref().filter(|args| !args.is_empty()).map(|args| terms(style, args));
    Members::new()
        .with_some("name", (!head.name.is_empty()).then(|| Value::string(&head.name)))
        .with_some("args", args)
        .with_some("key", head.key.as_ref().map(|key| term(style, key)))
        .with_some("value", head.value.as_ref().map(|value| term(style, value)))
        .with_flag("assign", head.assign)
        .with("ref", terms(style, &head.reference))
        .at(style, head.span)
        .finish()
}

/// The text of a comment is bytes for OPA, so it is shown in Base64.
fn comment(style: Style<'_>, comment: &Comment) -> Value {
    // A carriage return alone is no text at all.
    let text = style.source.slice(comment.span);
    let text = if text == "#\r" { Value::Null } else { base64(comment.text.as_bytes()).into() };
    Members::new().with("Text", text).with("Location", location(style, comment.span)).finish()
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
