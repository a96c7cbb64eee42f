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

use cel::{DeclarationError, Env, ExecutionError, extensions};

pub(super) use self::regex::read_pattern;
pub use authz::{Answer, Authorization, Authorizer, Question, Requested, Subject};
pub(super) use authz::{Meter, bind};
pub(super) use times::{read_duration, read_timestamp};

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
