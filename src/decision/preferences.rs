//! How replicas are spread over clusters: read exactly as the planner of federation v1 reads it, or not at all.
//!
//! A planner that cannot read its preferences ignores them and spreads everywhere, past every policy (T7, T19).

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// Stands for every cluster without an entry of its own.
pub const ANY: &str = "*";

/// The share of each cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// By cluster name, or [`ANY`]. A cluster without a share gets nothing; no share at all means nowhere.
    pub clusters: BTreeMap<String, Share>,
    /// Running replicas may be moved. The planner's default is no.
    pub rebalance: Option<bool>,
}

/// The share of one cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its part of what is left once every minimum is met.
    pub weight: i64,
    /// At least so many replicas.
    pub min: Option<i64>,
    /// At most so many; unbounded if absent.
    pub max: Option<i64>,
}

/// A value that the planner could not read, or would read as something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreferencesError {
    /// Not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A wrong type.
    #[error("{place} is {found}, not {expected}")]
    Shape {
        /// Which part.
        place: String,
        /// What is there.
        found: String,
        /// What the planner reads.
        expected: &'static str,
    },
    /// A key that the planner would silently ignore.
    #[error("{place} has the unknown key `{key}`; known are {known}")]
    UnknownKey {
        /// Which part.
        place: String,
        /// The key.
        key: String,
        /// The known ones.
        known: String,
    },
    /// Without it the planner would place nothing.
    #[error("`clusters` is missing: say {{\"clusters\":{{}}}} for no cluster at all")]
    NoClusters,
    /// Contradiction.
    #[error("cluster `{cluster}`: the minimum {min} is above the maximum {max}")]
    MinAboveMax {
        /// The cluster.
        cluster: String,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
}

/// The two spellings of a share.
struct Spelling {
    min: &'static str,
    max: &'static str,
    /// What a share without a weight weighs.
    weight: i64,
    /// A whole number may be written as a fraction, as arithmetic in Rego may give it.
    whole_floats: bool,
}

const FEDERATION: Spelling = Spelling { min: "minReplicas", max: "maxReplicas", weight: 0, whole_floats: false };
const NEUTRAL: Spelling = Spelling { min: "min", max: "max", weight: 1, whole_floats: true };

impl Preferences {
    /// Reads the value of a preferences annotation of federation v1.
    pub fn parse(text: &str) -> Result<Self, PreferencesError> {
        let value: Json = serde_json::from_str(text).map_err(|error| PreferencesError::NotJson(error.to_string()))?;
        Self::read(&value, "the value", &FEDERATION)
    }

    /// Reads a neutral `placement`: `{"clusters": {name: {weight, min, max}} or [names], "rebalance": bool}`.
    pub fn neutral(value: &Json) -> Result<Self, PreferencesError> {
        Self::read(value, "`placement`", &NEUTRAL)
    }

    fn read(value: &Json, place: &str, spelling: &Spelling) -> Result<Self, PreferencesError> {
        let members = value.as_object().ok_or_else(|| shape(place, value, "an object"))?;
        only(members, place, &["clusters", "rebalance"])?;
        let clusters = match members.get("clusters") {
            None | Some(Json::Null) => return Err(PreferencesError::NoClusters),
            Some(Json::Array(names)) if spelling.whole_floats => names.iter().map(named).collect::<Result<_, _>>()?,
            Some(Json::Object(shares)) => shares
                .iter()
                .map(|(name, share)| Ok((name.clone(), Share::read(name, share, spelling)?)))
                .collect::<Result<_, _>>()?,
            Some(other) => return Err(shape("`clusters`", other, "an object of clusters")),
        };
        let rebalance = match members.get("rebalance") {
            None => None,
            Some(Json::Bool(rebalance)) => Some(*rebalance),
            Some(other) => return Err(shape("`rebalance`", other, "true or false")),
        };
        Ok(Self { clusters, rebalance })
    }

    /// The value of a preferences annotation, in canonical form.
    pub fn encode(&self) -> String {
        let clusters: Map<String, Json> = self.clusters.iter().map(|(name, share)| (name.clone(), share.encode())).collect();
        let mut value = json!({ "clusters": clusters });
        if let (Some(rebalance), Some(members)) = (self.rebalance, value.as_object_mut()) {
            members.insert("rebalance".into(), rebalance.into());
        }
        plimsoll_contract::annotations::canonical(&value)
    }

    /// Whether the planner would give no cluster any replica.
    pub fn nowhere(&self) -> bool {
        self.places().next().is_none()
    }

    /// The clusters that may get replicas.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.clusters.iter().filter(|(_, share)| share.gives()).map(|(name, _)| name.as_str())
    }
}

impl Share {
    fn read(cluster: &str, value: &Json, spelling: &Spelling) -> Result<Self, PreferencesError> {
        let place = format!("cluster `{cluster}`");
        let members = value.as_object().ok_or_else(|| shape(&place, value, "an object"))?;
        only(members, &place, &["weight", spelling.min, spelling.max])?;
        let number = |key: &str| members.get(key).map(|value| count(&place, key, value, spelling)).transpose();
        let share =
            Self { weight: number("weight")?.unwrap_or(spelling.weight), min: number(spelling.min)?, max: number(spelling.max)? };
        match (share.min, share.max) {
            (Some(min), Some(max)) if min > max => Err(PreferencesError::MinAboveMax { cluster: cluster.into(), min, max }),
            _ => Ok(share),
        }
    }

    fn encode(self) -> Json {
        let numbers = [("weight", Some(self.weight)), (FEDERATION.min, self.min), (FEDERATION.max, self.max)];
        let present = numbers.into_iter().filter_map(|(key, number)| number.map(|number| (key.to_owned(), Json::from(number))));
        Json::Object(present.collect())
    }

    fn gives(self) -> bool {
        (self.weight > 0 || self.min.unwrap_or(0) > 0) && self.max != Some(0)
    }
}

fn named(name: &Json) -> Result<(String, Share), PreferencesError> {
    let text = name.as_str().ok_or_else(|| shape("an element of `clusters`", name, "a cluster's name"))?;
    Ok((text.into(), Share { weight: NEUTRAL.weight, ..Share::default() }))
}

fn count(place: &str, key: &str, value: &Json, spelling: &Spelling) -> Result<i64, PreferencesError> {
    let whole = || value.as_f64().filter(|number| spelling.whole_floats && number.fract() == 0.0 && number.abs() < 1e15);
    // Below 1e15 every whole f64 is an i64.
    let number = value.as_i64().or_else(|| whole().map(|number| number as i64));
    number
        .filter(|number| *number >= 0)
        .ok_or_else(|| shape(&format!("{place}: `{key}`"), value, "a whole number from 0 to 9223372036854775807"))
}

fn only(members: &Map<String, Json>, place: &str, known: &[&str]) -> Result<(), PreferencesError> {
    match members.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(PreferencesError::UnknownKey { place: place.into(), key: key.clone(), known: known.join(", ") }),
        None => Ok(()),
    }
}

fn shape(place: &str, found: &Json, expected: &'static str) -> PreferencesError {
    PreferencesError::Shape { place: place.into(), found: super::output::brief(found), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Preferences::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn t07_a_value_that_the_planner_could_not_read_is_refused() {
        let cases = [
            (r#"{"clusters":{"a":{"weight":0.5}}}"#, "cluster `a`: `weight` is 0.5, not a whole number"),
            (r#"{"clusters":{"a":{"weight":1.0}}}"#, "`weight` is 1.0"),
            (r#"{"clusters":{"a":{"weight":"1"}}}"#, "`weight` is \"1\""),
            (r#"{"clusters":{"a":{"weight":-1}}}"#, "`weight` is -1"),
            (r#"{"clusters":{"a":{"weight":9223372036854775808}}}"#, "`weight` is 9223372036854775808"),
            (r#"{"clusters":{"a":{"Weight":1}}}"#, "cluster `a` has the unknown key `Weight`"),
            (r#"{"clusters":{"a":{"min":1}}}"#, "unknown key `min`; known are weight, minReplicas, maxReplicas"),
            (r#"{"clusters":{"a":{"minReplicas":3,"maxReplicas":2}}}"#, "the minimum 3 is above the maximum 2"),
            (r#"{"clusters":{"a":1}}"#, "cluster `a` is 1, not an object"),
            (r#"{"clusters":["a"]}"#, "`clusters` is [\"a\"], not an object of clusters"),
            (r#"{"clusters":{},"rebalance":"yes"}"#, "`rebalance` is \"yes\", not true or false"),
            (r#"{"clusters":{},"rebalnce":true}"#, "the value has the unknown key `rebalnce`"),
            (r#"{"rebalance":true}"#, "`clusters` is missing"),
            (r#"{"clusters":null}"#, "`clusters` is missing"),
            ("[]", "the value is [], not an object"),
            ("", "not JSON"),
            ("{\"clusters\":{}} x", "not JSON"),
        ];
        for (text, expected) in cases {
            assert!(refused(text).contains(expected), "{text}: {}", refused(text));
        }
    }

    #[test]
    fn a_readable_value_survives_in_canonical_form() {
        for text in [
            r#"{"clusters":{"*":{"weight":1},"bar":{"maxReplicas":100,"minReplicas":10,"weight":200}},"rebalance":true}"#,
            r#"{"clusters":{"cluster-name-1":{"weight":1}},"rebalance":true}"#,
            r#"{"clusters":{}}"#,
        ] {
            assert_eq!(Preferences::parse(text).unwrap().encode(), text);
        }
    }

    #[test]
    fn a_neutral_placement_lists_names_or_shares() {
        let cases = [
            (json!({"clusters": ["b", "a"]}), r#"{"clusters":{"a":{"weight":1},"b":{"weight":1}}}"#),
            (json!({"clusters": {"a": {}}, "rebalance": true}), r#"{"clusters":{"a":{"weight":1}},"rebalance":true}"#),
            (
                json!({"clusters": {"a": {"weight": 0, "min": 2, "max": 3}}}),
                r#"{"clusters":{"a":{"maxReplicas":3,"minReplicas":2,"weight":0}}}"#,
            ),
            (json!({"clusters": {"a": {"weight": 5.0}}}), r#"{"clusters":{"a":{"weight":5}}}"#),
            (json!({"clusters": []}), r#"{"clusters":{}}"#),
        ];
        for (value, expected) in cases {
            assert_eq!(Preferences::neutral(&value).unwrap().encode(), expected);
        }
        for (value, expected) in [
            (json!({"clusters": [1]}), "an element of `clusters` is 1"),
            (json!({"clusters": {"a": {"weight": 0.5}}}), "`weight` is 0.5"),
            (json!({"clusters": {"a": {"minReplicas": 1}}}), "unknown key `minReplicas`"),
            (json!({"rebalance": true}), "`clusters` is missing"),
        ] {
            let error = Preferences::neutral(&value).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn t09_nowhere_is_told_from_the_shares() {
        for (text, nowhere) in [
            (r#"{"clusters":{}}"#, true),
            (r#"{"clusters":{"a":{}}}"#, true),
            (r#"{"clusters":{"*":{"weight":0}}}"#, true),
            (r#"{"clusters":{"a":{"weight":3,"maxReplicas":0}}}"#, true),
            (r#"{"clusters":{"a":{"minReplicas":1}}}"#, false),
            (r#"{"clusters":{"*":{"weight":1}}}"#, false),
        ] {
            assert_eq!(Preferences::parse(text).unwrap().nowhere(), nowhere, "{text}");
        }
    }
}
