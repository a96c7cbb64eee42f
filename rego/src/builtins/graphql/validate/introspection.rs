//! How deep a query may look into the schema.

use std::collections::HashSet;

use super::super::ast::{Field, Selection};
use super::{Checked, Validator};
use crate::limits::Halt;

/// Lists of lists that are too many.
const TOO_DEEP: u32 = 3;

impl<'a> Validator<'_, 'a> {
    /// MaxIntrospectionDepth
    pub(super) fn introspection_depth(&mut self, of: &'a Field<'a>) -> Checked {
        if !["__schema", "__type"].contains(&of.name) || !self.too_deep(of, &mut HashSet::new(), 0)? {
            return Ok(());
        }
        self.find(of.at, "Maximum introspection depth exceeded".to_owned())
    }

    fn too_deep(&mut self, of: &'a Field<'a>, within: &mut HashSet<&'a str>, lists: u32) -> Result<bool, Halt> {
        let list = ["fields", "interfaces", "possibleTypes", "inputFields"].contains(&of.name);
        let lists = lists.saturating_add(u32::from(list));
        if list && lists >= TOO_DEEP {
            return Ok(true);
        }
        self.selects_too_deep(of.selections, within, lists)
    }

    fn selects_too_deep(
        &mut self,
        selections: &'a [Selection<'a>],
        within: &mut HashSet<&'a str>,
        lists: u32,
    ) -> Result<bool, Halt> {
        for selection in selections {
            let too_deep = self.down(|validator| match selection {
                Selection::Field(field) => validator.too_deep(field, within, lists),
                Selection::Inline(inline) => validator.selects_too_deep(inline.selections, within, lists),
                Selection::Spread(spread) => {
                    let Some(fragment) = validator.fragment_of(spread) else { return Ok(false) };
                    // Circles are another rule's.
                    if !within.insert(spread.name) {
                        return Ok(false);
                    }
                    let too_deep = validator.selects_too_deep(fragment.selections, within, lists);
                    within.remove(spread.name);
                    too_deep
                }
            })?;
            if too_deep {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
