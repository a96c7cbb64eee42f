//! Which 64-bit numbers the floats of one evaluation stand for. What a variable, a rule or a collection holds is a float of 53 bits;
//! OPA's number, which is computed with when the float comes back, is noted here. Equal floats stand for equal numbers, larger ones
//! for larger numbers: so equality, sets, keys, `sort` and `max` are right without looking.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use regorus::Value;

use super::keeping::Unkept;
use super::reading::is_short;
use super::{Wide, reading};

/// The most numbers of one evaluation, and of its data.
const MOST: usize = 100_000;
/// How many floats away from the nearest one a number may be held.
const REACH: i64 = 16;
/// How many floats at most are left between two numbers for those that come later, and between those that are not so near.
const GAP: i64 = 6;
const FAR: i64 = 2;

thread_local! {
    // An extension does not learn which evaluation calls it; an evaluation stays on one thread.
    static HELD: RefCell<Table> = RefCell::default();
}

/// Numbers by the places of their floats: see [`place`].
type Numbers = BTreeMap<i64, Wide>;

/// The long fractions that a document holds: no result may take their floats. They are looked for when the first is computed, for most
/// policies compute none.
#[derive(Clone)]
pub(in crate::rego) struct Long {
    document: Value,
    numbers: Arc<OnceLock<Numbers>>,
}

impl Default for Long {
    fn default() -> Self {
        Self::of(&Value::Undefined)
    }
}

#[derive(Default)]
struct Table {
    data: Long,
    input: Long,
    own: Numbers,
}

/// Runs an evaluation on this thread with a table of its own.
pub(in crate::rego) fn held<T>(data: &Long, input: &Value, evaluation: impl FnOnce() -> T) -> T {
    let _restored = Restore(HELD.replace(Table { data: data.clone(), input: Long::of(input), own: Numbers::new() }));
    evaluation()
}

/// Puts back what was, also after a panic.
struct Restore(Table);

impl Drop for Restore {
    fn drop(&mut self) {
        HELD.set(std::mem::take(&mut self.0));
    }
}

impl Long {
    pub(in crate::rego) fn of(document: &Value) -> Self {
        Self { document: document.clone(), numbers: Arc::default() }
    }

    fn numbers(&self) -> &Numbers {
        self.numbers.get_or_init(|| {
            let mut numbers = Numbers::new();
            collect(&self.document, &mut numbers);
            numbers
        })
    }
}

fn collect(value: &Value, numbers: &mut Numbers) {
    match value {
        Value::Number(number) if !number.is_integer() && numbers.len() < MOST => {
            let Some(float) = number.as_f64().filter(|float| !is_short(*float)) else { return };
            numbers.extend(reading::decimal(float).map(|wide| (place(float), wide)));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, numbers)),
        Value::Set(items) => items.iter().for_each(|item| collect(item, numbers)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            collect(key, numbers);
            collect(value, numbers);
        }),
        _ => {}
    }
}

/// What a float stands for that is no whole number: one of many digits that was not computed is what they say.
pub(super) fn read(float: f64) -> Option<Wide> {
    if is_short(float) {
        return reading::decimal(float);
    }
    HELD.with_borrow_mut(|table| {
        let at = place(float);
        if let Some(wide) = table.own.get(&at) {
            return Some(*wide);
        }
        let wide = reading::decimal(float)?;
        if table.own.len() < MOST {
            table.own.insert(at, wide);
        }
        Some(wide)
    })
}

/// The float that stands for a number from now on, near the one given.
pub(super) fn keep(wide: Wide, nearest: f64) -> Result<f64, Unkept> {
    if is_short(nearest) && reading::decimal(nearest).is_some_and(|read| read.is(wide)) {
        return Ok(nearest);
    }
    HELD.with_borrow_mut(|table| {
        let at = table.find(wide, nearest)?;
        // Beyond 2^53 all floats are whole numbers, which this one is not.
        if float(at).fract() == 0.0 {
            return Err(Unkept::Near);
        }
        if table.own.len() >= MOST {
            return Err(Unkept::Many);
        }
        table.own.insert(at, wide);
        Ok(float(at))
    })
}

impl Table {
    fn find(&self, wide: Wide, nearest: f64) -> Result<i64, Unkept> {
        let near = place(nearest);
        let (mut low, mut high) = ((near.saturating_sub(REACH), 1), (near.saturating_add(REACH), 1));
        let window = near.saturating_sub(2 * REACH)..=near.saturating_add(2 * REACH);
        let given = [&self.data, &self.input].into_iter().flat_map(|given| given.numbers().range(window.clone()));
        let noted = self.own.range(window.clone()).chain(given).map(|(at, number)| (*at, *number));
        for (at, number) in noted.chain(marks(nearest)) {
            match number.order(wide) {
                Ordering::Equal => return Ok(at),
                Ordering::Less if at >= low.0 => low = (at, wide.distance(number)),
                Ordering::Greater if at <= high.0 => high = (at, wide.distance(number)),
                _ => {}
            }
        }
        let room = high.0.saturating_sub(low.0);
        let exact = near > low.0 && near < high.0 && reading::decimal(nearest).is_some_and(|read| read.is(wide));
        if exact {
            return Ok(near);
        }
        // What comes later may lie between.
        let gap = |wanted: i64| wanted.min((room / 2).max(1));
        if room < 2 {
            return Err(Unkept::Near);
        }
        Ok(near.max(low.0.saturating_add(gap(low.1))).min(high.0.saturating_sub(gap(high.1))))
    }
}

impl Wide {
    /// How far two numbers are from one another, in units of the last bit, if these are few.
    fn distance(self, other: Self) -> i64 {
        let few = || i64::try_from(self.mantissa.abs_diff(other.mantissa)).ok();
        let alike = self.negative == other.negative && self.exponent == other.exponent;
        few().filter(|units| alike && *units <= GAP).map_or(FAR, |units| units.max(1))
    }
}

/// The decimals of fifteen digits around a float, and whole numbers if these have more.
fn marks(float: f64) -> impl Iterator<Item = (i64, Wide)> {
    let written = format!("{float:.14e}");
    let (mantissa, power) = written.split_once('e').unwrap_or_default();
    let count = mantissa.replace(['.', '-'], "").parse::<u64>().unwrap_or(0);
    let power = power.parse::<i32>().unwrap_or(0).saturating_sub(14);
    // Below a power of ten they are ten times as many.
    let below = if count == 100_000_000_000_000 {
        (999_999_999_999_999, power.saturating_sub(1))
    } else {
        (count.saturating_sub(1), power)
    };
    let sign = if float < 0.0 { "-" } else { "" };
    let decimal = move |(count, power): (u64, i32)| {
        let read = format!("{sign}{count}e{power}").parse::<f64>().ok()?;
        Some((place(read), Wide::of_decimal(float < 0.0, count, power)?))
    };
    let whole = [float.floor(), float.ceil()].into_iter().filter(|whole| whole.abs() >= 1e15);
    let decimals = [below, (count, power), (count.saturating_add(1), power)].into_iter().filter_map(decimal);
    decimals.chain(whole.filter_map(|whole| Some((place(whole), reading::decimal(whole)?))))
}

/// The place of a float among all: the next one has the next place.
fn place(float: f64) -> i64 {
    turned(float.to_bits().cast_signed())
}

fn float(place: i64) -> f64 {
    f64::from_bits(turned(place).cast_unsigned())
}

fn turned(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}
