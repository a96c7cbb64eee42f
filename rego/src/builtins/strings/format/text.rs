//! Strings (Go: `fmtS`, `fmtSbx`, `fmtQ`).

use super::spec::Spec;
use crate::builtins::bytes;
use crate::builtins::error::BuiltinError;
use crate::builtins::output::Output;
use crate::builtins::quote;
use crate::limits::Halt;

/// Whether the verb is one for strings; it is written then.
pub(super) fn write(text: &str, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<bool, Halt> {
    match verb {
        'v' if spec.sharp_v => quoted(text, spec, out)?,
        'v' | 's' => spec.pad(cut(text, spec), out)?,
        'q' => quoted(text, spec, out)?,
        'x' | 'X' => hexadecimal(&bytes::of(text), verb == 'X', spec, out)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Text as `%s` writes it.
pub(super) fn truncated(text: &str, spec: &Spec, out: &mut Output<'_>) -> Result<(), BuiltinError> {
    Ok(spec.pad(cut(text, spec), out)?)
}

/// As many characters as the precision allows.
fn cut<'t>(text: &'t str, spec: &Spec) -> &'t str {
    let end = spec.precision.and_then(|most| text.char_indices().nth(most)).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn quoted(text: &str, spec: &Spec, out: &mut Output<'_>) -> Result<(), Halt> {
    let text = cut(text, spec);
    out.account().charge(text.len())?;
    if spec.sharp && quote::can_backquote(text) {
        return spec.pad(&format!("`{text}`"), out);
    }
    let quoted = if spec.plus { quote::ascii(text) } else { quote::quote(text) };
    spec.pad(&quoted, out)
}

/// Bytes in hexadecimal: `#` gives a prefix, a blank puts blanks between, both a prefix for each.
fn hexadecimal(bytes: &[u8], upper: bool, spec: &Spec, out: &mut Output<'_>) -> Result<(), Halt> {
    let bytes = bytes.get(..spec.precision.unwrap_or(usize::MAX).min(bytes.len())).unwrap_or_default();
    if bytes.is_empty() {
        return out.repeat(spec.padding(), spec.width.unwrap_or(0));
    }
    out.account().charge(bytes.len().saturating_mul(5))?;
    let prefix = match (spec.sharp, upper) {
        (false, _) => "",
        (true, false) => "0x",
        (true, true) => "0X",
    };
    let between = if spec.space { format!(" {prefix}") } else { String::new() };
    let pairs = bytes.iter().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") });
    let written = format!("{prefix}{}", pairs.collect::<Vec<_>>().join(&between));
    spec.pad(&written, out)
}
