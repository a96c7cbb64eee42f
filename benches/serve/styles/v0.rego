# As it was written in 2017.
package kubernetes.placement

annotations["federation.kubernetes.io/replica-set-preferences"] = preferences {
	preferences := {"rebalance": true, "clusters": {name: {"weight": weight} | eligible[name]}}
}

weight = w {
	json.unmarshal(input.metadata.annotations["federation.kubernetes.io/replica-set-preferences"], wanted)
	w := wanted.clusters["*"].weight
}

eligible[name] {
	cluster = data.kubernetes.clusters[name]
	startswith(cluster.spec.region, input.metadata.annotations["policy.plimsoll.io/jurisdiction"])
	not unready[name]
}

unready[name] {
	cluster = data.kubernetes.clusters[name]
	condition = cluster.status.conditions[_]
	condition.type == "Ready"
	condition.status != "True"
}

errors[message] {
	not input.metadata.annotations["policy.plimsoll.io/jurisdiction"]
	message := "a jurisdiction is needed"
}
