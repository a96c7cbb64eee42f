//! Where clients learn of the two kinds.

use super::world::{World, accepted};

const GROUP: &str = "admissionregistration.k8s.io";

pub(super) fn lists_webhooks(world: &World) {
    let groups = accepted(world.get("/apis"))["groups"].take();
    let group = groups.as_array().unwrap().iter().find(|group| group["name"] == GROUP).expect("the group in /apis");
    let document = accepted(world.get(&format!("/apis/{GROUP}")));
    assert_eq!(document["name"], GROUP);
    for versions in [&group["versions"], &document["versions"]] {
        assert!(versions.as_array().unwrap().iter().any(|version| version["version"] == "v1"), "{versions}");
    }
    let list = accepted(world.get(&format!("/apis/{GROUP}/v1")));
    assert_eq!(list["groupVersion"], format!("{GROUP}/v1"));
    for name in ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"] {
        assert!(list["resources"].as_array().unwrap().iter().any(|resource| resource["name"] == name), "{name} in {list}");
    }
}
