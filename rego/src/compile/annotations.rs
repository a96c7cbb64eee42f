//! METADATA of rules and packages (`v1/ast/annotations.go`).

use super::Compiler;

/// METADATA by what it is about.
#[derive(Debug, Default)]
pub struct AnnotationSet {}

/// The stage `ParseMetadataBlocks`.
pub(super) fn parse_metadata_blocks(_: &mut Compiler) {}

/// The stage `SetAnnotationSet`.
pub(super) fn set_annotation_set(_: &mut Compiler) {}
