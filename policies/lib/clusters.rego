# Every cluster of the fleet in one form, whichever federation serves it:
# Karmada's cluster.karmada.io/v1alpha1 (topology in spec) and federation/v1beta1 (topology in status).
package plimsoll.clusters

all[name] := {
	"labels": object.get(cluster, ["metadata", "labels"], {}),
	"annotations": object.get(cluster, ["metadata", "annotations"], {}),
	"region": region(cluster),
	"zones": zones(cluster),
	"provider": object.get(cluster, ["spec", "provider"], ""),
	"ready": ready(cluster),
} if {
	some name, cluster in data.kubernetes.clusters
}

# First the place where Karmada keeps it, then federation v1's, then the well-known label.
region(cluster) := first([
	object.get(cluster, ["spec", "region"], ""),
	object.get(cluster, ["status", "region"], ""),
	object.get(cluster, ["metadata", "labels", "topology.kubernetes.io/region"], ""),
])

first(texts) := [text | some text in texts; text != ""][0]

first(texts) := "" if every text in texts { text == "" }

zones(cluster) := object.get(cluster, ["spec", "zones"], object.get(cluster, ["status", "zones"], []))

default ready(_) := false

ready(cluster) if {
	some condition in cluster.status.conditions
	condition.type == "Ready"
	condition.status == "True"
}
