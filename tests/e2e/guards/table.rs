//! Writers x ways in x changes x kinds: who is refused, by which policy, and what is stored when nobody is.

use serde_json::Value as Json;

use super::verdict::{Effect, WRITERS, Writer, effect, refused_by};
use super::ways::{CHANGES, Change, RESOURCES, WAYS, Way, object};
use super::{Answer, Guards, ROLLOUTS, TEAM};

#[test]
fn every_writer_on_every_way_in_may_change_what_is_theirs() {
    let writers: Vec<&str> = WRITERS.iter().map(|writer| writer.user()).collect();
    let [controllers, keys] = [format!("--controllers={ROLLOUTS}"), format!("--annotation-keys={TEAM}")];
    let Some(guards) = Guards::start(&writers, &[&controllers, &keys]) else { return };
    let binding = ["create", "rolebinding", "hold", "--clusterrole=plimsoll-hold", "--user=operator", "-n", &guards.namespace];
    guards.kubectl.run(&binding);
    let mut wrong = Vec::new();
    let (mut tried, mut refused) = (0, 0);
    for resource in RESOURCES {
        for held in [true, false] {
            let stored = store(&guards, resource, held);
            for (change, _) in CHANGES.iter().filter(|(_, starts)| starts.contains(&held)) {
                for way in WAYS.into_iter().filter(|way| way.below() != "scale" || resource != "federatedjobs") {
                    for writer in WRITERS {
                        let case = Case { resource, writer, way, change: *change, stored: &stored };
                        let fault = case.fault(&guards, &mut refused);
                        wrong.extend(fault.map(|fault| format!("{resource} held={held} {writer:?} {way:?} {change:?}: {fault}")));
                        tried += 1;
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    // A table in which everything passes, or nothing, says nothing.
    assert!(tried > 1_500 && refused > tried / 10 && refused < tried / 2, "{refused} of {tried} refused");
}

fn store(guards: &Guards, resource: &str, held: bool) -> Json {
    let name = if held { "held" } else { "free" };
    let text = object(resource, name, held).to_string();
    guards.kubectl.try_run_with(&["create", "-n", &guards.namespace, "-f", "-"], &text).unwrap();
    guards.get(resource, name)
}

struct Case<'a> {
    resource: &'a str,
    writer: Writer,
    way: Way,
    change: Change,
    stored: &'a Json,
}

impl Case<'_> {
    /// `None`: as it must be.
    fn fault(&self, guards: &Guards, refused: &mut usize) -> Option<String> {
        let request = self.way.request(guards, self.resource, self.stored, self.change);
        let answer = match self.writer {
            Writer::Sidecar => guards.sidecar.call(&request),
            writer => guards.api.call_as(writer.user(), &request),
        };
        let effect = effect(self.resource, self.way, self.stored, self.change);
        let policies = refused_by(self.writer, self.way, self.stored, &effect);
        if policies.is_empty() {
            return self.accepted(&answer, &effect);
        }
        *refused += 1;
        let right = answer.denied_by(&policies);
        (!right).then(|| format!("{} {:?}, and not refused by {policies:?}", answer.code, answer.message()))
    }

    /// Accepted, and stored as the API server does it without us: the model of it is tested too.
    fn accepted(&self, answer: &Answer, effect: &Effect) -> Option<String> {
        if !answer.accepted() {
            return Some(format!("{} {}", answer.code, answer.message()));
        }
        let metadata = &answer.body["metadata"];
        if self.way.below() == "scale" {
            let bare = metadata.get("annotations").is_none() && metadata.get("labels").is_none();
            return (!bare).then(|| format!("a Scale with metadata: {metadata}"));
        }
        let found = [&metadata["annotations"], &metadata["labels"], &metadata["ownerReferences"]];
        let expected = [&effect.annotations, &effect.labels, &effect.owners];
        (found != expected).then(|| format!("stored {found:?}, expected {expected:?}"))
    }
}
