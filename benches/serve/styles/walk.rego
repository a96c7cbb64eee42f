# Goes through all of the object, and asks a rule of it with another input.
package kubernetes.placement

placement := {"clusters": {name: {"weight": count(images) + weight} | some name in eligible}}

weight := json.unmarshal(input.metadata.annotations["federation.kubernetes.io/replica-set-preferences"]).clusters["*"].weight

images contains value if {
	walk(input, [path, value])
	path[count(path) - 1] == "image"
}

eligible contains name if {
	some name, cluster in data.kubernetes.clusters
	suits with input.cluster as cluster
}

suits if startswith(input.cluster.spec.region, input.metadata.annotations["policy.plimsoll.io/jurisdiction"])
