//! Streams of pods. Admission says whether one may be opened; then kube-apiserver dials the kubelet of the pod's node. Here no kubelet
//! runs, so what is admitted ends where the dialling would begin. Source: `kubernetes` `pkg/registry/core/pod/strategy.go`,
//! `streamLocation`.

use std::convert::Infallible;

use serde_json::Value as Json;

use super::context::Context;
use crate::admission::Operation;
use crate::authz::{Access, What};
use crate::resources::connect::Connect;
use crate::resources::object;
use crate::status::Status;

/// Containers of a pod by the list they stand in.
const CONTAINERS: [&str; 3] = ["/spec/initContainers", "/spec/containers", "/spec/ephemeralContainers"];

/// Asks admission about a stream with these options. Always fails: with the refusal of admission or of who may not open streams, with
/// what is wrong with the pod, and at last because there is no kubelet.
pub async fn connect(context: &Context, connect: Connect, options: Json) -> Result<Infallible, Status> {
    let mut attributes = context.attributes(Operation::Connect, Some(options), None);
    context.mutate(&mut attributes).await?;
    context.validate(&mut attributes).await?;
    may_create(context, connect)?;
    let record = context.visible()?;
    let pod = context.read(&record)?;
    if connect != Connect::PortForward {
        let options = attributes.object.unwrap_or_default();
        container(&pod, options.get("container").and_then(Json::as_str).unwrap_or_default())?;
    }
    match pod.pointer("/spec/nodeName").and_then(Json::as_str) {
        None | Some("") => Err(Status::bad_request(format!("pod {} does not have a host assigned", context.name))),
        Some(node) => {
            Err(Status::internal(format_args!("error dialing backend: no kubelet of node {node} can be reached from here")))
        }
    }
}

/// A stream that is opened by a GET, as over websockets, needs the right to create it all the same (Kubernetes issue 133515).
fn may_create(context: &Context, connect: Connect) -> Result<(), Status> {
    let what = What::Resource(Access {
        verb: "create",
        group: &context.resource.group,
        resource: &context.resource.plural,
        subresource: connect.name(),
        namespace: &context.namespace,
        name: &context.name,
    });
    context.server.authorizer.authorize(&context.user, &what).or_forbidden(&context.user, &what)
}

/// Whether the pod has the container; without a name, whether it has one only.
fn container(pod: &Json, wanted: &str) -> Result<(), Status> {
    let list = |pointer: &str| pod.pointer(pointer).and_then(Json::as_array).into_iter().flatten();
    let name = |container: &Json| container.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
    let names: Vec<String> = CONTAINERS.into_iter().flat_map(list).map(name).collect();
    let pod_name = object::text(pod, "name");
    let why = match wanted {
        "" if list("/spec/containers").count() == 1 => return Ok(()),
        "" => format!("a container name must be specified for pod {pod_name}, choose one of: [{}]", names.join(" ")),
        wanted if names.iter().any(|name| name == wanted) => return Ok(()),
        wanted => format!("container {wanted} is not valid for pod {pod_name}"),
    };
    Err(Status::bad_request(why))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_container_is_named_unless_it_is_the_only_one() {
        let containers = |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
        let pod = |init: &[&str], own: &[&str]| {
            let spec = json!({"initContainers": containers(init), "containers": containers(own)});
            json!({"metadata": {"name": "p"}, "spec": spec})
        };
        let table = [
            (pod(&[], &["a"]), "", None),
            (pod(&["i"], &["a"]), "", None),
            (pod(&["i"], &["a", "b"]), "i", None),
            (pod(&["i"], &["a", "b"]), "", Some("a container name must be specified for pod p, choose one of: [i a b]")),
            (pod(&[], &["a"]), "b", Some("container b is not valid for pod p")),
        ];
        for (pod, wanted, expected) in table {
            assert_eq!(container(&pod, wanted).err().map(|status| status.message).as_deref(), expected, "{pod} {wanted}");
        }
    }
}
