//! Label selectors: requirements that labels meet or not. Source: `apimachinery` `pkg/labels/selector.go`.

mod lexer;
mod parser;

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
        parser::parse(text).map(Self).map_err(|error| Status::bad_request(error.to_string()))
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
            ("empty in ()", true),
            ("app notin (in,notin,)", true),
            ("tier>0", true),
            ("tier<1", false),
            ("empty=", true),
            ("app=", false),
        ];
        for (text, expected) in table {
            assert_eq!(Labels::read(text).unwrap().matches(&labels), expected, "{text}");
        }
    }

    /// What kube-apiserver 1.36.3 answers.
    #[test]
    fn what_is_no_selector_is_refused_in_upstreams_words() {
        let table = [
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in b)", "unable to parse requirement: found 'b' expected: '('"),
            ("a within (b)", "unable to parse requirement: found 'within', expected: in, notin, =, ==, !=, gt, lt"),
            ("=", "found '=', expected: !, identifier, or 'end of string'"),
            ("a=b,", "found '', expected: identifier after ','"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("a in ((b))", "unable to parse requirement: found '(', expected: ',', ')' or identifier"),
            ("a in (b)c", "found 'c', expected: ',' or 'end of string'"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            ("a=(", "unable to parse requirement: found '(', expected: identifier"),
            (
                "a>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ];
        for (text, expected) in table {
            let refused = Labels::read(text).unwrap_err();
            assert_eq!((refused.code, refused.message.as_str()), (400, expected), "{text}");
        }
        for (text, start) in [
            ("a/b/c=d", "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key must consist"),
            ("a=b_", "unable to parse requirement: values[0][a]: Invalid value: \"b_\": a valid label must be an empty string"),
            ("a in (b_,c_)", "unable to parse requirement: [values[0][a]: Invalid value: \"b_\": a valid label must"),
        ] {
            let refused = Labels::read(text).unwrap_err().message;
            assert!(refused.starts_with(start), "{refused}");
        }
    }
}
