//! Texts that are looked at before they are compiled.

use plimsoll_contract::policy::Diagnostic;
use plimsoll_rego::program::Refused;
use plimsoll_rego::syntax::parse::{self, Options};
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::span::SourceId;
use plimsoll_rego::syntax::tree;

use super::{Module, RegoVersion};

/// Whether a text has nothing but blanks and comments.
pub fn is_blank(text: &str) -> bool {
    text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'))
}

/// Parses one module.
pub fn parse(module: &Module, version: RegoVersion) -> Result<tree::Module, Vec<Diagnostic>> {
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
