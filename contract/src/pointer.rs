//! JSON pointers (RFC 6901) to fields, as the table of kinds has them.

/// Returns the names on the way to a field, such as `status` and `conditions` of `/status/conditions`; `None` for a text that is no pointer to
/// one: `~` is in it as `~0` and `~1` alone.
pub fn names(text: &str) -> Option<Vec<String>> {
    let names = text.strip_prefix('/').filter(|names| !names.is_empty())?;
    let is_escaped = names.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    is_escaped.then(|| names.split('/').map(|name| name.replace("~1", "/").replace("~0", "~")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_one_of_a_field() {
        let table: [(&str, &[&str]); 5] = [
            ("/a", &["a"]),
            ("/a/b~1c", &["a", "b/c"]),
            ("/a~0/~01", &["a~", "~1"]),
            ("/status/*/x", &["status", "*", "x"]),
            ("/a/", &["a", ""]),
        ];
        for (text, expected) in table {
            assert_eq!(names(text).unwrap(), expected, "{text}");
        }
        for text in ["", "/", "a", "status/x", "$.status", "/a~", "/a~2", "/a~~0"] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
