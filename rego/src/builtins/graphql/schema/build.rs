//! Types, directives and roots, put together.

use super::super::ast::{Definition, SchemaDefinition, SchemaDocument, kind};
use super::super::error::Stop;
use super::check::Check;
use super::directives::Site;
use super::{BUILT_IN, ROOT_FIELDS, Schema, TypeDefinition};
use crate::limits::{Account, Halt};

/// Directives that a schema may define once more.
const REDEFINED: &[&str] = &["include", "skip", "deprecated", "specifiedBy", "defer", "oneOf"];

impl<'a> TypeDefinition<'a> {
    fn extend(&mut self, account: &mut Account, by: &Definition<'a>) -> Result<(), Halt> {
        let counts = [by.directives.len(), by.interfaces.len(), by.fields.len(), by.types.len(), by.values.len()];
        account.charge(counts.iter().sum::<usize>().saturating_add(1).saturating_mul(2 * size_of::<&str>()))?;
        self.directives.extend(by.directives);
        self.interfaces.extend(by.interfaces);
        self.fields.extend(by.fields);
        self.types.extend(by.types);
        self.type_places.extend(by.type_places);
        self.values.extend(by.values);
        Ok(())
    }
}

impl<'a> Schema<'a> {
    pub(super) fn add_types(&mut self, account: &mut Account, document: &SchemaDocument<'a>) -> Result<(), Stop> {
        for definition in BUILT_IN.definitions.iter().chain(document.definitions) {
            if self.names.contains_key(definition.name) {
                return Err(Stop::at(definition.at, format!("Cannot redeclare type {}.", definition.name)));
            }
            self.declare(account, definition)?.extend(account, definition)?;
        }
        for extension in document.extensions {
            let id = self.names.get(extension.name).copied();
            let of = match id.and_then(|id| self.types.get_mut(id)) {
                Some(of) => of,
                None => self.declare(account, &shallow(extension))?,
            };
            if of.kind != extension.kind {
                return Err(Stop::at(
                    extension.at,
                    format!(
                        "Cannot extend type {} because the base type is a {}, not {}.",
                        extension.name, of.kind, extension.kind
                    ),
                ));
            }
            of.extend(account, extension)?;
        }
        Ok(())
    }

    /// A type without what it consists of.
    fn declare(&mut self, account: &mut Account, of: &Definition<'a>) -> Result<&mut TypeDefinition<'a>, Halt> {
        account.charge(size_of::<TypeDefinition<'_>>().saturating_mul(2))?;
        let Definition { kind, name, built_in, at, .. } = *of;
        let id = self.types.len();
        self.names.insert(name, id);
        self.types.push(TypeDefinition { kind, name, built_in, at, ..TypeDefinition::default() });
        Ok(self.types.last_mut().unwrap_or_else(|| unreachable!("just pushed")))
    }

    pub(super) fn add_possible(&mut self, account: &mut Account) -> Result<(), Halt> {
        for (id, of) in self.types.iter().enumerate() {
            let count = of.types.len().saturating_add(of.interfaces.len()).saturating_add(1);
            account.charge(count.saturating_mul(2 * size_of::<usize>()))?;
            if of.kind == kind::UNION {
                let members = of.types.iter().filter_map(|name| self.names.get(name)).copied();
                self.possible.entry(of.name).or_default().extend(members);
            } else if [kind::OBJECT, kind::INTERFACE, kind::INPUT_OBJECT].contains(&of.kind) {
                let own = (of.kind != kind::INTERFACE).then_some(of.name);
                for name in of.interfaces.iter().copied().chain(own) {
                    self.possible.entry(name).or_default().push(id);
                }
            }
        }
        Ok(())
    }

    pub(super) fn add_directives(&mut self, account: &mut Account, document: &SchemaDocument<'a>) -> Result<(), Stop> {
        for directive in BUILT_IN.directives.iter().chain(document.directives) {
            account.charge(2 * size_of::<&str>())?;
            let before = self.directives.insert(directive.name, directive);
            if before.is_some() && !REDEFINED.contains(&directive.name) {
                return Err(Stop::at(directive.at, format!("Cannot redeclare directive {}.", directive.name)));
            }
        }
        Ok(())
    }

    pub(super) fn add_roots(&mut self, account: &mut Account, document: &SchemaDocument<'a>) -> Result<(), Stop> {
        if let Some(second) = document.schema.get(1) {
            let message = "Cannot have multiple schema entry points, consider schema extensions instead.";
            return Err(Stop::at(second.at, message));
        }
        for definition in document.schema.iter().chain(document.schema_extensions) {
            self.set_roots(account, definition)?;
            let site = Site { location: "SCHEMA", directive: None, single: true };
            Check { schema: self, account }.directives(definition.directives.iter(), site)?;
        }
        Ok(())
    }

    fn set_roots(&mut self, account: &mut Account, definition: &SchemaDefinition<'a>) -> Result<(), Stop> {
        for root in definition.roots {
            account.step(1)?;
            let Some(id) = self.names.get(root.name).copied() else {
                let message = format!("Schema root {} refers to a type {} that does not exist.", root.operation, root.name);
                return Err(Stop::at(root.at, message));
            };
            match root.operation {
                "query" => self.query = Some(id),
                "mutation" => self.mutation = Some(id),
                "subscription" => self.subscription = Some(id),
                _ => {}
            }
        }
        Ok(())
    }

    /// Without `schema { … }` the usual names are the roots. A query has fields of its own that no schema writes.
    pub(super) fn infer_roots(&mut self, document: &SchemaDocument<'a>) {
        if document.schema.is_empty() {
            let named = |name| self.names.get(name).copied();
            let roots = [named("Query"), named("Mutation"), named("Subscription")];
            let [query, mutation, subscription] = roots;
            self.query = self.query.or(query);
            self.mutation = self.mutation.or(mutation);
            self.subscription = self.subscription.or(subscription);
        }
        if let Some(query) = self.query.and_then(|id| self.types.get_mut(id)) {
            query.fields.extend(ROOT_FIELDS.iter().take(2));
        }
    }
}

/// What an extension declares where there is nothing to extend.
fn shallow<'a>(extension: &Definition<'a>) -> Definition<'a> {
    Definition { kind: extension.kind, name: extension.name, at: extension.at, ..Definition::default() }
}
