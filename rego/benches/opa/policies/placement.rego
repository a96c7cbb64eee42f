package kubernetes.placement

placement := {"clusters": {name: {"weight": 1} | some name in eligible}}

eligible contains name if {
	some name, cluster in data.kubernetes.clusters
	cluster.metadata.labels.region == input.metadata.annotations["example.org/region"]
	certified(cluster)
}

certified(_) if input.metadata.annotations["requires-pci"] != "true"

certified(cluster) if cluster.metadata.annotations["pci-certified"] == "true"
