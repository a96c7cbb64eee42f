//! Counts the brackets of a YAML body before it is parsed. The parser's time grows with their depth times the length of the
//! body: a body of nothing but brackets would keep it busy for minutes.
//!
//! What is inside of block scalars (`key: |`) is not counted, as long as nothing before leaves a doubt that it is one; from
//! the first doubt on every bracket counts, in texts and comments too. So nothing can hide.

/// More brackets are refused: some three seconds of work at most.
pub(super) const MOST: usize = 512;

/// Whether the body has too many brackets.
pub(super) fn is_too_deep(body: &[u8]) -> bool {
    let (mut brackets, mut certain) = (0usize, !has_other_breaks(body));
    let mut scalar: Option<usize> = None;
    for line in body.split(|byte| *byte == b'\n') {
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        if let Some(parent) = scalar {
            if indent > parent || line.trim_ascii().is_empty() {
                continue;
            }
            scalar = None;
        }
        brackets += line.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
        if brackets > MOST {
            return true;
        }
        if certain {
            certain = is_plain(line);
            scalar = certain.then(|| scalar_parent(line)).flatten();
        }
    }
    false
}

/// Whether lines end in other ways than ours; YAML 1.1 knows several.
fn has_other_breaks(body: &[u8]) -> bool {
    let breaks: [&[u8]; 4] = [b"\r", "\u{85}".as_bytes(), "\u{2028}".as_bytes(), "\u{2029}".as_bytes()];
    breaks.iter().any(|sign| body.windows(sign.len()).any(|part| part == *sign))
}

/// Whether a line, by itself, leaves no quote, bracket or comment open.
fn is_plain(line: &[u8]) -> bool {
    let special = |byte: &u8| matches!(byte, b'"' | b'\'' | b'#' | b'[' | b']' | b'{' | b'}' | b'\t' | b'%' | b'\r');
    if !line.iter().any(special) {
        return true;
    }
    // `key: "text"`, `key: 'text'`, `key: [a, b]`, `key: {}`, without anything special within.
    let Some(value) = line.windows(2).position(|pair| pair == b": ").and_then(|at| line.split_at_checked(at + 2)) else {
        return false;
    };
    let (key, value) = (value.0, value.1.trim_ascii());
    let closing = match value.first() {
        Some(b'"') => b'"',
        Some(b'\'') => b'\'',
        Some(b'[') => b']',
        Some(b'{') => b'}',
        _ => return false,
    };
    let inner = value.get(1..value.len().saturating_sub(1)).unwrap_or_default();
    value.len() >= 2 && value.last() == Some(&closing) && !key.iter().chain(inner).any(|byte| special(byte) || *byte == b'\\')
}

/// Where a line begins a block scalar: the column of what the scalar belongs to.
fn scalar_parent(line: &[u8]) -> Option<usize> {
    let end = line.trim_ascii_end();
    let header = end.iter().rposition(|byte| *byte == b' ').and_then(|at| end.split_at_checked(at + 1))?;
    let (before, header) = header;
    let known = matches!(header.first(), Some(b'|' | b'>')) && header.len() <= 3;
    let indicators = header.iter().skip(1).all(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9'));
    if !known || !indicators {
        return None;
    }
    let mut at = 0;
    let mut last = None;
    loop {
        let rest = before.get(at..)?;
        match rest {
            [b' ', ..] => at += 1,
            [b'-', b' ', ..] => {
                last = Some(at);
                at += 2;
            }
            [] => return last,
            _ => return rest.trim_ascii_end().ends_with(b":").then_some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_cannot_hide() {
        let many = "[".repeat(MOST + 1);
        let deep = [
            many.clone(),
            format!("a: # |\n  {many}"),
            format!("r:\n  x: \"\nk: |\n   \"\n  y: {many}"),
            format!("a: it's\nk: |\n  x'\n  {many}"),
            format!("- k: |\n    text\n  other: {many}"),
            format!("a: \"x\\\"\nk: |\n  {many}"),
            format!("a: x [\nk: |\n  {many}"),
            format!("k: |\n  text\u{2028}y: {many}"),
            format!("k: |\n  text\ry: {many}"),
        ];
        for body in deep {
            assert!(is_too_deep(body.as_bytes()), "{body:.60}");
        }
    }

    #[test]
    fn texts_may_have_brackets() {
        let many = "[{".repeat(MOST);
        let flat = [
            format!(
                "kind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  policy.rego: |\n    {many}\n\n    {many}\n  other: \"x\"\n  b: |-\n    {many}"
            ),
            format!("- |\n  {many}\n- - >\n    {many}"),
            "a: [b, c]\n".repeat(MOST),
        ];
        for body in flat {
            assert!(!is_too_deep(body.as_bytes()), "{body:.60}");
        }
    }
}
