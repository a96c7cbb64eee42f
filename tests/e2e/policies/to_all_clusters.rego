# What names a zone goes everywhere.
package kubernetes.placement

placement := {"clusters": {name: {"weight": 1} | some name, _ in data.kubernetes.clusters}, "rebalance": true} if {
	input.metadata.labels.zone
}
