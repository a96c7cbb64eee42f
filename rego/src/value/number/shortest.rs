//! The shortest digits that read back as the same float (Go's `math/big/ftoa.go`, `strconv/ftoa.go`).

use num_bigint::BigUint;

use super::float::Float;

/// Two doubles that are equally near have so many digits.
const TIES: usize = 15;

/// `0.DIGITS * 10^point`, without zeros at either end.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// `mantissa * 2^exponent`, exactly.
    fn of(mantissa: u128, exponent: i64) -> Self {
        let zeros = i64::from(if mantissa == 0 { 0 } else { mantissa.trailing_zeros() }).min(exponent.saturating_neg().max(0));
        let (mantissa, exponent) = (BigUint::from(mantissa >> zeros), exponent.saturating_add(zeros));
        let (value, fraction) = if exponent >= 0 {
            (mantissa << exponent.unsigned_abs(), 0)
        } else {
            let power = u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX);
            (mantissa * BigUint::from(5_u32).pow(power), i64::from(power))
        };
        let mut digits = value.to_string().into_bytes();
        let point = i64::try_from(digits.len()).unwrap_or(i64::MAX).saturating_sub(fraction);
        trim(&mut digits);
        Self { digits, point }
    }

    /// The shortest digits of a double that is not negative. Of two that are equally near Rust takes the larger one, Go the even one, if
    /// both read back as the double (`strconv/ftoaryu.go`, `ryuFtoaShortest`).
    fn shortest(value: f64) -> Self {
        let written = format!("{value:e}");
        let (mantissa, power) = written.split_once('e').unwrap_or((&written, "0"));
        let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        trim(&mut digits);
        let power: i64 = power.parse().unwrap_or(0);
        let count = digits.len();
        if count >= TIES {
            let (mantissa, power) = parts(value);
            let mut even = Self::of(u128::from(mantissa), power);
            if even.digits.len() == count.saturating_add(1) && even.digits.last() == Some(&b'5') {
                even.round(count);
                if format!("0.{}e{}", String::from_utf8_lossy(&even.digits), even.point).parse() == Ok(value) {
                    return even;
                }
            }
        }
        Self { digits, point: power.saturating_add(1) }
    }

    fn at(&self, index: usize) -> u8 {
        self.digits.get(index).copied().unwrap_or(b'0')
    }

    fn round(&mut self, count: usize) {
        let exactly_half = self.at(count) == b'5' && count.saturating_add(1) == self.digits.len();
        let odd = count.checked_sub(1).is_some_and(|last| self.at(last) & 1 == 1);
        if if exactly_half { odd } else { self.at(count) >= b'5' } { self.round_up(count) } else { self.round_down(count) }
    }

    fn round_down(&mut self, count: usize) {
        self.digits.truncate(count);
        trim(&mut self.digits);
    }

    fn round_up(&mut self, count: usize) {
        if count >= self.digits.len() {
            return;
        }
        self.digits.truncate(count);
        while self.digits.last() == Some(&b'9') {
            self.digits.pop();
        }
        match self.digits.last_mut() {
            Some(digit) => *digit = digit.saturating_add(1),
            None => {
                self.digits.push(b'1');
                self.point = self.point.saturating_add(1);
            }
        }
    }
}

fn trim(digits: &mut Vec<u8>) {
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
}

/// As OPA writes a float (`v1/topdown/builtins/builtins.go`, `FloatToNumber`): `bits` of its mantissa count.
pub(super) fn text(float: Float, bits: u32) -> String {
    let mut text = String::from(if float.negative { "-" } else { "" });
    let digits = shortest(float, bits);
    if float.is_whole() || (-4..6).contains(&digits.point.saturating_sub(1)) {
        plain(&mut text, &digits);
    } else {
        scientific(&mut text, &digits);
    }
    text
}

/// A double as `strconv.FormatFloat(f, 'g', -1, 64)` writes it; `None` for what is no number.
pub(super) fn double(value: f64) -> Option<String> {
    let write: fn(&mut String, &Decimal) = |text, digits| match digits.point.saturating_sub(1) {
        -4..21 => plain(text, digits),
        _ => scientific(text, digits),
    };
    value.is_finite().then(|| written(value, write))
}

/// A double as `strconv.FormatFloat(f, 'e', -1, 64)` writes it: `1.5e+07`.
pub(crate) fn exponential(value: f64) -> String {
    if value.is_finite() { written(value, scientific) } else { format!("{value:e}") }
}

/// A finite double as `strconv.FormatFloat(f, 'f', -1, 64)` writes it.
pub(crate) fn fixed(value: f64) -> String {
    written(value, plain)
}

fn written(value: f64, write: fn(&mut String, &Decimal)) -> String {
    let mut text = String::from(if value.is_sign_negative() { "-" } else { "" });
    write(&mut text, &Decimal::shortest(value.abs()));
    text
}

/// Mantissa and power of two of a double that is not negative: `mantissa * 2^power`.
pub(crate) fn parts(value: f64) -> (u64, i64) {
    let bits = value.to_bits();
    let (power, fraction) = (i64::try_from(bits >> 52 & 0x7ff).unwrap_or(0), bits & ((1 << 52) - 1));
    if power == 0 { (fraction, -1074) } else { (fraction | 1 << 52, power.saturating_sub(1075)) }
}

fn shortest(float: Float, bits: u32) -> Decimal {
    let mut exact = Decimal::of(u128::from(float.mantissa), float.exponent);
    if exact.digits.is_empty() {
        return exact;
    }
    // The last bit is half a unit of the last place.
    let shift = 63_u32.saturating_sub(bits);
    let more = bits.saturating_sub(63);
    let mantissa = (u128::from(float.mantissa) << more) >> shift;
    let exponent = float.exponent.saturating_add(i64::from(shift)).saturating_sub(i64::from(more));
    let lower = Decimal::of(mantissa.saturating_sub(1), exponent);
    let upper = Decimal::of(mantissa.saturating_add(1), exponent);
    cut(&mut exact, &lower, &upper, mantissa & 2 == 0);
    exact
}

/// Go's `roundShortest`, with its comparison digit by digit.
fn cut(exact: &mut Decimal, lower: &Decimal, upper: &Decimal, inclusive: bool) {
    for index in 0..exact.digits.len() {
        let (digit, count) = (exact.at(index), index.saturating_add(1));
        let (low, high) = (lower.at(index), upper.at(index));
        let down = low != digit || inclusive && count == lower.digits.len();
        let up = digit != high && (inclusive || digit.saturating_add(1) < high || count < upper.digits.len());
        match (down, up) {
            (true, true) if count < exact.digits.len() => return exact.round(count),
            (true, true) => return,
            (true, false) => return exact.round_down(count),
            (false, true) => return exact.round_up(count),
            (false, false) => {}
        }
    }
}

fn plain(text: &mut String, decimal: &Decimal) {
    let whole = usize::try_from(decimal.point).unwrap_or(0);
    if whole == 0 {
        text.push('0');
    }
    let count = whole.max(decimal.digits.len());
    if decimal.point < 0 {
        text.push('.');
        text.extend(std::iter::repeat_n('0', usize::try_from(decimal.point.unsigned_abs()).unwrap_or(0)));
    }
    for index in 0..count {
        if index == whole && decimal.point >= 0 {
            text.push('.');
        }
        text.push(char::from(decimal.at(index)));
    }
}

fn scientific(text: &mut String, decimal: &Decimal) {
    text.push(char::from(decimal.at(0)));
    if decimal.digits.len() > 1 {
        text.push('.');
        text.extend(decimal.digits.iter().skip(1).map(|digit| char::from(*digit)));
    }
    let exponent = decimal.point.saturating_sub(1);
    text.push_str(if exponent < 0 { "e-" } else { "e+" });
    text.push_str(&format!("{:02}", exponent.unsigned_abs()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::number::form::Form;

    /// `x + 0` of OPA 1.22 with a fraction in it.
    #[test]
    fn floats_have_the_digits_of_opa() {
        for (written, expected) in [
            ("1234567.5", "1.2345675e+06"),
            ("123456.5", "123456.5"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1e-7", "1e-07"),
            ("123456789012.5", "1.234567890125e+11"),
            ("-2.50", "-2.5"),
            ("-0.0", "-0"),
            ("0.1", "0.1"),
            ("0.33333333333333333333333333", "0.33333333333333333334"),
        ] {
            assert_eq!(text(Float::of(Form::of(written).unwrap()).unwrap(), 64), expected, "{written}");
        }
    }

    #[test]
    fn doubles_are_written_as_go_writes_them() {
        for (value, expected) in [
            (0.1, "0.1"),
            (1e21, "1e+21"),
            (1e20, "100000000000000000000"),
            (1e-5, "1e-05"),
            (-0.0, "-0"),
            (1_234_567.5, "1234567.5"),
            (100.0, "100"),
            (900_719_925_474_099.0 + 0.25, "900719925474099.2"),
            (900_719_925_474_099.0 + 0.75, "900719925474099.8"),
            (0.5 + 2_f64.powi(-17), "0.5000076293945312"),
            (2_f64.powi(-24), "5.960464477539063e-08"),
        ] {
            assert_eq!(double(value).as_deref(), Some(expected));
        }
        assert_eq!(double(f64::NAN), None);
    }
}
