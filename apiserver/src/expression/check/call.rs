//! Calls: what is called, on what, with what.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::super::declarations;
use super::super::types::Type;
use super::{CheckError, Fault, Scope, field, literal, of};

/// The type of what a call gives.
pub(super) fn check<'a>(call: &'a CallExpr, id: u64, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    if call.func_name == "_?._" {
        return optional_field(call, id, scope);
    }
    // As in cel-go these come first, even where a loop has a variable of the same name.
    let (function, target) = match qualified(call) {
        Some(function) => (function, None),
        None => (call.func_name.clone(), call.target.as_deref()),
    };
    // Of what is called on an unknown name, the name is told.
    let on = target.map(|target| of(target, scope)).transpose()?;
    if !declarations::is_declared(&function) {
        return Err((CheckError::Undeclared(call.func_name.clone()), id));
    }
    let arguments = call.args.iter().map(|argument| of(argument, scope)).collect::<Result<Vec<_>, _>>()?;
    if matches!(function.as_str(), "_&&_" | "_||_") {
        return booleans(call, &arguments);
    }
    let gives = declarations::resolve(&function, on.as_ref(), &arguments);
    let gives = gives.ok_or_else(|| {
        (CheckError::NoOverload { applied: applied(on.as_ref(), &arguments), function: written(&function) }, id)
    })?;
    literal::check(call, scope)?;
    Ok(gives)
}

/// The whole name of a function whose name has dots, such as `sets.contains`.
pub(in crate::expression) fn qualified(call: &CallExpr) -> Option<String> {
    let Expr::Ident(namespace) = &call.target.as_deref()?.expr else { return None };
    let name = format!("{namespace}.{}", call.func_name);
    declarations::is_declared(&name).then_some(name)
}

/// `a.?b` is typed as `a.b`, and may not be there.
fn optional_field<'a>(call: &'a CallExpr, id: u64, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    let [operand, IdedExpr { expr: Expr::Literal(LiteralValue::String(name)), .. }] = call.args.as_slice() else {
        return Err((CheckError::Undeclared(call.func_name.clone()), id));
    };
    let found = field(&of(operand, scope)?, name.inner()).map_err(|error| (error, id))?;
    Ok(if matches!(found, Type::Optional(_)) { found } else { Type::optional(found) })
}

fn booleans(call: &CallExpr, arguments: &[Type]) -> Result<Type, Fault> {
    let wrong = call.args.iter().zip(arguments).find(|(_, kind)| !matches!(kind, Type::Bool | Type::Dyn | Type::Free));
    match wrong {
        None => Ok(Type::Bool),
        Some((argument, kind)) => {
            Err((CheckError::Mismatch { expected: Type::Bool.in_errors(), found: kind.in_errors() }, argument.id))
        }
    }
}

/// The strict forms of what the crate `cel` reads too leniently go by the names of the others.
fn written(function: &str) -> String {
    let strict = ["@duration", "@matches", "@timestamp"].contains(&function);
    function.get(usize::from(strict)..).unwrap_or(function).to_owned()
}

/// `string.(int, int)`, or `(int, int)`.
fn applied(on: Option<&Type>, arguments: &[Type]) -> String {
    let arguments: Vec<String> = arguments.iter().map(Type::in_errors).collect();
    let on = on.map(|on| format!("{}.", on.in_errors())).unwrap_or_default();
    format!("{on}({})", arguments.join(", "))
}
