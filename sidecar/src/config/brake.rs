//! The block `brake` of the configuration: how much of a fleet may move before somebody has looked.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use plimsoll_contract::source::FleetLoss;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::duration::{self, Time};
use super::is_name;
use crate::plan::brake::Rules;

/// How many objects repair may move within a time, whatever moves them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BrakeConfig {
    /// Of the placed objects of the fleet, and of those of each namespace; and of the clusters, so many may be said to be gone at once and are
    /// believed. `100%` is no brake.
    pub share: Share,
    /// Of the objects that stand on each cluster: more of them do not come to it or leave it. Nothing: a cluster has no limit of its own.
    pub per_cluster: Option<Share>,
    /// So many may always move, however few there are.
    pub floor: usize,
    /// Within this time.
    #[serde(with = "duration")]
    #[schemars(with = "Time")]
    pub window: Duration,
    /// What becomes of objects that were never placed.
    pub first: First,
    /// Whether policy may say that a move cannot wait.
    pub urgent: Urgent,
    /// The ConfigMap in `policyNamespace` where the state of the brake is written down, seen and released.
    pub name: String,
}

/// Hundredths of a percent, written as `30%` or `7.25%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u32);

/// What becomes of objects that were never placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum First {
    /// Their first placement is a move like any other.
    #[default]
    Stop,
    /// They are placed, and not counted.
    Go,
}

/// Whether policy may say that a move cannot wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Urgent {
    /// It waits all the same.
    #[default]
    Never,
    /// A move of a decision with `urgent: true` goes past the brake; it is counted, and said.
    Policy,
}

impl Default for BrakeConfig {
    fn default() -> Self {
        Self {
            share: Share(3_000),
            per_cluster: None,
            floor: 10,
            window: Duration::from_secs(600),
            first: First::default(),
            urgent: Urgent::default(),
            name: "plimsoll-brake".into(),
        }
    }
}

impl BrakeConfig {
    /// Returns how much of the fleet may be said to be gone at once and is believed: what may move.
    pub fn fleet_loss(&self) -> FleetLoss {
        FleetLoss { share: self.share.0, floor: self.floor }
    }

    /// Returns the rules.
    pub fn rules(&self) -> Rules {
        Rules {
            share: self.share.0,
            per_cluster: self.per_cluster.map(|share| share.0),
            floor: self.floor,
            window: self.window,
            first: self.first == First::Go,
            urgent: self.urgent == Urgent::Policy,
        }
    }

    /// The first key that is impossible, and what to do.
    pub(super) fn fault(&self) -> Option<(String, String)> {
        let fault = |key: &str, message: &str| Some((format!("brake.{key}"), message.to_owned()));
        if !(Duration::from_secs(1)..=Duration::from_secs(7 * 24 * 3600)).contains(&self.window) {
            return fault("window", "must be 1s to 168h");
        }
        if !is_name(&self.name) { fault("name", "must be the name of a ConfigMap") } else { None }
    }
}

impl Share {
    /// Reads a percentage of at most two decimals.
    fn parse(text: &str) -> Option<Self> {
        let number = text.strip_suffix('%')?;
        let (whole, part) = number.split_once('.').map_or((number, "0"), |(whole, part)| (whole, part));
        let is_digits = |text: &str| !text.is_empty() && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(part) || part.len() > 2 {
            return None;
        }
        let share = whole.parse::<u32>().ok()? * 100 + format!("{part:0<2}").parse::<u32>().ok()?;
        (share <= 10_000).then_some(Self(share))
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (whole, part) = (self.0 / 100, self.0 % 100);
        serializer.serialize_str(&if part == 0 { format!("{whole}%") } else { format!("{whole}.{part:02}%") })
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": r"^(100(\.0{1,2})?|0?[0-9]{1,2}(\.[0-9]{1,2})?)%$"})
    }
}

impl<'de> Deserialize<'de> for Share {
    /// The visitor makes the error carry its key and line.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Percent;
        impl Visitor<'_> for Percent {
            type Value = Share;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share from 0% to 100%, such as 30%")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
                Share::parse(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BrakeConfig, String> {
        yaml_serde::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_block_says_what_may_move() {
        let brake = read("{share: 7.5%, perCluster: 20%, floor: 0, window: 1h, first: go, urgent: policy}").unwrap();
        let rules = Rules {
            share: 750,
            per_cluster: Some(2_000),
            floor: 0,
            window: Duration::from_secs(3600),
            first: true,
            urgent: true,
        };
        assert_eq!((brake.rules(), brake.fault()), (rules, None));
        assert_eq!(read("{}").unwrap(), BrakeConfig::default());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (text, expected) in [
            ("share: 0.3", "a share from 0% to 100%"),
            ("share: 130%", "a share from 0% to 100%"),
            ("share: 100.01%", "a share from 0% to 100%"),
            ("share: 1.234%", "a share from 0% to 100%"),
            ("share: -1%", "a share from 0% to 100%"),
            ("share: NaN%", "a share from 0% to 100%"),
            ("first: maybe", "`stop` or `go`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{expected} in {error}");
        }
        for (text, key) in [("window: 0s", "brake.window"), ("window: 400h", "brake.window"), ("name: A b", "brake.name")] {
            assert_eq!(read(text).unwrap().fault().map(|(key, _)| key).as_deref(), Some(key));
        }
    }
}
