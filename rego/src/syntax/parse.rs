//! The parser (`v1/ast/parser.go`, `v1/ast/parser_ext.go`): what OPA reads, into the tree that OPA makes of it.
//!
//! One token decides what comes next; where OPA tries and goes back, this looks ahead, so that reading is linear. A statement that
//! is wrong does not hide what is wrong behind it.

mod bar;
mod body;
mod check;
mod collection;
mod cursor;
mod default;
mod from_body;
mod group;
mod head;
mod import;
mod infix;
mod infix_words;
mod list;
mod literal;
mod logical;
mod module;
mod operand;
mod operand_errors;
mod otherwise;
mod parens;
mod query;
mod reference;
mod report;
mod rule;
mod scalar;
mod some;
mod state;
mod statement;
mod term;
mod unquote;
mod words;

pub use query::{Query, parse_imports, parse_package, parse_query};
use state::Parser;
pub use words::kind_name;

use super::source::Source;
use super::span::{SourceId, Span};
use super::stack::sized_for;
use super::token::Keywords;
use super::tree::{Body, ExprKind, Module, Term, Version};
use crate::error::{Code, Error, Errors};

/// How a text is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The version without imports; the newest one that OPA reads by itself is v1.
    pub version: Version,
    /// All words that could be imported are keywords.
    pub all_keywords: bool,
    /// METADATA blocks are left alone.
    pub skip_annotations: bool,
}

impl Options {
    /// The options of a version.
    pub fn of(version: Version) -> Self {
        Self { version, ..Self::default() }
    }
}

/// Reads a module (`ParseModuleWithOpts`).
///
/// # Errors
/// All that is wrong with it.
pub fn parse_module(source: &Source, id: SourceId, options: &Options) -> Result<Module, Errors> {
    sized_for(&source.text, || {
        let mut parser = parser(source, id, options);
        let (statements, errors) = parser.parse_statements();
        Errors::check(errors)?;
        module::of_statements(parser, source, statements, options)
    })
}

/// Reads a module as v1, or as v0 if that fails.
///
/// # Errors
/// What is wrong with it as v1.
pub fn parse_auto(source: &Source, id: SourceId) -> Result<Module, Errors> {
    parse_module(source, id, &Options::of(Version::V1))
        .or_else(|errors| parse_module(source, id, &Options::of(Version::V0)).map_err(|_| errors))
}

/// Reads a query (`ParseBody`); an empty text is an empty one.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_body(source: &Source, id: SourceId, options: &Options) -> Result<Body, Errors> {
    parse_query(source, id, options, &[]).map(|query| query.body)
}

/// Reads one term (`ParseTerm`).
///
/// # Errors
/// All that is wrong with it.
pub fn parse_term(source: &Source, id: SourceId, options: &Options) -> Result<Term, Errors> {
    let mut body = parse_body(source, id, options)?;
    let place = Span { source: id, start: 0, end: 0 };
    let wrong = |message: String| Errors::from(Error::new(Code::Parse, place, message));
    match (body.pop(), body.is_empty()) {
        (Some(expr), true) => match expr.kind {
            ExprKind::Term(term) => Ok(term),
            ExprKind::Call(terms) => {
                let terms: Vec<_> = terms.iter().map(super::print::term).collect();
                Err(wrong(format!("expected term but got [{}]", terms.join(" "))))
            }
            _ => Err(wrong("expected exactly one term".to_owned())),
        },
        (last, _) => {
            body.extend(last);
            Err(wrong(format!("expected exactly one term but got: {}", super::print::body(&body))))
        }
    }
}

/// Reads one reference (`ParseRef`): its parts.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_ref(source: &Source, id: SourceId, options: &Options) -> Result<Vec<Term>, Errors> {
    let term = parse_term(source, id, options)?;
    match term.kind {
        super::tree::Kind::Ref(parts) => Ok(parts),
        _ => Err(Error::new(Code::Parse, term.span, format!("expected ref but got {}", super::print::term(&term))).into()),
    }
}

fn parser<'a>(source: &'a Source, id: SourceId, options: &Options) -> Parser<'a> {
    let mut parser = Parser::new(&source.text, id, options.version);
    parser.keywords = match options.version {
        _ if options.all_keywords => Keywords::ALL,
        Version::V0 | Version::V0CompatV1 => Keywords::default(),
        Version::V1 => Keywords::V0,
        Version::V2 => Keywords::ALL,
    };
    parser.not_bodies = parser.keywords.has(Keywords::NOT);
    parser
}
