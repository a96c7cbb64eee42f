//! Events that are kept.

use std::sync::Arc;

use arcstr::ArcStr;

use super::event::{Node, Op};
use super::metadata::Metadata;
use crate::syntax::source::Sources;
use crate::syntax::span::Span;
use crate::value::Value;

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file; empty for the query.
    pub file: ArcStr,
    /// The row, from 1.
    pub row: u32,
    /// The column, from 1.
    pub col: u32,
}

/// What kind of node an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// None.
    Note,
    /// A query.
    Body,
    /// A rule.
    Rule,
    /// An expression.
    Expr,
}

/// An event that is kept.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What happened.
    pub op: Op,
    /// In which query.
    pub query_id: u64,
    /// For which query.
    pub parent_id: u64,
    /// What it is about.
    pub about: About,
    /// Where that stands.
    pub place: Option<Place>,
    /// What is shown of it, the message included.
    pub text: Arc<str>,
    /// The message.
    pub message: String,
    /// The node and what variables are bound to, as JSON, if that is wanted.
    pub json: Option<(Value, Value)>,
    /// What the variables are called and where they stand, if that is wanted; OPA tells of no variables beside a note.
    pub metadata: Option<Metadata>,
    /// How many bytes it takes without the values of its variables, about: kept, or written.
    pub size: usize,
    /// How many bytes those take.
    pub values: usize,
    /// They are not there, because they would take too much.
    pub without_values: bool,
}

/// About what one of the nodes of a value takes when it is shown as OPA shows terms ([`Value::nodes`]).
pub(super) const VALUE: usize = 128;

impl About {
    pub(super) fn of(node: Node<'_>) -> Self {
        match node {
            Node::None => Self::Note,
            Node::Body(_) => Self::Body,
            Node::Rule(_) => Self::Rule,
            Node::Expr(..) => Self::Expr,
        }
    }
}

impl Place {
    /// Where a span begins.
    pub(super) fn of(sources: &Sources, span: Span) -> Self {
        let source = sources.get(span.source);
        let position = source.map(|source| source.position(span.start)).unwrap_or_default();
        let file = source.map(|source| source.name.clone()).unwrap_or_default();
        Self { file, row: position.row, col: position.col }
    }
}

/// What so many nodes of values take.
pub(super) fn size(nodes: u32) -> usize {
    usize::try_from(nodes).unwrap_or(usize::MAX).saturating_mul(VALUE)
}
