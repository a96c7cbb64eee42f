//! `${NAME}` in the configuration is what the environment says, before anything else is read (OPA: `internal/config`).

/// Replaces every `${NAME}` that is set; one that is not stays as it is, as in OPA.
pub fn substitute(text: &str, lookup: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        result.push_str(before);
        // Like OPA's expression, a name ends on its line.
        let name = after.split_once('}').map(|(name, _)| name).filter(|name| !name.contains('\n'));
        let Some(name) = name else {
            result.push_str("${");
            rest = after;
            continue;
        };
        match lookup(name) {
            _ if name.is_empty() => {}
            Some(value) => result.push_str(&value),
            None => result.push_str(&format!("${{{name}}}")),
        }
        rest = after.get(name.len() + 1..).unwrap_or_default();
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_replaced_and_what_is_not_stays() {
        let lookup = |name: &str| ["A", "EMPTY"].contains(&name).then(|| if name == "A" { "1".into() } else { String::new() });
        let table = [
            ("a: ${A}", "a: 1"),
            ("${A}${A}", "11"),
            ("x${EMPTY}y", "xy"),
            ("${UNSET}", "${UNSET}"),
            ("'${}'", "''"),
            ("${A", "${A"),
            ("${\nA}", "${\nA}"),
            ("$A ${UNSET} ${A}", "$A ${UNSET} 1"),
        ];
        for (text, expected) in table {
            assert_eq!(substitute(text, lookup), expected, "{text}");
        }
    }
}
