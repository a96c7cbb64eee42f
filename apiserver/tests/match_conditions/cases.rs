//! The table: `cases.yaml` says what each member means.

use std::collections::BTreeMap;

use serde::Deserialize;

/// How a condition ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is true or false.
    Is(bool),
    /// It has no verdict, and why. Of the text a part.
    Fails(String),
    /// It is not stored, and why. Of the text a part.
    Refused(String),
}

/// One of the three.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    is: Option<bool>,
    fails: Option<String>,
    refused: Option<String>,
}

/// One condition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The text.
    pub(super) expression: String,
    is: Option<bool>,
    fails: Option<String>,
    refused: Option<String>,
    /// Who makes the request; the administrator if nobody is named.
    #[serde(rename = "as")]
    pub(super) user: Option<String>,
    here: Option<Written>,
    because: Option<String>,
}

impl Written {
    fn outcome(self, expression: &str) -> Outcome {
        match (self.is, self.fails, self.refused) {
            (Some(is), None, None) => Outcome::Is(is),
            (None, Some(why), None) => Outcome::Fails(why),
            (None, None, Some(why)) => Outcome::Refused(why),
            _ => panic!("{expression} has not one outcome"),
        }
    }
}

impl Case {
    /// On kube-apiserver.
    pub(super) fn upstream(&self) -> Outcome {
        let written = Written { is: self.is, fails: self.fails.clone(), refused: self.refused.clone() };
        written.outcome(&self.expression)
    }

    /// On the embedded server: the same, unless the table says why not.
    pub(super) fn here(&self) -> Outcome {
        assert_eq!(self.here.is_some(), self.because.is_some(), "{}: a difference has a reason", self.expression);
        self.here.clone().map_or_else(|| self.upstream(), |here| here.outcome(&self.expression))
    }
}

/// All cases, of all libraries.
pub(super) fn read() -> Vec<Case> {
    let groups: BTreeMap<String, Vec<Case>> = yaml_serde::from_str(include_str!("cases.yaml")).unwrap();
    groups.into_values().flatten().collect()
}
