//! Proves that a record on an object is an engine's: an HMAC over what was decided. The record itself is user-writable, and its
//! sums are no secret; without a key nobody can make a placement look like one that policy gave.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, Mac};
use plimsoll_contract::annotations::{Applied, AppliedKey, SeenFleet, hex};
use serde::Serialize;
use serde_json::Value as Json;
use sha2::Sha256;

use super::member::member;
use super::normal_form::{Nameless, NormalForm};

/// A shorter secret could be guessed.
const SHORTEST: usize = 32;

/// Why a text holds no keys that can be used. Shows nothing of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// Nothing but blank lines.
    #[error("there is no key in it")]
    Empty,
    /// A key that could be guessed.
    #[error("a key has {0} bytes, fewer than {SHORTEST}")]
    Short(usize),
}

/// The keys: the first one signs, all of them verify, so that they can be changed one engine after the other.
#[derive(Clone, PartialEq, Eq)]
pub struct RecordKeys(Vec<Vec<u8>>);

/// Tells the keys of now: they may change while the engine runs.
pub trait KeySource: fmt::Debug + Send + Sync {
    /// The keys of now.
    fn keys(&self) -> Arc<RecordKeys>;
}

impl RecordKeys {
    /// Reads keys, one a line. Fails with what is wrong, without showing any of it.
    pub fn parse(text: &[u8]) -> Result<Self, KeysError> {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let keys: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
        match keys.iter().map(Vec::len).min() {
            None => Err(KeysError::Empty),
            Some(least) if least < SHORTEST => Err(KeysError::Short(least)),
            Some(_) => Ok(Self(keys)),
        }
    }

    /// Returns the mac of a record on an object, in hex digits.
    pub fn sign(&self, record: &Applied, form: &NormalForm) -> Option<String> {
        let mac = keyed(self.0.first()?, &statement(record, form))?;
        Some(hex(&mac.finalize().into_bytes()))
    }

    /// Whether a record's mac is one of these keys', of this record on this object. In constant time.
    pub fn verify(&self, record: &Applied, form: &NormalForm) -> bool {
        let Some(mac) = record.mac.as_deref().and_then(bytes) else { return false };
        let statement = statement(record, form);
        self.0.iter().filter_map(|key| keyed(key, &statement)).any(|found| found.verify_slice(&mac).is_ok())
    }
}

fn keyed(key: &[u8], statement: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(statement.as_bytes());
    Some(mac)
}

/// Returns the text that is signed: canonical JSON, so that the boundaries of its parts count. The object's name is not in it: at admission
/// an object may not have one yet.
fn statement(record: &Applied, form: &NormalForm) -> String {
    let Applied { fleet, keys, kind, policy, .. } = record;
    let statement = Statement {
        fleet: fleet.as_ref(),
        keys,
        kind,
        namespace: member(&form.object, "/metadata/namespace"),
        object: form.nameless(),
        policy,
    };
    // Trees of JSON, texts and maps of texts always serialise.
    serde_json::to_string(&statement).unwrap_or_default()
}

/// What is signed; its members are in the order of their names, as canonical JSON has them.
#[derive(Serialize)]
struct Statement<'a> {
    fleet: Option<&'a SeenFleet>,
    keys: &'a BTreeMap<String, AppliedKey>,
    kind: &'a str,
    namespace: Option<&'a Json>,
    object: Nameless<'a>,
    policy: &'a str,
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = hex.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    pairs.collect()
}

impl fmt::Debug for RecordKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordKeys({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;
    use plimsoll_contract::version::ResourceVersion;
    use serde_json::json;

    use super::*;
    use crate::decision::testing::form;

    fn keys(text: &str) -> RecordKeys {
        RecordKeys::parse(text.as_bytes()).unwrap()
    }

    fn signed(keys: &RecordKeys, form: &NormalForm) -> Applied {
        let record = Applied { kind: "ReplicaSet".into(), policy: "p".into(), ..Applied::default() };
        Applied { mac: keys.sign(&record, form), ..record }
    }

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const NEW: &str = "fedcba9876543210fedcba9876543210";

    fn seen(changed: &str) -> SeenFleet {
        let changed = ResourceVersion::parse(changed).unwrap();
        let resource = Gvr::try_from("v1/nodes".to_owned()).unwrap();
        SeenFleet { source: "s".into(), cluster: "c".into(), resource, changed }
    }

    fn object(name: &str, namespace: &str, replicas: u32) -> Json {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "namespace": namespace},
            "spec": {"replicas": replicas}})
    }

    #[test]
    fn a_mac_holds_for_what_was_decided_and_for_nothing_else() {
        let (keys, here) = (keys(OLD), form(&object("a", "shop", 1)));
        let record = signed(&keys, &here);
        assert!(keys.verify(&record, &here));
        assert!(keys.verify(&record, &form(&object("b", "shop", 1))), "whatever its name");
        for other in [object("a", "bank", 1), object("a", "shop", 2)] {
            assert!(!keys.verify(&record, &form(&other)), "{other}");
        }
        let change = |change: fn(&mut Applied)| {
            let mut record = record.clone();
            change(&mut record);
            record
        };
        let changed = [
            change(|record| record.policy = "q".into()),
            change(|record| record.kind = "Deployment".into()),
            change(|record| drop(record.keys.insert("k".into(), crate::decision::testing::entry(None, "v")))),
            change(|record| record.fleet = Some(seen("10"))),
            change(|record| record.mac = None),
            change(|record| record.mac = Some("00".into())),
            change(|record| record.mac = Some("no hex".into())),
            change(|record| record.mac = Some(String::new())),
        ];
        for record in changed {
            assert!(!keys.verify(&record, &here), "{record:?}");
        }
    }

    /// Records that other versions have signed are to hold.
    #[test]
    fn what_is_signed_is_canonical_json() {
        let here = form(&object("a", "shop", 1));
        let entry = crate::decision::testing::entry(Some("w"), "v");
        let keys = [("k".to_owned(), entry)].into();
        let record = Applied { kind: "ReplicaSet".into(), policy: "p".into(), keys, fleet: Some(seen("10")), mac: None };
        let mut object = here.object.clone();
        object["metadata"].as_object_mut().unwrap().remove("name");
        let expected = json!({"kind": record.kind, "policy": record.policy, "keys": record.keys, "fleet": record.fleet,
            "namespace": "shop", "object": object});
        assert_eq!(statement(&record, &here), expected.to_string());
    }

    #[test]
    fn keys_overlap_while_they_rotate() {
        let here = form(&object("a", "shop", 1));
        let (old, both, new) = (keys(OLD), keys(&format!("{NEW}\n{OLD}\n")), keys(NEW));
        assert!(both.verify(&signed(&old, &here), &here) && both.verify(&signed(&both, &here), &here));
        assert!(new.verify(&signed(&both, &here), &here), "the first one signs");
        assert!(!new.verify(&signed(&old, &here), &here));
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused_and_not_shown() {
        for text in ["", "\n \n", "short", &format!("{OLD}\nshort")] {
            let error = RecordKeys::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(!error.contains("short"), "{error}");
        }
        assert!(!format!("{:?}", keys(OLD)).contains("0123"));
    }
}
