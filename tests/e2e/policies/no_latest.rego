# Refuses what names no version.
package kubernetes.placement

errors contains sprintf("container %s: name a version other than latest", [container.name]) if {
	some container in input.spec.template.spec.containers
	endswith(container.image, ":latest")
}
