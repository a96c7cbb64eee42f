//! What is refused when an expression is written: names and functions that nobody knows, comprehensions nested too deep, and
//! what can never be true or false. Source of the texts: cel-go's checker.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, SelectExpr};

use super::{library, types};

/// Comprehensions within comprehensions.
const DEEPEST: usize = 2;
/// Levels of a tree, macros expanded.
pub(super) const DEEPEST_TREE: usize = 128;

/// Why an expression is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CheckError {
    /// A name or a function.
    #[error("undeclared reference to '{0}' (in container '')")]
    Undeclared(String),
    /// A field of `request`.
    #[error("undefined field '{0}'")]
    Field(String),
    /// Too many loops within loops.
    #[error("comprehensions are nested deeper than {DEEPEST}")]
    TooDeep,
    /// Too much within brackets, or too long a chain of operators.
    #[error("the expression nests deeper than {DEEPEST_TREE} levels")]
    Nested,
}

/// What is wrong, and at which node of the tree.
pub(super) type Fault = (CheckError, u64);

/// The names of the loops around an expression.
struct Scope<'a> {
    declared: &'a [&'a str],
    locals: Vec<&'a str>,
    /// Comprehensions around.
    depth: usize,
    /// Levels above.
    level: usize,
}

/// Checks an expression that may use these variables.
pub(super) fn check(expression: &IdedExpr, variables: &[&str]) -> Result<(), Fault> {
    let mut scope = Scope { declared: variables, locals: Vec::new(), depth: 0, level: 0 };
    walk(expression, &mut scope)
}

fn walk<'a>(node: &'a IdedExpr, scope: &mut Scope<'a>) -> Result<(), Fault> {
    if scope.level == DEEPEST_TREE {
        return Err((CheckError::Nested, node.id));
    }
    scope.level += 1;
    let result = parts(node, scope);
    scope.level -= 1;
    result
}

fn parts<'a>(node: &'a IdedExpr, scope: &mut Scope<'a>) -> Result<(), Fault> {
    let at = |error| (error, node.id);
    match &node.expr {
        Expr::Unspecified | Expr::Literal(_) => Ok(()),
        Expr::Ident(name) if scope.knows(name) => Ok(()),
        Expr::Ident(name) => Err(at(CheckError::Undeclared(name.clone()))),
        Expr::Select(select) => {
            self::select(select, scope).map_err(at)?;
            walk(&select.operand, scope)
        }
        Expr::Call(call) => self::call(call, node.id, scope),
        Expr::List(list) => list.elements.iter().try_for_each(|element| walk(element, scope)),
        Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => walk(&entry.key, scope).and_then(|()| walk(&entry.value, scope)),
            EntryExpr::StructField(field) => walk(&field.value, scope),
        }),
        Expr::Struct(message) => Err(at(CheckError::Undeclared(message.type_name.clone()))),
        Expr::Comprehension(comprehension) => self::comprehension(comprehension, node.id, scope),
    }
}

impl Scope<'_> {
    fn knows(&self, name: &str) -> bool {
        self.locals.contains(&name) || self.declared.contains(&name) || library::is_type(name)
    }
}

/// `request` has a type, and with it a closed set of fields.
fn select(select: &SelectExpr, scope: &Scope<'_>) -> Result<(), CheckError> {
    let of_request = matches!(&select.operand.expr, Expr::Ident(name) if name == "request" && !scope.locals.contains(&"request"));
    let known = !of_request || types::of_request(&select.field).is_some();
    if known { Ok(()) } else { Err(CheckError::Field(select.field.clone())) }
}

fn call<'a>(call: &'a CallExpr, id: u64, scope: &mut Scope<'a>) -> Result<(), Fault> {
    let target = call.target.as_deref();
    let on_optional = target.is_some_and(|target| matches!(&target.expr, Expr::Ident(name) if name == "optional"));
    if !on_optional && let Some(target) = target {
        // Of what is called on an unknown name, the name is told.
        walk(target, scope)?;
    }
    let known = if on_optional { library::is_optional(&call.func_name) } else { library::gives(&call.func_name).is_some() };
    if !known {
        return Err((CheckError::Undeclared(call.func_name.clone()), id));
    }
    call.args.iter().try_for_each(|argument| walk(argument, scope))
}

fn comprehension<'a>(loops: &'a ComprehensionExpr, id: u64, scope: &mut Scope<'a>) -> Result<(), Fault> {
    walk(&loops.iter_range, scope)?;
    walk(&loops.accu_init, scope)?;
    if scope.depth == DEEPEST {
        return Err((CheckError::TooDeep, id));
    }
    scope.depth += 1;
    let before = scope.locals.len();
    scope.locals.extend([loops.accu_var.as_str(), loops.iter_var.as_str()]);
    scope.locals.extend(loops.iter_var2.as_deref());
    let result = [&loops.loop_cond, &loops.loop_step, &loops.result].into_iter().try_for_each(|part| walk(part, scope));
    scope.locals.truncate(before);
    scope.depth -= 1;
    result
}
