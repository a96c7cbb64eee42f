//! Of several errors, the one that OPA says.
//!
//! Where nobody sees the order, rules and functions are finished before what follows them is evaluated (`eval::ordered`): where two
//! things fail, the other one may come first, and an error may be met that OPA does not come by. So what ends in an error is evaluated
//! once more, in OPA's order. An answer that is no error is the same in both.

use std::time::Instant;

use super::Request;
use crate::eval::{EvalError, Options};
use crate::limits::Limits;

/// Returns what comes of an evaluation; where that is an error, what comes of it in OPA's order, within the time that is left. The error
/// that was found stays where that ends at a bound.
pub(super) fn in_order<T>(
    request: &Request<'_>,
    options: Options,
    error: impl Fn(&T) -> Option<&EvalError>,
    evaluate: impl Fn(&Request<'_>, Options) -> T,
) -> T {
    let begun = Instant::now();
    let found = evaluate(request, options.clone());
    let is_bound = |found: &T| error(found).is_some_and(|error| error.halt.is_some());
    if options.in_order || options.labels || error(&found).is_none() || is_bound(&found) {
        return found;
    }
    let limits = Limits { time: request.limits.time.saturating_sub(begun.elapsed()), ..request.limits.clone() };
    let again = evaluate(&Request { limits, ..request.clone() }, Options { in_order: true, ..options });
    if is_bound(&again) { found } else { again }
}
