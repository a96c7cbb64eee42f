//! What is asked, read: the query, its imports and its package.

use std::sync::Arc;

use super::super::Refused;
use super::QueryRefused;
use crate::compile;
use crate::compile::Interrupt;
use crate::error::Errors;
use crate::syntax::parse::{self, Options};
use crate::syntax::source::{Source, Sources};
use crate::syntax::span::{SourceId, Span};
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Import, Package, Version};
use crate::value::Value;

/// A query, and what it is read with.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Statements, between `;` or on lines of their own.
    pub text: String,
    /// A package whose rules have short names, such as `fleet.rules`.
    pub package: Option<String>,
    /// Import statements without their first word, such as `data.app.rules as r`; `future.keywords.not` and the like change how
    /// the query is read.
    pub imports: Vec<String>,
    /// Which language it is written in.
    pub version: Version,
    /// OPA's strict mode; `opa eval --strict` is strict with modules, not with queries.
    pub strict: bool,
}

/// What is asked, read.
pub(super) struct Parsed {
    /// Its texts, behind those of the set.
    pub(super) sources: Arc<Sources>,
    pub(super) query: parse::Query,
    place: Span,
    package: Option<Package>,
    imports: Vec<Import>,
    strict: bool,
}

impl Asked {
    /// A query by itself.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The document at a path below `data`.
    pub fn document(path: &[Value]) -> Self {
        Self::new(written(&std::iter::once("data".into()).chain(path.iter().cloned()).collect::<Vec<_>>()))
    }

    /// Reads all of it, in OPA's order (`v1/rego/rego.go`, `prepare`, `compileQuery`): the imports, the query, the package.
    pub(super) fn parse(&self, set: &Arc<Sources>) -> Result<Parsed, QueryRefused> {
        let mut sources = Sources::after(set.clone());
        match self.read(&mut sources) {
            Ok((imports, query, package)) => {
                // The imports are the first text, the query the second one.
                let place = Span { source: SourceId(set.next().0.saturating_add(1)), ..Span::default() };
                Ok(Parsed { sources: Arc::new(sources), query, place, package, imports, strict: self.strict })
            }
            Err(errors) => Err(QueryRefused::Parse(Refused { errors, sources: Arc::new(sources) })),
        }
    }

    fn read(&self, sources: &mut Sources) -> Result<(Vec<Import>, parse::Query, Option<Package>), Errors> {
        let v1 = Options::of(Version::V1);
        let imports: String = self.imports.iter().map(|import| format!("import {import}\n")).collect();
        let imports = text(sources, &imports, |source, id| parse::parse_imports(source, id, &v1))?;
        let options = Options::of(self.version);
        let query = text(sources, &self.text, |source, id| parse::parse_query(source, id, &options, &imports))?;
        let package = self.package.as_deref().filter(|package| !package.is_empty());
        let package = package
            .map(|package| text(sources, &format!("package {package}"), |source, id| parse::parse_package(source, id, &v1)));
        match package.transpose() {
            Ok(package) => Ok((imports, query, package)),
            Err(errors) => {
                // A deep tree is dropped where there is room for it.
                with_depth(query.depth, || drop(query));
                Err(errors)
            }
        }
    }
}

/// Reads a text that has no name.
fn text<T>(sources: &mut Sources, text: &str, read: impl FnOnce(&Source, SourceId) -> T) -> T {
    let source = Source::new("", text);
    let read = read(&source, sources.next());
    sources.add(source);
    read
}

impl Parsed {
    /// What the compiler sees of it beside the query.
    pub(super) fn context<'s>(&'s self, interrupt: Option<&'s Interrupt>) -> compile::query::Context<'s> {
        let (package, imports) = (self.package.as_ref(), self.imports.as_slice());
        compile::query::Context { package, imports, place: self.place, strict: self.strict, capture: true, interrupt }
    }
}

/// A path as a reference that can be read again.
fn written(path: &[Value]) -> String {
    let mut text = String::new();
    for key in path {
        match key {
            Value::String(name) if text.is_empty() => text.push_str(name),
            Value::String(name) if is_plain(name) => {
                text.push('.');
                text.push_str(name);
            }
            other => text.push_str(&format!("[{other}]")),
        }
    }
    text
}

fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}
