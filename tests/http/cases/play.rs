//! Asks the steps of a file of ours and of a real OPA, and says what is wrong.

use std::collections::BTreeSet;
use std::fs;

use super::compare::{self, Difference};
use super::file::{self, Case, File, Step};
use super::judge;
use super::opa::{self, Opa};
use super::wire::{self, Reply, Request};
use crate::http::support::{self, Engine};

/// The servers that one file is asked of.
struct Servers {
    ours: Engine,
    theirs: Option<Opa>,
}

fn start(file: &File) -> Servers {
    let dir = tempfile::tempdir().unwrap();
    let policies = dir.path().join("policies");
    fs::create_dir(&policies).unwrap();
    file.policies.iter().for_each(|(name, text)| fs::write(policies.join(name), text).unwrap());
    for (path, text) in &file.files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let config = file.config.as_ref().map(|text| text.replace("{dir}", dir.path().to_str().unwrap()));
    let config = config.map(|text| fs::write(dir.path().join("config.yaml"), text).unwrap());
    let config = config.map(|()| "--config-file=config.yaml".to_owned());
    let paths = |option: &str| if file.policies.is_empty() { Vec::new() } else { vec![format!("{option}policies")] };
    let args = [paths("--policies="), file.plimsoll.clone(), config.clone().into_iter().collect()].concat();
    let ours = support::start(dir, &args.iter().map(String::as_str).collect::<Vec<_>>());
    let binary = opa::binary().filter(|_| file.alone.is_none());
    let theirs = binary
        .map(|binary| opa::start(&binary, ours.path(), &[file.opa.clone(), config.into_iter().collect(), paths("")].concat()));
    Servers { ours, theirs }
}

impl Servers {
    fn addresses(&self) -> Vec<&str> {
        let ours = self.ours.api.trim_start_matches("http://");
        [ours].into_iter().chain(self.theirs.as_ref().map(|opa| opa.address.as_str())).collect()
    }
}

/// Everything wrong with one file.
pub(super) fn check(name: &str) -> Vec<String> {
    let file: File = file::read(name);
    let listed: Vec<Difference> = file::read("differences");
    let servers = start(&file);
    let mut wrong = Vec::new();
    for case in &file.cases {
        if !case.keep {
            servers.addresses().iter().for_each(|address| reset(address, &file, case));
        }
        for (label, step) in case.labelled(name) {
            wrong.extend(play(&servers, step, &label, &listed));
        }
    }
    wrong
}

fn play(servers: &Servers, step: &Step, label: &str, listed: &[Difference]) -> Vec<String> {
    let mut addresses = servers.addresses();
    addresses.truncate(if step.alone.is_some() { 1 } else { 2 });
    let replies: Result<Vec<Reply>, String> = addresses
        .iter()
        .map(|address| wire::ask(address, &step.request()).map_err(|error| format!("{address}: {error}")))
        .collect();
    let replies = match replies {
        Ok(replies) => replies,
        Err(error) => return vec![format!("{label}\n  {error}")],
    };
    let [ours, theirs @ ..] = replies.as_slice() else { return Vec::new() };
    let mut wrong = judge::judge(step, ours);
    let theirs = theirs.first();
    if let Some(theirs) = theirs {
        wrong.extend(unlisted(label, &compare::differences(ours, theirs), listed));
        if !listed.iter().any(|difference| difference.steps.contains(label)) {
            wrong.extend(judge::judge(step, theirs).into_iter().map(|wrong| format!("OPA: {wrong}")));
        }
    }
    if wrong.is_empty() {
        return Vec::new();
    }
    let shown =
        |who: &str, reply: &Reply| format!("  {who}: {} {}", reply.status, reply.text().chars().take(1500).collect::<String>());
    let theirs = theirs.map(|reply| shown("OPA", reply)).unwrap_or_default();
    vec![format!("{label}\n  {}\n{}\n{theirs}", wrong.join("\n  "), shown("ours", ours))]
}

/// What differs and is not listed, and what is listed and does not differ.
fn unlisted(label: &str, places: &BTreeSet<String>, listed: &[Difference]) -> Vec<String> {
    let listed: Vec<_> = listed.iter().filter(|difference| difference.steps.contains(label)).collect();
    let unlisted = places.iter().filter(|place| !listed.iter().any(|difference| difference.covers(place)));
    let mut wrong: Vec<_> = unlisted.map(|place| format!("differs from OPA in `{place}`, which is not listed")).collect();
    let stale = listed.iter().filter(|difference| !places.iter().any(|place| difference.covers(place)));
    wrong.extend(stale.map(|difference| format!("is listed and no longer differs: {}", difference.reason)));
    wrong
}

/// Empty data, and only the policies of the file.
fn reset(address: &str, file: &File, case: &Case) {
    let ask = |method: &str, path: &str, body: &str| {
        let headers = file.reset.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let request = Request { method: method.into(), path: path.into(), headers, body: body.as_bytes().to_vec() };
        wire::ask(address, &request).unwrap()
    };
    let policies = ask("GET", "/v1/policies", "");
    if policies.status == 200 {
        let policies: serde_json::Value = serde_json::from_str(&policies.text()).unwrap();
        let ids = policies["result"].as_array().unwrap().iter().map(|policy| policy["id"].as_str().unwrap());
        for id in ids.filter(|id| !id.starts_with("policies/")) {
            ask("DELETE", &format!("/v1/policies/{}", id.replace('%', "%25").replace(' ', "%20").replace('"', "%22")), "");
        }
    }
    let data = case.data.clone().unwrap_or_else(|| serde_json::json!({}));
    let put = ask("PUT", "/v1/data", &data.to_string());
    assert_eq!(put.status, 204, "{address} {}: {}", case.name, put.text());
}
