//! What OPA's order decides: which of several errors is said, and which of several equal solutions a caller gets.
//!
//! Where nobody sees the order, rules and functions are finished before what follows them is evaluated (`eval::ordered`). Where that may have
//! made a difference ([`Ending::OutOfOrder`]), all is evaluated once more, in OPA's order.

use std::time::Instant;

use super::Request;
use crate::eval::{Ending, Options};
use crate::limits::Limits;

/// Returns what comes of an evaluation, in OPA's order where that matters, within the time that is left. What was found first stays
/// where the second one ends at a bound.
pub(super) fn in_order<T>(request: &Request<'_>, options: Options, evaluate: impl Fn(&Request<'_>, Options) -> (T, Ending)) -> T {
    let begun = Instant::now();
    let (found, ending) = evaluate(request, options.clone());
    if ending != Ending::OutOfOrder {
        return found;
    }
    let limits = Limits { time: request.limits.time.saturating_sub(begun.elapsed()), ..request.limits.clone() };
    let (again, ending) = evaluate(&Request { limits, ..request.clone() }, Options { in_order: true, ..options });
    if ending == Ending::AtBound { found } else { again }
}
