# As written in 2017: Rego v0, the value a JSON string.
package kubernetes.placement

import data.kubernetes.clusters

annotations["federation.kubernetes.io/replica-set-preferences"] = preferences {
	input.kind = "ReplicaSet"
	value = {"clusters": cluster_map, "rebalance": true}
	json.marshal(value, preferences)
}

errors["applications that require pci must have an owner"] {
	input.metadata.annotations["requires-pci"] = "true"
	not input.metadata.labels.owner
}

cluster_map[name] = {"weight": 1} {
	clusters[name]
	not insufficient_pci[name]
}

insufficient_pci[name] {
	clusters[name]
	input.metadata.annotations["requires-pci"] = "true"
	not clusters[name].metadata.annotations["pci-certified"]
}
