//! Floats (Go: `fmtFloat`, `strconv/ftoa.go`).

use super::spec::Spec;
use crate::builtins::float::{general, go_exponent};
use crate::builtins::output::Output;
use crate::limits::Halt;
use crate::value::number::shortest::parts;

/// No double has more digits than this; the rest are zeros.
const DIGITS: usize = 1_100;

/// A number as it is written: digits, zeros behind them, exponent.
struct Written {
    digits: String,
    zeros: usize,
    exponent: String,
}

/// Whether the verb is one for floats; it is written then.
pub(super) fn write(float: f64, verb: char, spec: &Spec, out: &mut Output<'_>) -> Result<bool, Halt> {
    let value = float.abs();
    let fixed = spec.precision.unwrap_or(6);
    let mut written = match verb {
        'f' | 'F' => Written::fixed(value, fixed),
        'e' | 'E' => Written::scientific(value, fixed),
        'v' | 'g' | 'G' => Written::of(general(value, spec.precision)),
        'b' => Written::of(binary(value)),
        'x' | 'X' => Written::hexadecimal(value, spec.precision),
        _ => return Ok(false),
    };
    if matches!(verb, 'E' | 'G' | 'X') {
        written.digits = written.digits.to_uppercase();
        written.exponent = written.exponent.to_uppercase();
    }
    if spec.sharp && verb != 'b' {
        written.sharpen(verb, spec.precision);
    }
    written.write(spec.sign(float.is_sign_negative()), spec, out)?;
    Ok(true)
}

impl Written {
    /// A number that is written so; what follows from the exponent on stands for itself.
    fn of(text: String) -> Self {
        let at = if text.starts_with("0x") { text.find('p') } else { text.find(['e', 'p']) };
        let (digits, exponent) = at.and_then(|at| text.split_at_checked(at)).unwrap_or((&text, ""));
        Self { digits: digits.to_owned(), zeros: 0, exponent: exponent.to_owned() }
    }

    fn fixed(value: f64, precision: usize) -> Self {
        let exact = precision.min(DIGITS);
        Self { digits: format!("{value:.exact$}"), zeros: precision.saturating_sub(exact), exponent: String::new() }
    }

    fn scientific(value: f64, precision: usize) -> Self {
        let exact = precision.min(DIGITS);
        Self { zeros: precision.saturating_sub(exact), ..Self::of(go_exponent(&format!("{value:.exact$e}"))) }
    }

    fn hexadecimal(value: f64, precision: Option<usize>) -> Self {
        let exact = precision.map(|precision| precision.min(DIGITS));
        let zeros = precision.unwrap_or(0).saturating_sub(DIGITS);
        Self { zeros, ..Self::of(super::float::hexadecimal(value, exact)) }
    }

    /// `#`: always a point, and for `%g` the zeros that are otherwise left out.
    fn sharpen(&mut self, verb: char, precision: Option<usize>) {
        let wanted = if matches!(verb, 'v' | 'g' | 'G' | 'x') { precision.unwrap_or(6) } else { 0 };
        // Go counts the letters of a prefix too.
        let significant = self.digits.chars().filter(|c| *c != '.').skip_while(|c| *c == '0').count();
        let point = self.digits.contains('.');
        let seen = significant.saturating_add(usize::from(!point && self.digits == "0"));
        if !point {
            self.digits.push('.');
        }
        self.zeros = self.zeros.saturating_add(wanted.saturating_sub(seen));
    }

    fn write(&self, sign: &str, spec: &Spec, out: &mut Output<'_>) -> Result<(), Halt> {
        let unsigned = [self.digits.len(), self.zeros, self.exponent.len()].into_iter().fold(0, usize::saturating_add);
        let leading = spec.zero && !spec.minus && !sign.is_empty();
        let between = if leading { spec.width.unwrap_or(0).saturating_sub(unsigned.saturating_add(sign.len())) } else { 0 };
        let characters = unsigned.saturating_add(sign.len()).saturating_add(between);
        spec.padded(characters, out, |out| {
            out.push(sign)?;
            out.repeat('0', between)?;
            out.push(&self.digits)?;
            out.repeat('0', self.zeros)?;
            out.push(&self.exponent)
        })
    }
}

/// `%b`: `4503599627370496p-52`.
fn binary(value: f64) -> String {
    let (mantissa, power) = parts(value);
    format!("{mantissa}p{power:+}")
}

/// `%x`: `0x1.8p+01`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let (mut mantissa, mut power) = parts(value);
    power = if mantissa == 0 { 0 } else { power.saturating_add(52) };
    // The leading one stands at bit 60.
    mantissa <<= 8;
    while mantissa != 0 && mantissa & (1 << 60) == 0 {
        (mantissa, power) = (mantissa << 1, power.saturating_sub(1));
    }
    if let Some(digits) = precision.filter(|precision| *precision < 15) {
        (mantissa, power) = rounded(mantissa, power, digits);
    }
    let fraction = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_owned(),
        Some(digits) => format!("{:0<digits$}", fraction.get(..digits.min(15)).unwrap_or_default()),
    };
    let (point, sign) = (if fraction.is_empty() { "" } else { "." }, if power < 0 { '-' } else { '+' });
    format!("0x{}{point}{fraction}p{sign}{:02}", mantissa >> 60, power.unsigned_abs())
}

/// To so many hexadecimal digits, to the even one of two.
fn rounded(mantissa: u64, power: i64, digits: usize) -> (u64, i64) {
    let shift = u32::try_from(digits.saturating_mul(4)).unwrap_or(60);
    let extra = (mantissa << shift) & ((1 << 60) - 1);
    let mut kept = mantissa >> 60_u32.saturating_sub(shift);
    if extra | (kept & 1) > 1 << 59 {
        kept = kept.saturating_add(1);
    }
    let kept = kept << 60_u32.saturating_sub(shift);
    if kept & (1 << 61) != 0 { (kept >> 1, power.saturating_add(1)) } else { (kept, power) }
}
