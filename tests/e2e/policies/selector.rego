# A second policy with an annotation of its own: what is labelled critical runs in one region.
package kubernetes.placement

annotations["federation.alpha.kubernetes.io/cluster-selector"] := requirements if {
	input.metadata.labels.critical == "true"
	requirements := [{"key": "region", "operator": "in", "values": ["eu-west"]}]
}
