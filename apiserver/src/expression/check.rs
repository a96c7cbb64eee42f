//! What is refused when an expression is written: names and functions that nobody knows, calls that fit no signature,
//! comprehensions nested too deep, and literals that cannot be read. What passes has a type. Source of rules and texts:
//! cel-go, `checker`.

mod call;
mod comprehension;
mod error;
mod literal;

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr, ListExpr, LiteralValue, MapExpr, SelectExpr};

pub(super) use call::qualified;
pub use error::CheckError;

use super::declarations;
use super::types::{Type, is_equivalent, join};

/// Comprehensions within comprehensions.
const DEEPEST: usize = 2;
/// Levels of a tree, macros expanded.
pub(super) const DEEPEST_TREE: usize = 128;

/// What is wrong, and at which node of the tree.
pub(super) type Fault = (CheckError, u64);

/// The names of the loops around an expression.
struct Scope<'a> {
    declared: &'a [&'a str],
    locals: Vec<(&'a str, Type)>,
    /// Comprehensions around.
    depth: usize,
    /// Levels above.
    level: usize,
    /// The first regular expression that cannot be read, of those that upstream reads last.
    pattern: Option<regex::Error>,
}

/// An expression that can be evaluated.
pub(super) struct Checked {
    /// What it gives.
    pub(super) kind: Type,
    /// A regular expression in it that cannot be read.
    pub(super) pattern: Option<regex::Error>,
}

/// The type of an expression that may use these variables. Fails when it cannot be evaluated.
pub(super) fn check(expression: &IdedExpr, variables: &[&str]) -> Result<Checked, Fault> {
    let mut scope = Scope { declared: variables, locals: Vec::new(), depth: 0, level: 0, pattern: None };
    let kind = of(expression, &mut scope)?;
    Ok(Checked { kind, pattern: scope.pattern })
}

fn of<'a>(node: &'a IdedExpr, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    if scope.level == DEEPEST_TREE {
        return Err((CheckError::Nested, node.id));
    }
    scope.level += 1;
    let result = parts(node, scope);
    scope.level -= 1;
    result
}

fn parts<'a>(node: &'a IdedExpr, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    let undeclared = |name: &str| (CheckError::Undeclared(name.to_owned()), node.id);
    match &node.expr {
        Expr::Unspecified => Ok(Type::Dyn),
        Expr::Literal(literal) => Ok(of_literal(literal)),
        Expr::Ident(name) => scope.find(name).ok_or_else(|| undeclared(name)),
        Expr::Select(select) => self::select(select, node.id, scope),
        Expr::Call(call) => call::check(call, node.id, scope),
        Expr::List(list) => self::list(list, scope),
        Expr::Map(map) => self::map(map, scope),
        Expr::Struct(message) => Err(undeclared(&message.type_name)),
        Expr::Comprehension(loops) => comprehension::check(loops, node.id, scope),
    }
}

impl Scope<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        let local = self.locals.iter().rev().find(|(local, _)| *local == name).map(|(_, kind)| kind.clone());
        let variable = || self.declared.contains(&name).then(|| declarations::of_variable(name));
        local.or_else(variable).or_else(|| declarations::type_of_name(name))
    }

    /// What has a name with dots: the variable `authorizer.requestResource`, and types.
    fn qualified(&self, select: &SelectExpr) -> Option<Type> {
        let name = dotted(select)?;
        let root = name.split('.').next().unwrap_or_default();
        let is_local = self.locals.iter().any(|(local, _)| *local == root);
        match name.as_str() {
            _ if is_local => None,
            "authorizer.requestResource" if self.declared.contains(&root) => Some(declarations::of_variable(&name)),
            name => declarations::type_of_name(name),
        }
    }
}

/// The name that fields of a name spell.
fn dotted(select: &SelectExpr) -> Option<String> {
    let before = match &select.operand.expr {
        _ if select.test => None,
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) => dotted(select),
        _ => None,
    };
    before.map(|before| format!("{before}.{}", select.field))
}

fn of_literal(literal: &LiteralValue) -> Type {
    match literal {
        LiteralValue::Boolean(_) => Type::Bool,
        LiteralValue::Bytes(_) => Type::Bytes,
        LiteralValue::Double(_) => Type::Double,
        LiteralValue::Int(_) => Type::Int,
        LiteralValue::Null => Type::Null,
        LiteralValue::String(_) => Type::Text,
        LiteralValue::UInt(_) => Type::Uint,
    }
}

fn select<'a>(select: &'a SelectExpr, id: u64, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    if let Some(kind) = scope.qualified(select) {
        return Ok(kind);
    }
    let operand = of(&select.operand, scope)?;
    let found = field(&operand, &select.field).map_err(|error| (error, id))?;
    Ok(if select.test { Type::Bool } else { found })
}

/// The type of a field; of what may be there, it may be there.
fn field(operand: &Type, name: &str) -> Result<Type, CheckError> {
    match operand {
        Type::Dyn | Type::Free => Ok(Type::Dyn),
        Type::Map(_, values) => Ok((**values).clone()),
        Type::Optional(of) => field(of, name).map(Type::optional),
        Type::Named(kind) if declarations::has_fields(kind) => {
            declarations::field_of(kind, name).ok_or_else(|| CheckError::Field(name.to_owned()))
        }
        Type::Named(kind) if kind.starts_with("kubernetes.") => Err(CheckError::NoStruct((*kind).to_owned())),
        other => Err(CheckError::NoFields(other.in_errors())),
    }
}

fn list<'a>(list: &'a ListExpr, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    let mut members = Type::Free;
    for (index, element) in list.elements.iter().enumerate() {
        let kind = of(element, scope)?;
        members = one_of(&members, &unwrapped(kind, list.optional_indices.contains(&index)), element.id)?;
    }
    Ok(Type::list(members))
}

fn map<'a>(map: &'a MapExpr, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    let (mut keys, mut values) = (Type::Free, Type::Free);
    for entry in &map.entries {
        let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
        keys = one_of(&keys, &of(&entry.key, scope)?, entry.key.id)?;
        values = one_of(&values, &unwrapped(of(&entry.value, scope)?, entry.optional), entry.value.id)?;
    }
    Ok(Type::map(keys, values))
}

/// What is put in of an optional member.
fn unwrapped(kind: Type, is_optional: bool) -> Type {
    match kind {
        Type::Optional(of) if is_optional => *of,
        kind => kind,
    }
}

/// All members of a literal have one type; what is only known later is none of the others. Source: cel-go, `cel/validator.go`.
fn one_of(before: &Type, kind: &Type, id: u64) -> Result<Type, Fault> {
    let mismatch = || CheckError::Mismatch { expected: before.in_errors(), found: kind.in_errors() };
    join(before, kind).filter(|_| is_equivalent(before, kind)).ok_or_else(|| (mismatch(), id))
}
