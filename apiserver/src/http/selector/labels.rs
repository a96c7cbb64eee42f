//! Label selectors. Source of the grammar: `apimachinery` `pkg/labels/selector.go`.

use std::collections::BTreeMap;

use crate::status::Status;

/// Requirements that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Missing,
    In(Vec<String>),
    NotIn(Vec<String>),
    Above(i64),
    Below(i64),
}

impl Labels {
    /// Such as `a=b,c!=d,e in (f,g),!h`; empty for everything.
    pub fn read(text: &str) -> Result<Self, Status> {
        let refused = |why: String| Status::bad_request(format!("unable to parse requirement: {why}"));
        let parts = split(text).map_err(refused)?;
        parts.into_iter().map(requirement).collect::<Result<_, _>>().map(Self).map_err(refused)
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether labels are as asked for.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            let number = value.and_then(|value| value.parse::<i64>().ok());
            match &requirement.test {
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
                Test::In(wanted) => value.is_some_and(|value| wanted.contains(value)),
                Test::NotIn(unwanted) => value.is_none_or(|value| !unwanted.contains(value)),
                Test::Above(limit) => number.is_some_and(|number| number > *limit),
                Test::Below(limit) => number.is_some_and(|number| number < *limit),
            }
        })
    }
}

/// At commas that are not inside parentheses.
fn split(text: &str) -> Result<Vec<&str>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (mut parts, mut start, mut open) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '(' if open => return Err(format!("found '(', expected: identifier in {text:?}")),
            '(' => open = true,
            ')' if !open => return Err(format!("found ')', expected: identifier in {text:?}")),
            ')' => open = false,
            ',' if !open => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    if open {
        return Err(format!("found '', expected: ',' or ')' in {text:?}"));
    }
    parts.push(text.get(start..).unwrap_or_default());
    Ok(parts)
}

fn requirement(text: &str) -> Result<Requirement, String> {
    let text = text.trim();
    let equal = |key: &str, value: &str, unequal: bool| -> Result<Requirement, String> {
        let values = vec![label_value(value)?];
        Ok(Requirement { key: label_key(key)?, test: if unequal { Test::NotIn(values) } else { Test::In(values) } })
    };
    if let Some(key) = text.strip_prefix('!') {
        return Ok(Requirement { key: label_key(key)?, test: Test::Missing });
    }
    if let Some((key, set)) = text.split_once('(') {
        return in_set(key, set.strip_suffix(')').ok_or_else(|| format!("found text after ')' in {text:?}"))?);
    }
    if let Some((key, value)) = text.split_once("!=") {
        return equal(key, value, true);
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return equal(key, value, false);
    }
    for (sign, above) in [('>', true), ('<', false)] {
        if let Some((key, value)) = text.split_once(sign) {
            let value = value.trim();
            let limit =
                value.parse().map_err(|_| format!("for 'Gt', 'Lt' operators, the value must be an integer: {value:?}"))?;
            return Ok(Requirement { key: label_key(key)?, test: if above { Test::Above(limit) } else { Test::Below(limit) } });
        }
    }
    Ok(Requirement { key: label_key(text)?, test: Test::Exists })
}

fn in_set(head: &str, set: &str) -> Result<Requirement, String> {
    let mut words = head.split_whitespace();
    let (key, operator) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let values = set.split(',').map(label_value).collect::<Result<Vec<_>, _>>()?;
    let test = match operator {
        "in" => Test::In(values),
        "notin" => Test::NotIn(values),
        other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
    };
    Ok(Requirement { key: label_key(key)?, test })
}

fn label_key(text: &str) -> Result<String, String> {
    let key = text.trim();
    let fine = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c)) && key.len() <= 317;
    if fine { Ok(key.to_owned()) } else { Err(format!("{key:?} is not a valid label key")) }
}

fn label_value(text: &str) -> Result<String, String> {
    let value = text.trim();
    let fine = value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) && value.len() <= 63;
    if fine { Ok(value.to_owned()) } else { Err(format!("{value:?} is not a valid label value")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_select() {
        let labels =
            BTreeMap::from([("app", "web"), ("tier", "1"), ("empty", "")].map(|(key, value)| (key.to_owned(), value.to_owned())));
        let table = [
            ("", true),
            ("app", true),
            ("app=web", true),
            ("app==web,tier", true),
            ("app = web , tier = 1", true),
            ("app=x", false),
            ("app!=x", true),
            ("other!=x", true),
            ("!other", true),
            ("!app", false),
            ("app in (a, web),tier notin (2)", true),
            ("app notin (web)", false),
            ("other notin (web)", true),
            ("tier>0", true),
            ("tier<1", false),
            ("empty=", true),
            ("app=", false),
        ];
        for (text, expected) in table {
            assert_eq!(Labels::read(text).unwrap().matches(&labels), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in ["a in (b", "a in b)", "a within (b)", "=", "a=b,", "a=b c", "a/b/c=\"", "a in ((b))", "a>x", "a in (b)c"] {
            assert_eq!(Labels::read(text).unwrap_err().code, 400, "{text}");
        }
    }
}
