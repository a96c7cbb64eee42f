//! Whether types are what they may be.

use super::super::ast::{DirectiveDefinition, Member, kind};
use super::super::error::Stop;
use super::super::lookup::twice;
use super::directives::Site;
use super::{Schema, TypeDefinition, cycles};
use crate::builtins::quote::quote;
use crate::limits::Account;

/// What checks a schema.
pub(super) struct Check<'s, 'a> {
    pub(super) schema: &'s Schema<'a>,
    pub(super) account: &'s mut Account,
}

/// What is checked, or what is wrong with it.
pub(super) type Checked = Result<(), Stop>;

/// Types by their names, circles of input objects, directives by their names.
pub(super) fn all(schema: &Schema<'_>, account: &mut Account) -> Checked {
    let mut check = Check { schema, account };
    for id in schema.names.values() {
        let Some(of) = schema.types.get(*id) else { continue };
        check.definition(of)?;
    }
    cycles::check(schema, check.account)?;
    schema.directives.values().try_for_each(|directive| check.directive_definition(directive))
}

impl<'a> Check<'_, 'a> {
    fn definition(&mut self, of: &TypeDefinition<'a>) -> Checked {
        self.members(of)?;
        self.union_members(of)?;
        for interface in &of.interfaces {
            self.implements(of, interface)?;
        }
        match of.kind {
            kind::OBJECT | kind::INTERFACE => self.output(of)?,
            kind::ENUM => self.enum_values(of)?,
            kind::INPUT_OBJECT => self.input(of)?,
            _ => {}
        }
        self.once(of)?;
        if !of.built_in {
            name(of.at, of.name)?;
        }
        // What extends a type is another place than the type.
        let site = Site { location: of.kind, directive: None, single: false };
        self.directives(of.directives.iter().copied(), site)
    }

    fn members(&mut self, of: &TypeDefinition<'a>) -> Checked {
        let location = if of.kind == kind::INPUT_OBJECT { "INPUT_FIELD_DEFINITION" } else { "FIELD_DEFINITION" };
        for field in &of.fields {
            name(field.at, field.name)?;
            self.known(field)?;
            self.arguments(field.arguments, None)?;
            self.directives(field.directives.iter(), Site { location, directive: None, single: true })?;
        }
        Ok(())
    }

    fn known(&mut self, member: &Member<'a>) -> Checked {
        self.account.step(1)?;
        let name = member.kind.name();
        if self.schema.find(name).is_some() {
            return Ok(());
        }
        Err(Stop::at(member.kind.at, format!("Undefined type {name}.")))
    }

    fn union_members(&mut self, of: &TypeDefinition<'a>) -> Checked {
        for name in &of.types {
            self.account.step(1)?;
            match self.schema.find(name) {
                None => return Err(Stop::at(of.at, format!("Undefined type {}.", quote(name)))),
                Some(member) if member.kind != kind::OBJECT => {
                    return Err(Stop::at(of.at, format!("{} type {} must be OBJECT.", of.kind, quote(name))));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn output(&mut self, of: &TypeDefinition<'a>) -> Checked {
        if of.fields.is_empty() {
            return Err(Stop::at(of.at, format!("{} {}: must define one or more fields.", of.kind, of.name)));
        }
        let kinds = [kind::SCALAR, kind::OBJECT, kind::INTERFACE, kind::UNION, kind::ENUM];
        for field in &of.fields {
            if self.schema.of(&field.kind).is_some_and(|found| !kinds.contains(&found.kind)) {
                let message = format!("{} {}: field must be one of {}.", of.kind, of.name, kinds.join(", "));
                return Err(Stop::at(field.at, message));
            }
        }
        Ok(())
    }

    fn input(&mut self, of: &TypeDefinition<'a>) -> Checked {
        if of.fields.is_empty() {
            return Err(Stop::at(of.at, format!("{} {}: must define one or more input fields.", of.kind, of.name)));
        }
        let kinds = [kind::SCALAR, kind::ENUM, kind::INPUT_OBJECT];
        for field in &of.fields {
            if let Some(found) = self.schema.of(&field.kind).filter(|found| !kinds.contains(&found.kind)) {
                let message = format!("{} {}: field must be one of {}.", found.kind, field.name, kinds.join(", "));
                return Err(Stop::at(field.at, message));
            }
        }
        Ok(())
    }

    fn enum_values(&mut self, of: &TypeDefinition<'a>) -> Checked {
        if of.values.is_empty() {
            return Err(Stop::at(of.at, format!("{} {}: must define one or more unique enum values.", of.kind, of.name)));
        }
        for value in &of.values {
            if ["true", "false", "null"].contains(&value.name) {
                return Err(Stop::at(of.at, format!("{} {}: non-enum value {}.", of.kind, of.name, value.name)));
            }
            let site = Site { location: "ENUM_VALUE", directive: None, single: true };
            self.directives(value.directives.iter(), site)?;
        }
        Ok(())
    }

    /// No field, no value and no member stands there twice.
    fn once(&mut self, of: &TypeDefinition<'a>) -> Checked {
        if let Some(field) = twice(of.fields.iter().map(|field| field.name)).and_then(|(_, second)| of.fields.get(second)) {
            return Err(Stop::at(field.at, format!("Field {}.{} can only be defined once.", of.name, field.name)));
        }
        if let Some(value) = twice(of.values.iter().map(|value| value.name)).and_then(|(_, second)| of.values.get(second)) {
            return Err(Stop::at(value.at, format!("Enum value {}.{} can only be defined once.", of.name, value.name)));
        }
        let Some((_, second)) = twice(of.types.iter().copied()) else { return Ok(()) };
        let place = of.type_places.get(second).filter(|_| of.type_places.len() == of.types.len());
        let member = of.types.get(second).copied().unwrap_or_default();
        let message = format!("Union type {} can only include type {member} once.", of.name);
        Err(Stop::at(place.copied().flatten().or(of.at), message))
    }

    pub(super) fn arguments(&mut self, arguments: &'a [Member<'a>], of: Option<&DirectiveDefinition<'a>>) -> Checked {
        for argument in arguments {
            name(argument.at, argument.name)?;
            self.known(argument)?;
            if let Some(found) = self.schema.of(&argument.kind).filter(|found| !found.is_input()) {
                let (kind, name) = (argument.kind, argument.name);
                let message = format!("cannot use {kind} as argument {name} because {} is not a valid input type", found.kind);
                return Err(Stop::at(argument.at, message));
            }
            let site = Site { location: "ARGUMENT_DEFINITION", directive: of.map(|of| of.name), single: true };
            self.directives(argument.directives.iter(), site)?;
        }
        Ok(())
    }

    fn directive_definition(&mut self, of: &'a DirectiveDefinition<'a>) -> Checked {
        name(of.at, of.name)?;
        self.arguments(of.arguments, Some(of))
    }
}

/// Names that begin with two underscores are gqlparser's own.
pub(super) fn name(at: super::At, name: &str) -> Checked {
    if !name.starts_with("__") {
        return Ok(());
    }
    let message = format!("Name \"{name}\" must not begin with \"__\", which is reserved by GraphQL introspection.");
    Err(Stop::at(at, message))
}
