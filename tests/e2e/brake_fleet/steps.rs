//! What is done to policies, clusters and processes, and how it is put back.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::super::support::api::{Answer, Request};
use super::super::support::eventually::{eventually, until};
use super::super::support::proxy::Faults;
use super::fleet::{self, cluster_name};
use super::rows::{Aim, Death, Step, Zones};
use super::stage::{MERGE, RELEASE, Stage};

const CLUSTERS: &str = "/apis/cluster.karmada.io/v1alpha1/clusters";

impl Stage {
    pub(super) fn play(&mut self, step: Step, death: Death) {
        match step {
            Step::Policies(files) => self.world.policies.mount(files),
            Step::Unlabel(zones) => self.size.range(zones).for_each(|number| self.unlabel(number)),
            Step::UnlabelEach(zones) => self.size.range(zones).for_each(|number| {
                self.unlabel(number);
                self.await_moved_or_stopped(Aim::Reserve(Zones(1, number + 1)));
            }),
            Step::Delete(zones) => self.size.range(zones).for_each(|number| {
                self.on_cluster(Method::DELETE, number, "", &Json::Null);
            }),
            Step::Unready(zones) => self.size.range(zones).for_each(|number| {
                self.on_cluster(Method::PATCH, number, "/status", &fleet::status(false));
            }),
            Step::Cut => self.proxy.set(|faults| faults.cut = true),
            Step::Mend => self.proxy.set(|faults| *faults = Faults::default()),
            Step::Beforehand(zones) => self.release_beforehand(zones),
            Step::Death => self.kill(death),
            Step::Refused => {
                let status = || self.world.engine.status();
                until("the policies are refused", status, |status| status.pointer("/policies/files/errors/0").is_some());
            }
            Step::Stopped(aim) => drop(self.await_stopped(aim)),
        }
    }

    fn unlabel(&self, number: usize) {
        let change = json!({"metadata": {"labels": {"zone": null}}});
        assert!(self.on_cluster(Method::PATCH, number, "", &change).accepted());
    }

    fn on_cluster(&self, method: Method, number: usize, below: &str, body: &Json) -> Answer {
        let path = format!("{CLUSTERS}/{}{below}", cluster_name(number));
        self.api.call(&Request { method, path, content_type: MERGE, body: body.clone() })
    }

    fn await_moved_or_stopped(&self, aim: Aim) {
        until(
            "the objects have moved, or the brake is on",
            || self.astray(&self.observer.now(), aim),
            |astray| *astray == 0 || self.sample("brake_on") > 0.0,
        );
    }

    fn release_beforehand(&self, zones: Zones) {
        let lines = self.size.range(zones).map(|number| format!("clusters {}: label `zone` removed", cluster_name(number)));
        let lines: Vec<String> = lines.collect();
        self.change_record(json!({"metadata": {"annotations": {RELEASE: lines.join("\n")}}}));
        let known = || self.record()["texts"].as_object().map_or(0, serde_json::Map::len);
        until("the leader knows what is released", known, |known| *known == lines.len());
    }

    fn kill(&mut self, death: Death) {
        match death {
            Death::Nobody => {}
            Death::Leader => {
                let leads = || self.world.sidecars.iter().position(|sidecar| sidecar.leads()).ok_or("nobody leads");
                let leader = eventually("a sidecar leads", leads);
                self.world.sidecars.remove(leader).kill();
                self.world.add_sidecar_behind(&self.proxy);
            }
            Death::Engine => {
                self.world.engine.kill();
                self.world.engine.start();
            }
            Death::Rollout => {
                self.world.engine.stop();
                self.world.engine.start();
                for _ in 0..2 {
                    self.world.sidecars.remove(0).stop();
                    self.world.add_sidecar_behind(&self.proxy);
                }
            }
        }
    }
}

// === What is put back ===

impl Stage {
    pub(super) fn restore_clusters(&self) {
        for number in 0..self.size.clusters {
            let cluster = fleet::cluster(number);
            if self.on_cluster(Method::PATCH, number, "", &cluster).code == 404 {
                let (path, body) = (CLUSTERS.to_owned(), cluster);
                let created = self.api.call(&Request { method: Method::POST, path, content_type: "application/json", body });
                assert!(created.accepted(), "{created:?}");
            }
            assert!(self.on_cluster(Method::PATCH, number, "/status", &fleet::status(true)).accepted());
        }
    }

    /// The brake forgets its window: its record is begun anew while no sidecar runs.
    pub(super) fn begin_anew(&mut self) {
        for sidecar in self.world.sidecars.drain(..) {
            sidecar.stop();
        }
        self.change_record(json!({"metadata": {"annotations": {RELEASE: null}}, "data": null}));
        (0..2).for_each(|_| self.world.add_sidecar_behind(&self.proxy));
    }
}
