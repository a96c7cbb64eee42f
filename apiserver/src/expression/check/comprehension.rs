//! Loops: over what, with which variables, to what end.

use cel::IdedExpr;
use cel::common::ast::{ComprehensionExpr, Expr};

use super::super::types::{Type, join};
use super::{CheckError, DEEPEST, Fault, Scope, of};

/// The type of what a loop gives.
pub(super) fn check<'a>(loops: &'a ComprehensionExpr, id: u64, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    let range = of(&loops.iter_range, scope)?;
    let accumulator = of(&loops.accu_init, scope)?;
    // What binds a name loops over nothing.
    let binds = matches!(&loops.iter_range.expr, Expr::List(list) if list.elements.is_empty());
    if scope.depth == DEEPEST && !binds {
        return Err((CheckError::TooDeep, id));
    }
    let (first, second) = variables(&range, loops, loops.iter_range.id)?;
    let (depth, before) = (scope.depth, scope.locals.len());
    scope.depth += usize::from(!binds);
    scope.locals.push((loops.accu_var.as_str(), accumulator.clone()));
    scope.locals.push((loops.iter_var.as_str(), first));
    scope.locals.extend(loops.iter_var2.as_deref().map(|name| (name, second)));
    let result = body(loops, accumulator, before, scope);
    scope.locals.truncate(before);
    scope.depth = depth;
    result
}

/// The types of the variables: members of a list, with two of them its indexes and members; keys of a map, and its values.
fn variables(range: &Type, loops: &ComprehensionExpr, id: u64) -> Result<(Type, Type), Fault> {
    match range {
        Type::List(of) if loops.iter_var2.is_some() => Ok((Type::Int, (**of).clone())),
        Type::List(of) => Ok(((**of).clone(), Type::Dyn)),
        Type::Map(keys, values) => Ok(((**keys).clone(), (**values).clone())),
        Type::Dyn | Type::Free => Ok((Type::Dyn, Type::Dyn)),
        other => Err((CheckError::NoRange(other.in_errors()), id)),
    }
}

fn body<'a>(loops: &'a ComprehensionExpr, start: Type, before: usize, scope: &mut Scope<'a>) -> Result<Type, Fault> {
    let condition = of(&loops.loop_cond, scope)?;
    fits(&Type::Bool, &condition, &loops.loop_cond)?;
    let step = of(&loops.loop_step, scope)?;
    let accumulator = fits(&start, &step, &loops.loop_step)?;
    scope.locals.truncate(before);
    scope.locals.push((loops.accu_var.as_str(), accumulator));
    of(&loops.result, scope)
}

fn fits(wanted: &Type, found: &Type, node: &IdedExpr) -> Result<Type, Fault> {
    let mismatch = || CheckError::Mismatch { expected: wanted.in_errors(), found: found.in_errors() };
    join(wanted, found).ok_or_else(|| (mismatch(), node.id))
}
