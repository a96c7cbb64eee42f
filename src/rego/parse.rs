//! From the text of a module to its syntax tree, without dying of it.
//!
//! The text is looked at by a small lexer first ([`depth`]): the interpreter's parser recurses, and no panic guard survives a
//! stack overflow. Then it is parsed as Rego v1; if that fails, as v0; if both fail, the v1 error is shown with the v0 error
//! as a note. Lines may be long and modules up to 1 MiB.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use plimsoll_contract::policy::{Diagnostic, Location};
use regorus::PolicyLengthConfig;
use regorus::unstable::{Module as Ast, Parser};

use super::limits::compiling;
use super::splice::{Spliced, Splices};
use super::{Module, RegoVersion};

mod bodies;
mod braces;
mod breaks;
mod declarations;
mod depth;
mod error;
mod groups;
mod heads;
mod imports;
mod keywords;
mod layout;
mod lines;
mod metadata;
mod minus;
mod repeats;
mod sets;
mod tabs;
mod templates;
mod tokens;

pub(super) use depth::{balanced, unbalanced};
use keywords::Negation;
pub(crate) use lines::Lines;
pub(super) use metadata::{Annotation, Scope};
pub(super) use templates::may_be_template;
pub(super) use tokens::{Tokens, statement};

/// The largest module, in bytes.
pub const MAX_MODULE: usize = 1 << 20;

/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Which Rego a module turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// `rule { … }`.
    V0,
    /// `rule if { … }`.
    V1,
}

impl Version {
    /// `v0` or `v1`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
        }
    }
}

impl From<Version> for RegoVersion {
    fn from(version: Version) -> Self {
        match version {
            Version::V0 => Self::V0,
            Version::V1 => Self::V1,
        }
    }
}

/// A module and its syntax tree. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct ParsedModule {
    /// Shown in locations.
    pub key: Arc<str>,
    /// The text as given, template strings and signs written out, statements separated.
    pub text: Arc<str>,
    /// Which Rego it was read as.
    pub version: Version,
    /// The tree; its spans are byte offsets into `text` (their rows and columns count tabs as four: use [`Self::location`]).
    pub(in crate::rego) ast: Arc<Ast>,
    /// Of the text as given.
    lines: Arc<Lines>,
    written: Option<Arc<Spliced>>,
    /// Comments of which OPA allows one for each thing; offsets into `text`.
    pub(in crate::rego) annotations: Arc<[Annotation]>,
    pub(in crate::rego) negation: Negation,
}

impl ParsedModule {
    /// The same by another key.
    pub(in crate::rego) fn called(self, key: &str) -> Self {
        Self { key: key.into(), ..self }
    }

    fn given(&self) -> &str {
        self.written.as_ref().map_or(&self.text, |written| written.before())
    }

    /// The byte offset into the text as given, of one into `text`.
    pub(in crate::rego) fn offset(&self, offset: u32) -> usize {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        self.written.as_ref().map_or(offset, |written| written.original_offset(offset))
    }

    /// The place in the text as given, of a byte offset into `text`.
    pub fn location(&self, offset: u32) -> Location {
        let (row, col) = self.lines.position(self.given(), self.offset(offset));
        Location { file: self.key.to_string(), row, col }
    }

    /// An error at a byte offset, with its source line.
    pub(in crate::rego) fn diagnostic(&self, code: &str, message: impl Into<String>, at: u32) -> Diagnostic {
        let location = self.location(at);
        let details = vec![self.lines.shown(self.given(), location.row).to_string()];
        Diagnostic { code: code.into(), message: message.into(), location, details }
    }

    /// The place in the text as given, of a place in `text`; columns as the interpreter counts them.
    pub(in crate::rego) fn original(&self, row: u32, col: u32) -> (u32, u32) {
        self.written.as_ref().map_or((row, col), |written| written.original(row, col))
    }
}

/// Lengths that never stand in the way of a module of [`MAX_MODULE`] bytes nor of its rewritten form; for
/// `Engine::set_policy_length_config`.
pub fn length_limits() -> PolicyLengthConfig {
    const BYTES: usize = MAX_MODULE * 16;
    PolicyLengthConfig {
        max_col: NonZeroU32::MAX,
        max_file_bytes: NonZeroUsize::new(BYTES).unwrap_or(NonZeroUsize::MAX),
        max_lines: NonZeroUsize::new(BYTES).unwrap_or(NonZeroUsize::MAX),
    }
}

/// Whether a text has nothing but blanks and comments.
pub fn is_blank(text: &str) -> bool {
    tokens::Tokens::new(text).next().is_none()
}

/// Parses one module.
pub fn parse(module: &Module, version: RegoVersion) -> Result<ParsedModule, Diagnostic> {
    let lines = Arc::new(Lines::new(&module.text));
    let given = Text { key: &module.key, text: &module.text, lines: lines.clone(), written: None, template: None };
    if module.text.len() > MAX_MODULE {
        return Err(given.error(0, format!("module has {} bytes; at most {MAX_MODULE} are read", module.text.len())));
    }
    if let Some(at) = module.text.find('\0') {
        return Err(given.error(at, "illegal null character".to_owned()));
    }
    let (splices, template) = passes(&module.text).map_err(|(at, message)| given.error(at, message))?;
    let first = read(module, lines.clone(), (splices.apply(&module.text), template), version)?;
    let dropped = repeats::dropped(&first.text, &first.ast, &templates::prefix(&module.text));
    if dropped.is_empty() {
        return Ok(first);
    }
    let without = first
        .written
        .as_deref()
        .map_or_else(|| Splices::default().apply(&module.text).without(&dropped), |w| w.without(&dropped));
    let written =
        without.map_err(|at| first.diagnostic("rego_parse_error", repeats::INSIDE, u32::try_from(at).unwrap_or_default()))?;
    read(module, lines, (written, template), first.version.into())
}

/// What the interpreter's parser gets otherwise, and where the first template string is.
fn passes(text: &str) -> Result<(Splices, Option<usize>), (usize, String)> {
    let mut splices = templates::write_out(text)?;
    let template = splices.first();
    let passes = [breaks::separate, minus::write_out, sets::write_out, tabs::write_out, groups::write_out, braces::write_out];
    let more = passes.map(|pass| pass(text, &splices));
    let values = heads::write_out(text, &splices)?;
    more.into_iter().chain([values, keywords::drop(text), imports::gather(text)]).for_each(|more| splices.append(more));
    if text.starts_with(BYTE_ORDER_MARK) {
        splices.insert(0, BYTE_ORDER_MARK.len_utf8(), String::new());
    }
    Ok((splices, template))
}

/// Parses the text of a module as it was written out.
fn read(
    module: &Module,
    lines: Arc<Lines>,
    (written, template): (Spliced, Option<usize>),
    version: RegoVersion,
) -> Result<ParsedModule, Diagnostic> {
    let written = written.is_changed().then_some(written);
    let source = written.as_ref().map_or(module.text.as_str(), |written| &written.text);
    let text = Text { key: &module.key, text: source, lines: lines.clone(), written: written.as_ref(), template };
    if let Err(deep) = depth::check(source) {
        return Err(text.error(deep.offset, deep.message));
    }
    let (version, ast) = match version {
        RegoVersion::V1 => (Version::V1, text.parse(Version::V1)?),
        RegoVersion::V0 => (Version::V0, text.parse(Version::V0)?),
        RegoVersion::Auto => text.parse_either()?,
    };
    let annotations = metadata::check(source, &ast, module.text.starts_with(BYTE_ORDER_MARK))
        .map_err(|(at, message)| text.error(at, message))?
        .into();
    let (key, source) = (module.key.as_str().into(), source.into());
    let negation = Negation::of(&module.text);
    Ok(ParsedModule {
        key,
        text: source,
        version,
        ast: Arc::new(ast),
        lines,
        written: written.map(Arc::new),
        annotations,
        negation,
    })
}

struct Text<'m> {
    key: &'m str,
    text: &'m str,
    /// Of the text as given.
    lines: Arc<Lines>,
    written: Option<&'m Spliced>,
    /// Where the first template string is, in the text as given.
    template: Option<usize>,
}

impl Text<'_> {
    fn parse_either(&self) -> Result<(Version, Ast), Diagnostic> {
        let v1 = match self.parse(Version::V1) {
            Ok(ast) => return Ok((Version::V1, ast)),
            // It is Rego v1, and OPA refuses it.
            Err(error) if error::is_of_name(&error) => return Err(error),
            Err(error) => error,
        };
        match self.parse(Version::V0) {
            Ok(ast) => Ok((Version::V0, ast)),
            Err(v0) => Err(with_note(v1, &v0)),
        }
    }

    fn parse(&self, version: Version) -> Result<Ast, Diagnostic> {
        if let Some(at) = self.template.filter(|_| version == Version::V0) {
            let (row, col) = self.lines.position(self.given(), at);
            return Err(self.error_at(row, col, "template strings are not supported by current capabilities".to_owned()));
        }
        layout::check_keywords(self.given(), version).map_err(|(offset, message)| {
            let (row, col) = self.lines.position(self.given(), offset);
            self.error_at(row, col, message)
        })?;
        layout::check_imports(self.text, Negation::of(self.given())).map_err(|(offset, message)| self.error(offset, message))?;
        layout::check(self.text, version).map_err(|(offset, message)| self.error(offset, message))?;
        compiling::check().map_err(|overdue| overdue.diagnostic())?;
        let ast = self.parse_unchecked(version).map_err(|e| error::diagnostic(&e, self))?;
        layout::check_rules(self.text, &ast).map_err(|(offset, message)| self.error(offset, message))?;
        declarations::check(self.text, &ast).map_err(|(offset, message)| self.error(offset, message))?;
        bodies::check(self.text, &ast).map_err(|(offset, message)| self.error(offset, message))?;
        Ok(ast)
    }

    fn parse_unchecked(&self, version: Version) -> Result<Ast, String> {
        let limits = length_limits();
        let (key, text) = (self.key.to_string(), self.text.to_string());
        let source = regorus::Source::from_contents_with_limits(key, text, limits.max_file_bytes, limits.max_lines)
            .map_err(|e| e.to_string())?;
        let mut parser = Parser::new(&source).map_err(|e| e.to_string())?;
        parser.set_max_col(limits.max_col);
        if version == Version::V1 {
            parser.enable_rego_v1().map_err(|e| e.to_string())?;
        }
        parser.parse().map_err(|e| e.to_string())
    }

    fn given(&self) -> &str {
        self.written.map_or(self.text, Spliced::before)
    }

    /// At an offset into the text as the parser reads it.
    fn error(&self, offset: usize, message: String) -> Diagnostic {
        let offset = self.written.map_or(offset, |written| written.original_offset(offset));
        let (row, col) = self.lines.position(self.given(), offset);
        self.error_at(row, col, message)
    }

    /// At a place in the text as given.
    fn error_at(&self, row: u32, col: u32, message: String) -> Diagnostic {
        let location = Location { file: self.key.to_string(), row, col };
        let details = vec![self.lines.shown(self.given(), row).to_string()];
        Diagnostic { code: "rego_parse_error".into(), message, location, details }
    }
}

fn with_note(mut v1: Diagnostic, v0: &Diagnostic) -> Diagnostic {
    v1.details.push(format!("note: as Rego v0: {}:{}: {}", v0.location.row, v0.location.col, v0.message));
    v1
}

#[cfg(test)]
mod tests;
