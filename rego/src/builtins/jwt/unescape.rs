//! Escapes of strings as `github.com/valyala/fastjson` takes them out: what is no escape stays.

/// A string without escapes.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut chars = behind.chars();
        let Some(escape) = chars.next() else { return plain };
        rest = chars.as_str();
        match escape {
            '"' | '\\' | '/' => plain.push(escape),
            'b' => plain.push('\u{8}'),
            'f' => plain.push('\u{c}'),
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            'u' => rest = unicode(rest, &mut plain),
            other => plain.extend(['\\', other]),
        }
    }
    plain.push_str(rest);
    plain
}

/// What four digits stand for, or eight with another escape between them; what is left behind them.
fn unicode<'t>(rest: &'t str, plain: &mut String) -> &'t str {
    let Some((unit, behind)) = unit(rest) else {
        plain.push_str("\\u");
        return rest;
    };
    if let Some(c) = char::from_u32(unit.into()) {
        plain.push(c);
        return behind;
    }
    match behind.strip_prefix("\\u").and_then(self::unit) {
        Some((low, behind)) => {
            plain.extend(char::decode_utf16([unit, low]).next().map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
            behind
        }
        None => {
            plain.push_str("\\u");
            rest
        }
    }
}

fn unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| u16::from_str_radix(digits, 16).ok()).flatten().map(|unit| (unit, rest))
}
