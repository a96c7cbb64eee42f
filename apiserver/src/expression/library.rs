//! The functions that [`super::declarations`] declares and the crate `cel` has not, and the environment with all of them.

mod authz;
mod cidr;
mod format;
mod ip;
mod lists;
mod opaque;
mod quantity;
mod regex;
mod semver;
mod sets;
mod times;
mod url;

use cel::common::ast::{CallExpr, Expr, IdedExpr};
use cel::parser::{Macro, MacroExprHelper, ParseError};
use cel::{DeclarationError, Env, ExecutionError, extensions};

pub(super) use self::regex::read_pattern;
pub use authz::{Answer, Authorization, Authorizer, Question, Requested, Subject};
pub(super) use authz::{Meter, bind};
pub(super) use times::{read_duration, read_seconds, read_timestamp};

/// What a macro makes of a call.
type Expander = Box<
    dyn Fn(&mut MacroExprHelper<'_>, &mut Option<IdedExpr>, &mut Vec<IdedExpr>) -> Result<Option<IdedExpr>, ParseError>
        + Send
        + Sync,
>;

/// Everything that an expression may call. Fails when one function is declared twice, which a test rules out.
pub(super) fn environment() -> Result<Env, DeclarationError> {
    let mut env = Env::stdlib();
    let libraries = [
        extensions::strings,
        extensions::lists,
        authz::register,
        regex::register,
        lists::register,
        sets::register,
        times::register,
        quantity::register,
        ip::register,
        cidr::register,
        url::register,
        semver::register,
        format::register,
    ];
    libraries.into_iter().try_for_each(|library| env.add_extension(library))?;
    Ok(env)
}

/// Why a function has no value.
fn failed(function: &str, why: impl ToString) -> ExecutionError {
    ExecutionError::function_error(function, why)
}

/// Parses calls of one function as calls of another, which the crate's own of that name cannot be replaced by otherwise. They are
/// told apart by how they are called and by how many arguments they have.
fn replace(
    env: &mut Env,
    style: fn(&'static str, usize, Expander) -> Macro,
    (name, by, arguments): (&'static str, &'static str, usize),
) -> Result<(), DeclarationError> {
    env.add_macro(style(
        name,
        arguments,
        Box::new(move |helper, target, arguments| {
            let target = target.take().map(Box::new);
            let call = CallExpr { func_name: by.to_owned(), target, args: std::mem::take(arguments) };
            Ok(Some(helper.next_expr(Expr::Call(call))))
        }),
    ))
}
