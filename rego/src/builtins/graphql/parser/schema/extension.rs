//! `extend …`.

use super::super::super::ast::{Comments, Definition, SchemaDefinition};
use super::super::{Parsed, Parser};
use super::{BRACES, Parts, type_kind};

impl<'a> Parser<'a, '_> {
    /// One extension, of the schema or of a type.
    pub(super) fn extension(&mut self, parts: &mut Parts<'a>) -> Parsed<()> {
        let after = self.expect_keyword("extend")?;
        let keyword = self.peek()?.value;
        if keyword == "schema" {
            let extension = self.schema_extension(after)?;
            return Ok(self.push(&mut parts.schema_extensions, extension)?);
        }
        let Some(kind) = type_kind(keyword) else { return self.unexpected() };
        self.expect_keyword(keyword)?;
        let begun = Definition { after, ..self.typed(kind)? };
        let extension = self.body(begun, false)?;
        if is_empty(&extension) {
            return self.unexpected();
        }
        Ok(self.push(&mut parts.extensions, extension)?)
    }

    fn schema_extension(&mut self, after: Comments<'a>) -> Parsed<SchemaDefinition<'a>> {
        self.expect_keyword("schema")?;
        let at = self.here()?;
        let directives = self.directives(true)?;
        let (roots, end) = self.some(BRACES, Self::root_type)?;
        if directives.is_empty() && roots.is_empty() {
            return self.unexpected();
        }
        Ok(SchemaDefinition { directives, roots: self.trees.keep(roots), at, after, end, ..SchemaDefinition::default() })
    }
}

/// Whether it extends by nothing.
fn is_empty(of: &Definition<'_>) -> bool {
    let parts = [of.interfaces.len(), of.directives.len(), of.fields.len(), of.types.len(), of.values.len()];
    parts.iter().all(|count| *count == 0)
}
