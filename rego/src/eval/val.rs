//! A value that is borrowed from what outlives the evaluation, or owned: most of what policies read is never copied, not even
//! counted.

use crate::ir::Slot;
use crate::limits::{Account, Halt};
use crate::value::Value;

/// A value of an evaluation.
#[derive(Clone, Debug)]
pub(crate) enum Val<'a> {
    /// Of base documents, `input`, a constant, or a document that is kept.
    Ref(&'a Value),
    /// Just made.
    Own(Value),
}

impl<'a> Val<'a> {
    pub(super) const NULL: Self = Self::Ref(&Value::Null);

    pub(super) fn value(&self) -> &Value {
        match self {
            Self::Ref(value) => value,
            Self::Own(value) => value,
        }
    }

    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Ref(value) => value.clone(),
            Self::Own(value) => value,
        }
    }

    pub(super) fn is_false(&self) -> bool {
        matches!(self.value(), Value::False)
    }

    /// Returns the value one step below, `None` where there is none; of a set the key as it is asked for.
    pub(super) fn get(&self, key: &Value) -> Option<Self> {
        match self {
            Self::Ref(Value::Set(set)) | Self::Own(Value::Set(set)) => set.contains(key).then(|| Self::Own(key.clone())),
            Self::Ref(value) => value.get(key).map(Self::Ref),
            Self::Own(value) => value.get(key).cloned().map(Self::Own),
        }
    }

    /// The same, paid by an account where the key is large.
    pub(super) fn get_within(&self, key: &Value, account: &mut Account) -> Result<Option<Self>, Halt> {
        Ok(match self {
            Self::Ref(Value::Set(set)) | Self::Own(Value::Set(set)) => {
                set.get_within(key, account)?.map(|_| Self::Own(key.clone()))
            }
            Self::Ref(value) => value.get_within(key, account)?.map(Self::Ref),
            Self::Own(value) => value.get_within(key, account)?.cloned().map(Self::Own),
        })
    }

    /// How many items, members or elements it has.
    pub(super) fn len(&self) -> usize {
        match self.value() {
            Value::Array(array) => array.items().len(),
            Value::Object(object) => object.len(),
            Value::Set(set) => set.len(),
            _ => 0,
        }
    }

    /// The key and the value of one of them.
    #[inline]
    pub(super) fn entry(&self, index: usize) -> Option<(Self, Self)> {
        match self {
            Self::Ref(value) => entry(value, index, Val::Ref),
            Self::Own(value) => entry(value, index, |value| Self::Own(value.clone())),
        }
    }
}

/// The value of a variable in a frame.
pub(super) fn slot_of<'s, 'a>(slots: &'s [Val<'a>], base: usize, slot: Slot) -> &'s Val<'a> {
    slots.get(base.saturating_add(slot.index())).unwrap_or(&Val::NULL)
}

/// Returns the value one step below in base documents, `None` where there is none. Their keys are text: a number finds the member that is
/// called so, and a text the item at the [`index`] that it is (opa `v1/storage/path.go`, `NewPathForRef`;
/// `v1/storage/internal/ptr/ptr.go`).
pub(super) fn below_base<'v>(value: &'v Value, key: &Value) -> Option<&'v Value> {
    match (value, key) {
        (Value::Array(array), Value::String(text)) => array.get(usize::try_from(index(text)?).ok()?),
        (Value::Object(_), Value::Int(_) | Value::Number(_)) => value.get(&Value::from(key.to_string())),
        _ => value.get(key),
    }
}

/// Whether a key of base documents has one way to be asked for. A text that is written as a number is has two: a number finds what is called so,
/// and a text the item at an [`index`].
pub(crate) fn is_name(key: &Value) -> bool {
    let begins = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.');
    let goes_on = |byte: u8| begins(byte) || matches!(byte, b'e' | b'E');
    match key {
        Value::String(text) => !text.bytes().next().is_some_and(begins) || !text.bytes().all(goes_on),
        _ => false,
    }
}

/// Returns the integer that a text stands for among the items of a base document: `1`, `01`, `+1`, `1.0`, and `.` for 0 (opa
/// `v1/util/performance.go`, `Atoi64`).
pub(crate) fn index(text: &str) -> Option<i64> {
    const LONGEST: usize = 19;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, zeros) = digits.split_once('.').unwrap_or((digits, ""));
    let is_integer = whole.bytes().all(|byte| byte.is_ascii_digit()) && zeros.bytes().all(|byte| byte == b'0');
    if digits.is_empty() || digits.len() > LONGEST || !is_integer {
        return None;
    }
    let digit = |byte: u8| i64::from(byte.saturating_sub(b'0'));
    let number = whole.bytes().try_fold(0_i64, |all, byte| all.checked_mul(10)?.checked_add(digit(byte)))?;
    number.checked_mul(if text.starts_with('-') { -1 } else { 1 })
}

/// The key and the value of one member of a collection.
pub(super) fn entry<'v, 'a>(value: &'v Value, index: usize, part: impl Fn(&'v Value) -> Val<'a>) -> Option<(Val<'a>, Val<'a>)> {
    match value {
        Value::Array(array) => Some((Val::Own(Value::from(index)), part(array.get(index)?))),
        Value::Object(object) => Some((part(object.keys().get(index)?), part(object.values().get(index)?))),
        Value::Set(set) => {
            let member = set.members().get(index)?;
            Some((part(member), part(member)))
        }
        _ => None,
    }
}
