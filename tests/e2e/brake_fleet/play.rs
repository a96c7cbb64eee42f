//! Plays a row: what is written is looked at from outside; at the end all is as before.

use std::io::{self, Write};

use serde_json::Value as Json;

use super::super::support::eventually::{eventually, until, until_none};
use super::admission::Changed;
use super::observer::Objects;
use super::rows::{Aim, BASE, Creation, Death, Row, Step, Then};
use super::stage::Stage;

impl Stage {
    /// The row with this death, on a fleet where everything stands at home.
    pub(super) fn row(&mut self, row: &Row, death: Death) {
        let (before, calm) = (self.observer.now(), self.calm());
        for step in row.change {
            self.play(*step, death);
        }
        self.world.engine.await_ready();
        match row.then {
            Then::Stops(aim) => self.stops(&before, (aim, row.is_by_zone())),
            Then::Goes(aim) => self.goes(aim),
            Then::Stands(creation) => self.stands(&before, creation),
        }
        self.put_back(&before);
        assert_eq!(self.calm(), calm, "what is not concerned was written");
        // How far it came, whatever becomes of it; nothing can be done about a failure.
        let _ = writeln!(io::stderr(), "{}; died: {death:?}", row.name);
    }

    fn stops(&self, before: &Objects, (aim, is_by_zone): (Aim, bool)) {
        self.await_stopped(aim);
        // A patch that was on its way has arrived then.
        self.world.await_two_passes();
        let held = self.await_stopped(aim);
        self.world.await_two_passes();
        assert_eq!(self.observer.now(), held, "nothing is written while it stands still");
        self.moved_within_limit(before, None);
        let changed = self.admission((aim, is_by_zone), &held);
        self.await_held(aim);
        self.moved_within_limit(before, Some(&changed));
        self.release(aim);
    }

    /// Not more moved than may, and what did not move was not written. Users changed what is `changed`.
    fn moved_within_limit(&self, before: &Objects, changed: Option<&Changed>) {
        let now = self.observer.now();
        let is_changed = |name: &String| changed.is_some_and(|changed| changed.names().contains(&name.as_str()));
        let mut moved = self.observer.moved_since(before);
        moved.retain(|name| !is_changed(name));
        assert!(moved.len() <= self.size.limit(), "more than {} moved: {moved:?}", self.size.limit());
        let stood = before.iter().filter(|(name, _)| !moved.contains(*name) && !is_changed(name));
        for (name, version) in stood {
            assert_eq!(now.get(name), Some(version), "{name} did not move, and was written");
        }
    }

    /// Waits until the brake is on and shows all that is not where policy wants it.
    pub(super) fn await_stopped(&self, aim: Aim) -> Objects {
        eventually("the brake is on and shows what stands still", || {
            let objects = self.observer.now();
            let astray = self.astray(&objects, aim);
            let (on, held) = (self.sample("brake_on"), self.sample("brake_held"));
            let record = self.record();
            let causes: Vec<&Json> = record["shown"].as_array().into_iter().flatten().collect();
            let shown: u64 = causes.iter().map(|cause| cause["moves"].as_u64().unwrap()).sum();
            // What was shown of an earlier aim is another move.
            let mut examples = causes.iter().flat_map(|cause| cause["examples"].as_array().unwrap());
            let is_new = examples.all(|example| self.is_to(example, &objects, aim));
            let is_stopped = on == 1.0 && held == number(astray) && shown == u64::try_from(astray).unwrap() && is_new;
            if is_stopped { Ok(objects) } else { Err((aim, astray, on, held, shown)) }
        })
    }

    /// Whether a move that is shown leads there.
    fn is_to(&self, example: &Json, objects: &Objects, aim: Aim) -> bool {
        let (_, name) = example["object"].as_str().unwrap().split_once('/').unwrap();
        let wanted = objects.get(name).and_then(|at| self.size.wanted(aim, at.zone)).unwrap_or_default();
        let to: Vec<&str> = example["to"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
        to == wanted || is_beginning(&to, &wanted)
    }

    /// Waits until nobody else stands still than those that are not where policy wants them.
    fn await_held(&self, aim: Aim) {
        let look = || (self.sample("brake_on"), self.sample("brake_held"), number(self.astray(&self.observer.now(), aim)));
        until("the rest stands still", look, |(on, held, astray)| *on == 1.0 && held == astray);
    }

    /// One command lets go all that stands still.
    pub(super) fn release(&self, aim: Aim) {
        let (code, text) = self.brake(&["release"]);
        assert_eq!(code, Some(0), "{text}");
        self.await_aim("all that was released has moved", aim, || ());
    }

    pub(super) fn goes(&self, aim: Aim) {
        self.await_aim("the objects have moved", aim, || ());
        self.world.await_two_passes();
        self.never_stopped();
        assert_eq!(self.astray(&self.observer.now(), aim), 0);
    }

    fn stands(&self, before: &Objects, creation: Creation) {
        self.await_creation(creation);
        self.world.await_two_passes();
        self.world.await_two_passes();
        self.never_stopped();
        assert_eq!(self.observer.now(), *before, "nothing is written");
    }

    fn never_stopped(&self) {
        let (code, text) = self.brake(&[]);
        assert_eq!((code, self.sample("brake_on"), self.sample("brake_held")), (Some(0), 0.0, 0.0), "{text}");
    }

    /// Policies, clusters and objects become what they were; what moved is released, and the brake begins anew.
    fn put_back(&mut self, before: &Objects) {
        self.play(Step::Mend, Death::Nobody);
        self.play(Step::Policies(BASE), Death::Nobody);
        self.restore_clusters();
        self.world.engine.await_ready();
        self.restore_objects(before);
        self.release_all();
        self.world.await_settled();
        self.begin_anew();
        self.await_home(before);
    }

    /// Releases what is shown until all are at home; each once: whoever writes the record all the time keeps the leader from writing it.
    fn release_all(&self) {
        let mut released = Vec::new();
        let release = || {
            let record = self.record();
            let shown: Vec<Json> = record["shown"].as_array().into_iter().flatten().map(|cause| cause["id"].clone()).collect();
            // Where the command failed, it is given again.
            if !shown.is_empty() && shown != released && self.brake(&["release"]).0 == Some(0) {
                released = shown;
            }
        };
        self.await_aim("all are at home", Aim::Home, release);
    }

    /// Waits until all stand where they are wanted, as long as some come there; meanwhile does something, again and again.
    fn await_aim(&self, what: &str, aim: Aim, mut meanwhile: impl FnMut()) {
        let count = || {
            meanwhile();
            self.astray(&self.observer.now(), aim)
        };
        until_none(what, count, || self.record());
    }

    /// Waits until a leader knows its record and the fleet, and shows that nothing is left to do.
    fn await_home(&self, before: &Objects) {
        let count = before.len() + super::fleet::CALM;
        let limit = number(self.size.floor().max(count / 10));
        until("a sidecar leads and knows the fleet", || self.sample("brake_limit"), |found| *found == limit);
        self.world.engine.await_ready();
        self.world.await_settled();
        until("a sidecar keeps the record", || self.brake(&[]), |(code, _)| *code == Some(0));
        let now = self.observer.now();
        self.world.await_two_passes();
        self.never_stopped();
        assert_eq!(self.sample("brake_moved"), 0.0);
        assert_eq!(self.observer.now(), now, "a settled fleet is not written");
        let place =
            |objects: &Objects| objects.iter().map(|(name, at)| (name.clone(), at.zone, at.stands.clone())).collect::<Vec<_>>();
        assert_eq!(place(&now), place(before), "all is as it was");
    }
}

/// Whether some names and `and N more` stand for these.
fn is_beginning(shown: &[&str], all: &[String]) -> bool {
    let Some((more, names)) = shown.split_last() else { return false };
    let more = more.strip_prefix("and ").and_then(|more| more.strip_suffix(" more")?.parse::<usize>().ok());
    all.starts_with(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        && more == all.len().checked_sub(names.len())
}

/// As a metric has it.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}
