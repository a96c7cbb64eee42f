//! What engine and sidecar say of themselves.

use super::{Cause, Mode, Stage};
use crate::e2e::support::fixtures::{PREFERENCES, clusters_in};

impl Stage {
    /// Engine and sidecar say that the fleet is out of sight, as the mode has it.
    pub(super) fn said(&self, cause: Cause) -> Result<(), String> {
        let engine = &self.world.engine;
        let status = engine.status();
        let is_named = status["stale"][0].as_str().is_some_and(|reason| reason.contains("source `kubernetes`"));
        let gauge = engine.sample("plimsoll_source_stale", "source=\"kubernetes\"");
        let is_ready = engine.ready();
        let is_red = is_ready.as_ref().is_err_and(|reasons| reasons.contains("source `kubernetes`"));
        let as_told = if self.mode == Mode::Deny { is_red } else { is_ready.is_ok() };
        if !(is_named && gauge == 1.0 && as_told) {
            return Err(format!("{} {gauge} {is_ready:?}", status["stale"]));
        }
        if !cause.leaves_a_sidecar() {
            return Ok(());
        }
        let (code, text) = self.sidecar().health()?;
        let gauge = self.sidecar().sample("plimsoll_sidecar_stale", "");
        let as_told = (code != 200) == (self.mode == Mode::Deny);
        let is_said = as_told && gauge == 1.0 && text.contains("not proved current");
        if is_said { Ok(()) } else { Err(format!("{code} {gauge} {text}")) }
    }

    /// Everything is ready, and every object is where it should be.
    pub(super) fn well(&self) -> Result<(), String> {
        let engine = &self.world.engine;
        engine.ready()?;
        let (stale, gauge) = (&engine.status()["stale"], engine.sample("plimsoll_source_stale", "source=\"kubernetes\""));
        if !stale.is_null() || gauge != 0.0 {
            return Err(format!("{stale} {gauge}"));
        }
        let (code, text) = self.sidecar().health()?;
        if code != 200 || self.sidecar().sample("plimsoll_sidecar_stale", "") != 0.0 {
            return Err(format!("{code} {text}"));
        }
        let mut expected: Vec<&str> = self.certified.clone();
        expected.sort_unstable();
        let list = self.api.call(&self.world.reading("")).body;
        for object in list["items"].as_array().unwrap() {
            let found = clusters_in(object, PREFERENCES);
            if found.as_ref().is_none_or(|found| found != &expected) {
                return Err(format!("{}: {found:?}", object["metadata"]["name"]));
            }
        }
        Ok(())
    }
}
