//! Steps of functions: what goes through values looks at the clock now and then. Shared parts count each time they are met, so that
//! sixty arrays, each of which has the one before twice, are as large as they would be when written out.

use std::cell::Cell;
use std::time::{Duration, Instant};

use regorus::Value;
use regorus::value::Set;

/// Steps between two looks at the clock: a tenth of a millisecond.
const BETWEEN: u32 = 16_384;
/// Values that one collection may be made of, and that one call may go through.
pub(in crate::rego) const VALUES: usize = 16_000_000;

/// How the message of [`Exceeded::Time`] begins, by which it is known again.
pub(in crate::rego) const OUT_OF_TIME: &str = "was ended by the time limit of ";

/// Why to go no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::rego) enum Exceeded {
    /// The evaluation has no time left.
    #[error("{OUT_OF_TIME}{0:?}")]
    Time(Duration),
    /// Nobody could go through all of it.
    #[error("has more than {VALUES} values, those counted twice that stand in two places")]
    Values,
}

/// Steps of looking for a collection in a set.
const COMPOSITE: usize = 1024;

#[derive(Clone, Copy)]
struct Clock {
    started: Instant,
    limit: Duration,
}

thread_local! {
    // A function does not learn which evaluation calls it; an evaluation stays on one thread.
    static CLOCK: Cell<Option<Clock>> = const { Cell::new(None) };
    static LEFT: Cell<u32> = const { Cell::new(BETWEEN) };
}

/// Runs an evaluation on this thread whose functions have so much time together.
pub(in crate::rego) fn timed<T>(limit: Duration, evaluation: impl FnOnce() -> T) -> T {
    let _restored = Restore(CLOCK.replace(Some(Clock { started: Instant::now(), limit })));
    evaluation()
}

/// Puts back what was, also after a panic.
struct Restore(Option<Clock>);

impl Drop for Restore {
    fn drop(&mut self) {
        CLOCK.set(self.0);
    }
}

/// One step; an error when time is up.
pub(in crate::rego) fn step() -> Result<(), Exceeded> {
    steps(1)
}

/// So many steps at once.
pub(in crate::rego) fn steps(count: usize) -> Result<(), Exceeded> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    match LEFT.get().checked_sub(count) {
        Some(left) => {
            LEFT.set(left);
            Ok(())
        }
        None => {
            LEFT.set(BETWEEN);
            look()
        }
    }
}

#[cold]
fn look() -> Result<(), Exceeded> {
    match CLOCK.get() {
        Some(clock) if clock.started.elapsed() > clock.limit => Err(Exceeded::Time(clock.limit)),
        _ => Ok(()),
    }
}

/// Whether two values are equal.
pub(in crate::rego) fn equal(a: &Value, b: &Value) -> Result<bool, Exceeded> {
    step()?;
    match (a, b) {
        // One value in two places is what sharing is for.
        (Value::Array(a), Value::Array(b)) if std::ptr::eq(&raw const **a, &raw const **b) => Ok(true),
        (Value::Set(a), Value::Set(b)) if std::ptr::eq(&raw const **a, &raw const **b) => Ok(true),
        (Value::Object(a), Value::Object(b)) if std::ptr::eq(&raw const **a, &raw const **b) => Ok(true),
        (Value::Array(a), Value::Array(b)) => Ok(a.len() == b.len() && all_equal(a.iter().zip(b.iter()))?),
        (Value::Set(a), Value::Set(b)) => Ok(a.len() == b.len() && all_equal(a.iter_sorted().zip(b.iter_sorted()))?),
        (Value::Object(a), Value::Object(b)) => {
            let pairs = || a.iter_sorted().zip(b.iter_sorted());
            Ok(a.len() == b.len()
                && all_equal(pairs().map(|((a, _), (b, _))| (a, b)))?
                && all_equal(pairs().map(|((_, a), (_, b))| (a, b)))?)
        }
        _ => Ok(a == b),
    }
}

/// Whether all pairs are.
pub(in crate::rego) fn all_equal<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Result<bool, Exceeded> {
    for (a, b) in pairs {
        if !equal(a, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a set has a member; it is compared with some others.
pub(in crate::rego) fn holds(set: &Set, member: &Value) -> Result<bool, Exceeded> {
    if matches!(member, Value::Array(_) | Value::Set(_) | Value::Object(_)) {
        // A comparison may go through all of a value, and there is no clock in it.
        steps(COMPOSITE)?;
    }
    Ok(set.contains(member))
}

/// An error if values have more in them, all together, than one collection may; costs no more than looking at that many.
pub(in crate::rego) fn sized<'v>(values: impl IntoIterator<Item = &'v Value>) -> Result<(), Exceeded> {
    let mut left = VALUES;
    values.into_iter().try_for_each(|value| spend(value, &mut left))
}

fn spend(value: &Value, left: &mut usize) -> Result<(), Exceeded> {
    *left = left.checked_sub(1).ok_or(Exceeded::Values)?;
    match value {
        Value::Array(items) => {
            step()?;
            items.iter().try_for_each(|item| spend(item, left))
        }
        Value::Set(items) => {
            step()?;
            items.iter().try_for_each(|item| spend(item, left))
        }
        Value::Object(members) => {
            step()?;
            members.iter().try_for_each(|(key, value)| {
                spend(key, left)?;
                spend(value, left)
            })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(times: usize) -> Value {
        (0..times).fold(Value::from(vec![Value::from(0)]), |value, _| Value::from(vec![value.clone(), value]))
    }

    #[test]
    fn shared_parts_count_each_time() {
        assert!(sized([&doubled(20)]).is_ok());
        let error = sized([&doubled(60)]).unwrap_err();
        assert!(error.to_string().contains("more than 16000000 values"), "{error}");
    }

    #[test]
    fn values_are_equal_as_the_interpreter_has_it() {
        let values =
            [doubled(3), doubled(4), Value::new_set(), Value::new_object(), Value::from(1), Value::from(1.5), Value::from("a")];
        for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            assert_eq!(equal(a, b).unwrap(), a == b, "{a} {b}");
        }
        let (a, b) = (doubled(60), doubled(60));
        assert!(timed(Duration::from_millis(20), || equal(&a, &b)).is_err(), "it looks at the clock");
    }

    #[test]
    fn time_is_up_for_functions_too() {
        let ended = timed(Duration::ZERO, || sized([&doubled(20)])).unwrap_err();
        assert!(ended.to_string().contains("time limit of 0ns"), "{ended}");
        assert!(sized([&doubled(20)]).is_ok(), "another evaluation");
    }
}
