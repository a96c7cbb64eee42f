//! Templates as calls.

use super::Compiler;

/// The stage `RewriteTemplateStrings`.
pub(super) fn rewrite_template_strings(_: &mut Compiler) {}
