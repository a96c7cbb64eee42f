# Placement policy as it was written for Kubernetes Federation in 2017: Rego v0, the decision as annotations whose values
# are strings. Loaded from a ConfigMap, unchanged.
package kubernetes.placement

import data.kubernetes.clusters

# Every ReplicaSet is spread over the clusters that may have it.
annotations["federation.kubernetes.io/replica-set-preferences"] = preferences {
	input.kind = "ReplicaSet"
	value = {"clusters": cluster_map, "rebalance": true}
	json.marshal(value, preferences)
}

# Payment data stays with its owner.
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
	not certified[name]
}

certified[name] {
	clusters[name].metadata.annotations["pci-certified"] = "true"
}
