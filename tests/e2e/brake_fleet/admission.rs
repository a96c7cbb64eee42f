//! What users get while the brake is on, and while policies are not what they were.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::super::support::api::{Answer, Request};
use super::super::support::eventually::eventually;
use super::fleet::{object, zone_name};
use super::observer::{Objects, Stands, version};
use super::rows::{Aim, Creation};
use super::stage::Stage;

/// An object that a user makes during a row.
const NEW: &str = "new";

/// What users changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changed {
    /// Written again as it is in the user's repository.
    same: Option<String>,
    /// Asks for another zone.
    other: Option<String>,
}

impl Changed {
    pub(super) fn names(&self) -> Vec<&str> {
        [&self.same, &self.other].into_iter().flatten().map(String::as_str).chain([NEW]).collect()
    }
}

impl Stage {
    /// While the brake is on: what asks for nothing new keeps its placement; what is new, or asks for something else that policies look at,
    /// gets what they say now. `held` is what is stored.
    pub(super) fn admission(&self, (aim, is_by_zone): (Aim, bool), held: &Objects) -> Changed {
        let mut standing = held.iter().filter(|(_, at)| at.stands != self.size.wanted(aim, at.zone));
        let same = standing.next();
        let other = standing.next_back();
        // What is back at home at once leaves nobody who stands still.
        assert!(matches!(aim, Aim::Home) || other.is_some(), "too few stand still: {held:?}");
        if let Some((name, at)) = same {
            let put = self.world.request(Method::PUT, name, "application/json", &object(name, at.zone));
            self.eventually_stands(&put, &at.stands);
            assert_eq!(stands(&self.api.call(&put)), Ok(at.stands.clone()), "{name} asks for nothing new");
        }
        if let Some((name, at)) = other {
            let zone = if at.zone > 1 { at.zone - 1 } else { at.zone + 1 };
            let change = self.world.change(name, &json!({"metadata": {"labels": {"zone": zone_name(zone)}}}));
            // What no policy in force looks at is no wish.
            let expected = if is_by_zone { self.size.wanted(aim, zone) } else { at.stands.clone() };
            assert_eq!(stands(&self.api.call(&change)), Ok(expected), "{name} asks for another zone");
        }
        let created = self.api.call(&self.world.creation(&object(NEW, 1)));
        assert_eq!(stands(&created), Ok(self.size.wanted(aim, 1)), "a new object");
        Changed { same: same.map(|(name, _)| name.clone()), other: other.map(|(name, _)| name.clone()) }
    }

    /// Waits until an object would be placed so: the engine has heard of the brake.
    fn eventually_stands(&self, put: &Request, expected: &Stands) {
        let tried = dry(put);
        eventually(&format!("{} is kept", put.path), || {
            let found = stands(&self.api.call(&tried));
            if found.as_ref() == Ok(expected) { Ok(()) } else { Err(found) }
        });
    }

    /// Waits until a new object would get this.
    pub(super) fn await_creation(&self, expected: Creation) {
        let tried = dry(&self.world.creation(&object(NEW, 1)));
        eventually(&format!("a creation: {expected:?}"), || {
            let found = stands(&self.api.call(&tried));
            let is_so = match expected {
                Creation::Home => found == Ok(self.size.wanted(Aim::Home, 1)),
                Creation::Unplaced => found == Ok(None),
                Creation::Refused => found.is_err(),
            };
            if is_so { Ok(()) } else { Err(found) }
        });
    }

    /// What users made is gone, and what they changed is as it was.
    pub(super) fn restore_objects(&self, before: &Objects) {
        for (name, now) in self.observer.now() {
            let request = match before.get(&name) {
                Some(then) if then.zone == now.zone => continue,
                Some(then) => self.world.change(&name, &json!({"metadata": {"labels": {"zone": zone_name(then.zone)}}})),
                None => self.world.deletion(&name),
            };
            // Policies that were just put back may not be in force yet.
            eventually(&format!("{name} is as it was"), || {
                let answer = self.api.call(&request);
                if answer.accepted() { Ok(()) } else { Err(answer) }
            });
        }
    }
}

/// Where an object was stored, or would be; or why it was refused.
fn stands(answer: &Answer) -> Result<Stands, String> {
    if answer.accepted() { Ok(version(&with_number(&answer.body)).stands) } else { Err(answer.message().to_owned()) }
}

/// An object that a dry run would create has no version.
fn with_number(object: &Json) -> Json {
    let mut object = object.clone();
    let number = &mut object["metadata"]["resourceVersion"];
    if number.is_null() {
        *number = "0".into();
    }
    object
}

fn dry(request: &Request) -> Request {
    Request { path: format!("{}?dryRun=All", request.path), ..request.clone() }
}
