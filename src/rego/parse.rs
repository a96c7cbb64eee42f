//! Texts that are looked at before they are compiled.

use plimsoll_contract::policy::{Diagnostic, Location};
use plimsoll_rego::program::Refused;
use plimsoll_rego::syntax::json::{self, Style};
use plimsoll_rego::syntax::parse::{self, Options};
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::span::SourceId;
use plimsoll_rego::syntax::tree::{self, Kind, Term};

use super::{Document, Module, RegoVersion};

/// Whether a text has nothing but blanks and comments.
pub fn is_blank(text: &str) -> bool {
    text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'))
}

/// Whether a word is a keyword of Rego v1.
pub fn is_keyword(word: &str) -> bool {
    plimsoll_rego::syntax::is_keyword(word, tree::Version::V1)
}

/// Returns the syntax tree of a module as OPA shows it in JSON, without places. Fails with all that is wrong in the text.
pub fn syntax_tree(module: &Module, version: RegoVersion) -> Result<Document, Vec<Diagnostic>> {
    let source = Source::new(&module.key, &module.text);
    let parsed = parse(module, version)?;
    let tree = json::module(Style { source: &source, locations: false }, &parsed);
    Document::new(tree, usize::MAX).map_err(|error| vec![unshown(module, error.to_string())])
}

fn unshown(module: &Module, message: String) -> Diagnostic {
    let location = Location { file: module.key.clone(), row: 1, col: 1 };
    Diagnostic { code: "rego_parse_error".to_owned(), message, location, ..Diagnostic::default() }
}

/// The path of a module's package below `data`. Fails with all that is wrong in the text.
pub(super) fn package(module: &Module, version: RegoVersion) -> Result<Vec<String>, Vec<Diagnostic>> {
    let text = |term: &Term| match &term.kind {
        Kind::String(text) => Some(text.to_string()),
        _ => None,
    };
    Ok(parse(module, version)?.package.path.iter().skip(1).filter_map(text).collect())
}

fn parse(module: &Module, version: RegoVersion) -> Result<tree::Module, Vec<Diagnostic>> {
    let source = Source::new(&module.key, &module.text);
    let parsed = match version.only() {
        Some(version) => parse::parse_module(&source, SourceId(0), &Options::of(version)),
        None => parse::parse_auto(&source, SourceId(0)),
    };
    parsed.map_err(|errors| {
        let mut sources = Sources::default();
        sources.add(source);
        Refused { errors, sources: sources.into() }.diagnostics()
    })
}
