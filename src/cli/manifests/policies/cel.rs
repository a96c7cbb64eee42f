//! Pieces of CEL, as the API server reads it. Objects are compared as plain maps (`dyn`): fields that their schema does not
//! name count too, and the API server's own type check has nothing to warn of.

/// Returns a string literal of CEL.
pub(super) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
}

/// Returns a list of string literals of CEL.
pub(super) fn texts<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> String {
    let literals: Vec<String> = values.into_iter().map(|value| text(value.as_ref())).collect();
    format!("[{}]", literals.join(", "))
}

/// Returns an expression for the list of keys in which the maps `now` and `before` differ; the keys in `except` do not count.
pub(super) fn changed(now: &str, before: &str, except: &[&str]) -> String {
    let listed = texts(except);
    format!(
        "{now}.filter(key, !(key in {listed}) && {before}[?key] != optional.of({now}[key])) \
         + {before}.filter(key, !(key in {listed} || key in {now}))"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_ends_where_it_should() {
        assert_eq!(text("example.com/key"), "'example.com/key'");
        assert_eq!(text(r"a' || true || '\"), r"'a\' || true || \'\\'");
        assert_eq!(texts(["a", "b"]), "['a', 'b']");
        assert_eq!(texts([""; 0]), "[]");
    }

    #[test]
    fn what_was_added_changed_and_removed_is_found() {
        assert_eq!(
            changed("now", "before", &["x"]),
            "now.filter(key, !(key in ['x']) && before[?key] != optional.of(now[key])) \
             + before.filter(key, !(key in ['x'] || key in now))"
        );
    }
}
