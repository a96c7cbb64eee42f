//! Judges what came of a case, as `testRun` of OPA's `v1/topdown/exported_test.go`.

use std::fmt;

use plimsoll_rego::value::Value;

use super::cases::Case;
use super::engine::{Bindings, Failure};
use super::yaml::plain;

/// What came of a case.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    Pass,
    /// Modules or query are not accepted, and why.
    Refused(String),
    /// Another answer than OPA's.
    Differs(String),
}

impl Verdict {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Refused(_) => "refused",
            Self::Differs(_) => "differs",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("pass"),
            Self::Refused(why) => write!(f, "refused: {}", why.replace('\n', " ")),
            Self::Differs(how) => write!(f, "differs: {}", how.replace('\n', " ")),
        }
    }
}

/// What came of it.
pub(super) fn judge(case: &Case, found: Result<Vec<Bindings>, Failure>) -> Verdict {
    let wants_error = case.want_error.is_some() || case.want_error_code.is_some();
    match found {
        Err(Failure::Refused(why)) => Verdict::Refused(why),
        Err(Failure::Failed { at, code, message }) => {
            let at = at.map_or_else(String::new, |at| format!("{at}: "));
            let text = format!("{at}{code}: {message}");
            let coded = case.want_error_code.as_ref().is_none_or(|wanted| *wanted == code);
            let told = case.want_error.as_ref().is_none_or(|wanted| text.contains(wanted.as_str()));
            if wants_error && coded && told {
                return Verdict::Pass;
            }
            Verdict::Differs(format!("wanted {}, found {text}", wanted(case)))
        }
        Ok(rows) if wants_error => Verdict::Differs(format!("wanted {}, found {}", wanted(case), set(case, &rows))),
        Ok(rows) => {
            let (found, want) = (set(case, &rows), Value::set(case.want_result.iter().flatten().cloned()));
            if case.want_result.is_some() && found == want {
                return Verdict::Pass;
            }
            Verdict::Differs(format!("wanted {}, found {found}", wanted(case)))
        }
    }
}

fn wanted(case: &Case) -> String {
    match (&case.want_result, &case.want_error, &case.want_error_code) {
        (_, Some(error), Some(code)) => format!("{code} with {error:?}"),
        (_, Some(error), None) => format!("{error:?}"),
        (_, None, Some(code)) => code.clone(),
        (Some(rows), None, None) => Value::set(rows.iter().cloned()).to_string(),
        (None, None, None) => "nothing".to_owned(),
    }
}

/// The solutions as OPA compares them.
fn set(case: &Case, rows: &[Bindings]) -> Value {
    let shown = |value: &Value| match plain(value) {
        Value::Array(items) if case.sort_bindings => {
            let mut items = items.items().to_vec();
            items.sort();
            Value::array(items)
        }
        other => other,
    };
    let kept = |name: &str| !case.ignore_generated_vars || !name.starts_with("__localq");
    Value::set(rows.iter().map(|row| {
        let members = row.iter().filter(|(name, _)| kept(name));
        Value::object(members.map(|(name, value)| (Value::from(name.as_str()), shown(value))))
    }))
}
