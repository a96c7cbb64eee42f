# What names a zone goes to its clusters that are ready, and to the reserve if there are none.
package kubernetes.placement

placement := {"clusters": {name: {"weight": 1} | some name in allowed}, "rebalance": true} if input.metadata.labels.zone

allowed := in_zone if {
	count(in_zone) > 0
} else := reserve

in_zone contains name if {
	some name in ready
	data.kubernetes.clusters[name].metadata.labels.zone == input.metadata.labels.zone
}

reserve contains name if {
	some name in ready
	data.kubernetes.clusters[name].metadata.labels.reserve == "true"
}

ready contains name if {
	some name, cluster in data.kubernetes.clusters
	some condition in cluster.status.conditions
	condition.type == "Ready"
	condition.status == "True"
}
