//! Numbers as OPA keeps them: exact, in the form they were written.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Value;

/// A number that is no plain 64-bit integer: big, fractional, or written in another form (`1.0`, `1e2`, `-0`).
#[derive(Debug)]
pub struct Number {
    text: Box<str>,
}

impl Number {
    /// A number that is written so, whatever its form.
    pub(super) fn of_text(text: &str) -> Self {
        Self { text: text.into() }
    }

    /// As it was written, or computed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole number of 64 bits that it is.
    pub fn to_i64(&self) -> Option<i64> {
        self.text.parse().ok()
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.text.parse().unwrap_or(f64::NAN)
    }

    pub(super) fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Value {
    /// A number as it is written in JSON or Rego; `None` for what is no number.
    pub fn number(text: &str) -> Option<Self> {
        if let Ok(value) = text.parse::<i64>()
            && value.to_string() == text
        {
            return Some(Self::Int(value));
        }
        text.parse::<f64>().ok()?;
        Some(Self::Number(std::sync::Arc::new(Number::of_text(text))))
    }
}

/// How two numbers compare.
pub(super) fn compare(a: &Value, b: &Value) -> Ordering {
    let double = |value: &Value| match value {
        Value::Int(value) => value.to_string().parse().unwrap_or(f64::NAN),
        Value::Number(number) => number.to_f64(),
        _ => f64::NAN,
    };
    double(a).total_cmp(&double(b))
}
