//! Patterns of paths, of `*` and `?`: with slashes like any character, or name by name.

/// `*` is any text, `?` any character; slashes are like others (OPA: `glob.Compile` without separators).
pub fn matches(pattern: &str, text: &str) -> bool {
    let all = |text: &str| text.chars().collect::<Vec<_>>();
    of_chars(&all(pattern), &all(text))
}

/// Returns whether a path matches, with slashes only where the pattern has them (Go: `filepath.Match`, of `*` and `?` alone).
pub fn matches_path(pattern: &str, path: &str) -> bool {
    let depth = |text: &str| text.matches('/').count();
    depth(pattern) == depth(path) && pattern.split('/').zip(path.split('/')).all(|(pattern, name)| matches(pattern, name))
}

/// Linear but for the last `*`, the only one that is ever tried again.
fn of_chars(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t, mut again) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                again = Some((p, t));
                p += 1;
            }
            Some('?') => (p, t) = (p + 1, t + 1),
            Some(c) if Some(c) == text.get(t) => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((star, from)) = again else { return false };
                again = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Go's `filepath.Match` says (the second), and a glob without separators (the third).
    #[test]
    fn slashes_count_where_go_has_it_so() {
        let table = [
            ("*", "p.rego", true, true),
            ("*", "s/p.rego", false, true),
            ("*.rego", "s/p.rego", false, true),
            ("*/*", "s/p.rego", true, true),
            ("*/*", "s/t/p.rego", false, true),
            ("s*", "s/p.rego", false, true),
            ("s?p.rego", "s/p.rego", false, true),
            ("s/?.rego", "s/\u{e9}.rego", true, true),
            ("s/p.rego", "s/p.rego", true, true),
            ("s/*", "s", false, false),
            ("/s/*", "s/p.rego", false, false),
            ("**/p.rego", "s/t/p.rego", false, true),
            ("", "", true, true),
            ("a*b*c", "aXbYbc", true, true),
        ];
        for (pattern, path, by_name, anywhere) in table {
            assert_eq!(matches_path(pattern, path), by_name, "{pattern} {path}");
            assert_eq!(matches(pattern, path), anywhere, "{pattern} {path}");
        }
    }
}
