# What asks for PCI goes to certified clusters, and nowhere if there is none: the shipped style.
package kubernetes.placement

placement := {"clusters": {name: {"weight": 1} | some name in certified}, "rebalance": true} if {
	input.metadata.annotations["requires-pci"] == "true"
}

certified contains name if {
	some name, cluster in data.kubernetes.clusters
	cluster.metadata.annotations["pci-certified"] == "true"
}
