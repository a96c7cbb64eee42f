# The style that says nothing when no cluster qualifies.
package kubernetes.placement

annotations["federation.kubernetes.io/replica-set-preferences"] := preferences if {
	input.metadata.annotations["requires-pci"] == "true"
	count(certified) > 0
	preferences := {"clusters": {name: {"weight": 1} | some name in certified}, "rebalance": true}
}

certified contains name if {
	some name, cluster in data.kubernetes.clusters
	cluster.metadata.annotations["pci-certified"] == "true"
}
