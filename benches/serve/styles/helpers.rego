# Many small functions, JSON in annotations of clusters, texts made by sprintf.
package kubernetes.placement

placement := {"clusters": {name: {"weight": weight(cluster)} |
	some name, cluster in data.kubernetes.clusters
	allowed(cluster)
}}

rejected[name] := reason(cluster) if {
	some name, cluster in data.kubernetes.clusters
	not allowed(cluster)
}

allowed(cluster) if {
	in_jurisdiction(cluster)
	is_ready(cluster)
}

in_jurisdiction(cluster) if startswith(region(cluster), sprintf("%s", [jurisdiction]))

jurisdiction := input.metadata.annotations["policy.plimsoll.io/jurisdiction"]

region(cluster) := cluster.spec.region

is_ready(cluster) if {
	some condition in cluster.status.conditions
	condition.type == "Ready"
	condition.status == "True"
}

wanted := json.unmarshal(input.metadata.annotations["federation.kubernetes.io/replica-set-preferences"])

weight(cluster) := wanted.clusters["*"].weight * capacity(cluster)

capacity(cluster) := json.unmarshal(object.get(cluster.metadata.annotations, "example.org/capacity", `{"units": 1}`)).units

reason(cluster) := sprintf("region %q is outside %s", [region(cluster), jurisdiction])
