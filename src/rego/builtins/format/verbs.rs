//! One directive and its argument, as Go's `fmt` writes it.

use super::text;

/// Flags, width and precision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    sharp: bool,
    zero: bool,
    plus: bool,
    minus: bool,
    space: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

/// What a directive gets.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    Integer(i64),
    /// An integer beyond 64 bits.
    Big(String),
    Float(f64),
    Text(String),
}

/// Why a directive is not written.
type Refusal = String;

impl Spec {
    pub(super) fn flag(&mut self, flag: char) {
        match flag {
            '#' => self.sharp = true,
            '0' => self.zero = true,
            '+' => self.plus = true,
            '-' => self.minus = true,
            _ => self.space = true,
        }
    }

    fn pad(&self, text: &str) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        match (self.minus, self.zero) {
            (true, _) => format!("{text}{}", " ".repeat(missing)),
            (false, true) => format!("{}{text}", "0".repeat(missing)),
            (false, false) => format!("{}{text}", " ".repeat(missing)),
        }
    }

    fn truncated(&self, text: &str) -> String {
        self.precision.map_or_else(|| text.to_owned(), |most| text.chars().take(most).collect())
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }

    /// Digits with a sign and a prefix; precision and zeros are leading digits.
    fn integer(&self, negative: bool, digits: &str, prefix: &str) -> String {
        let sign = self.sign(negative);
        let plain = Self { zero: false, ..*self };
        if self.precision == Some(0) && digits == "0" {
            return plain.pad("");
        }
        let zeros = match (self.precision, self.width) {
            (Some(precision), _) => precision,
            (None, Some(width)) if self.zero && !self.minus => width.saturating_sub(sign.len()),
            _ => 0,
        };
        plain.pad(&format!("{sign}{prefix}{digits:0>zeros$}"))
    }
}

impl Argument {
    /// The type in Go, and the value.
    pub(super) fn named(&self) -> String {
        self.named_as(&Spec::default()).unwrap_or_default()
    }

    fn named_as(&self, spec: &Spec) -> Result<String, Refusal> {
        Ok(format!("{}={}", self.type_name(), self.write('v', spec)?))
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Integer(_) => "int64",
            Self::Big(_) => "*big.Int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
        }
    }

    /// The argument as a directive with this verb writes it.
    pub(super) fn write(&self, verb: char, spec: &Spec) -> Result<String, Refusal> {
        let written = match (self, verb) {
            (_, 'T') => Some(spec.pad(&spec.truncated(self.type_name()))),
            (Self::Integer(integer), _) => whole(*integer, verb, spec)?,
            (Self::Big(digits), _) => big(digits, verb, spec)?,
            (Self::Float(float), _) => fraction(*float, verb, spec)?,
            (Self::Text(text), _) => string(text, verb, spec),
        };
        match written {
            Some(written) => Ok(written),
            None => Ok(format!("%!{verb}({})", self.named_as(spec)?)),
        }
    }
}

fn string(text: &str, verb: char, spec: &Spec) -> Option<String> {
    match verb {
        'v' if spec.sharp => Some(spec.pad(&text::quote(&spec.truncated(text)))),
        'v' | 's' => Some(spec.pad(&spec.truncated(text))),
        'q' => Some(spec.pad(&text::quote(&spec.truncated(text)))),
        'x' => Some(spec.pad(&bytes(text, spec))),
        'X' => Some(spec.pad(&bytes(text, spec).to_uppercase())),
        _ => None,
    }
}

/// The bytes of a text in hexadecimal: `#` gives a prefix, a blank puts blanks between, both a prefix for each.
fn bytes(text: &str, spec: &Spec) -> String {
    let most = spec.precision.unwrap_or(usize::MAX);
    let prefix = if spec.sharp { "0x" } else { "" };
    let bytes: Vec<String> = text.bytes().take(most).map(|byte| format!("{byte:02x}")).collect();
    match (bytes.is_empty(), spec.space) {
        (true, _) => String::new(),
        (false, true) => format!("{prefix}{}", bytes.join(&format!(" {prefix}"))),
        (false, false) => format!("{prefix}{}", bytes.concat()),
    }
}

fn whole(integer: i64, verb: char, spec: &Spec) -> Result<Option<String>, Refusal> {
    let (negative, value) = (integer < 0, integer.unsigned_abs());
    let sharp = |prefix: &'static str| if spec.sharp { prefix } else { "" };
    let written = match verb {
        'v' | 'd' => spec.integer(negative, &value.to_string(), ""),
        'b' => spec.integer(negative, &format!("{value:b}"), sharp("0b")),
        'o' => spec.integer(negative, &format!("{value:o}"), sharp("0")),
        'O' => spec.integer(negative, &format!("{value:o}"), "0o"),
        'x' => spec.integer(negative, &format!("{value:x}"), sharp("0x")),
        'X' => spec.integer(negative, &format!("{value:X}"), sharp("0X")),
        'c' => {
            let c = u32::try_from(integer).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            spec.pad(&c.to_string())
        }
        'U' | 'q' => return Err(refused(verb)),
        _ => return Ok(None),
    };
    Ok(Some(written))
}

fn big(digits: &str, verb: char, spec: &Spec) -> Result<Option<String>, Refusal> {
    match verb {
        'v' | 'd' | 's' => Ok(Some(spec.integer(digits.starts_with('-'), digits.trim_start_matches('-'), ""))),
        _ => Err(refused(verb)),
    }
}

fn refused(verb: char) -> Refusal {
    format!("does not write this number with %{verb}")
}

fn fraction(float: f64, verb: char, spec: &Spec) -> Result<Option<String>, Refusal> {
    let value = float.abs();
    let precision = spec.precision.unwrap_or(6);
    let digits = match verb {
        'f' | 'F' => format!("{value:.precision$}"),
        'e' => exponent(&format!("{value:.precision$e}")),
        'E' => exponent(&format!("{value:.precision$e}")).to_uppercase(),
        'v' | 'g' => general(value, spec.precision),
        'G' => general(value, spec.precision).to_uppercase(),
        'b' | 'x' | 'X' => return Err(refused(verb)),
        _ => return Ok(None),
    };
    if spec.sharp {
        return Err(refused(verb));
    }
    let sign = spec.sign(float.is_sign_negative());
    if spec.zero && !spec.minus && !sign.is_empty() {
        let inner = Spec { width: spec.width.map(|width| width.saturating_sub(1)), ..*spec };
        return Ok(Some(format!("{sign}{}", inner.pad(&digits))));
    }
    Ok(Some(spec.pad(&format!("{sign}{digits}"))))
}

/// `1.5e7` as `1.5e+07`.
fn exponent(written: &str) -> String {
    let (mantissa, exponent) = written.split_once('e').unwrap_or((written, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%g`: an exponent where the number is small or long, as few digits as there must be.
pub(super) fn general(value: f64, precision: Option<usize>) -> String {
    let written = match precision {
        Some(precision) => format!("{value:.*e}", precision.max(1).saturating_sub(1)),
        None => format!("{value:e}"),
    };
    let (mantissa, power) = written.split_once('e').unwrap_or((&written, "0"));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let power: i64 = power.parse().unwrap_or(0);
    let count = i64::try_from(mantissa.len().saturating_sub(usize::from(mantissa.contains('.')))).unwrap_or(i64::MAX);
    let most = match precision.map(|precision| i64::try_from(precision.max(1)).unwrap_or(i64::MAX)) {
        None => 6,
        Some(precision) if precision > count && count > power => count,
        Some(precision) => precision,
    };
    if power < -4 || power >= most {
        return exponent(&format!("{mantissa}e{power}"));
    }
    let decimals = usize::try_from(count.saturating_sub(1).saturating_sub(power)).unwrap_or(0);
    format!("{value:.decimals$}")
}
