//! Input objects that cannot be given: each of them needs another one of its own type.

use std::collections::{HashMap, HashSet};

use super::super::ast::{Member, kind};
use super::super::error::Stop;
use super::super::parser::level;
use super::check::Checked;
use super::{Schema, TypeDefinition};
use crate::builtins::quote::quote;
use crate::limits::Account;

/// Fails with the first circle.
pub(super) fn check(schema: &Schema<'_>, account: &mut Account) -> Checked {
    let mut search = Search { schema, account, visited: HashSet::new(), path: Vec::new(), on_path: HashMap::new() };
    for name in schema.names() {
        if let Some(of) = schema.find(name).filter(|of| of.kind == kind::INPUT_OBJECT) {
            search.visit(of)?;
        }
    }
    Ok(())
}

struct Search<'s, 'a> {
    schema: &'s Schema<'a>,
    account: &'s mut Account,
    visited: HashSet<&'a str>,
    path: Vec<&'a Member<'a>>,
    /// Where a type's first field stands on the path.
    on_path: HashMap<&'a str, usize>,
}

impl<'a> Search<'_, 'a> {
    fn visit(&mut self, of: &TypeDefinition<'a>) -> Checked {
        if !self.visited.insert(of.name) {
            return Ok(());
        }
        let depth = self.path.len();
        self.on_path.insert(of.name, depth);
        for field in of.fields.iter().filter(|field| field.kind.non_null && !field.kind.named.is_empty()) {
            self.account.step(1)?;
            let Some(needed) = self.schema.find(field.kind.named).filter(|needed| needed.kind == kind::INPUT_OBJECT) else {
                continue;
            };
            self.path.push(field);
            if let Some(begin) = self.on_path.get(needed.name) {
                return Err(circle(needed.name, self.path.get(*begin..).unwrap_or_default()));
            }
            let depth = u32::try_from(depth).unwrap_or(u32::MAX);
            level(depth, self.account.limits().depth, || self.visit(needed))?;
            self.path.pop();
        }
        self.on_path.remove(of.name);
        Ok(())
    }
}

fn circle(name: &str, path: &[&Member<'_>]) -> Stop {
    let fields: Vec<_> = path.iter().map(|field| field.name).collect();
    let message = format!(
        "Cannot reference Input Object {} within itself through a series of non-null fields: {}.",
        quote(name),
        quote(&fields.join("."))
    );
    Stop::at(path.first().and_then(|field| field.at), message)
}
