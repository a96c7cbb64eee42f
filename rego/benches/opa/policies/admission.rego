package admission

import data.registries

pod := input.review.object.spec

containers contains container if some container in pod.containers

containers contains container if some container in pod.initContainers

deny contains msg if {
	some container in containers
	container.securityContext.privileged
	msg := sprintf("container <%v> must not be privileged", [container.name])
}

deny contains msg if {
	some container in containers
	not container.securityContext.allowPrivilegeEscalation == false
	msg := sprintf("container <%v> must not escalate its privileges", [container.name])
}

deny contains msg if {
	some container in containers
	not allowed_registry(container.image)
	msg := sprintf("container <%v> has an image <%v> from an unknown registry", [container.name, container.image])
}

deny contains msg if {
	some container in containers
	endswith(container.image, ":latest")
	msg := sprintf("container <%v> must not run the latest tag", [container.name])
}

deny contains msg if {
	some container in containers
	some resource in ["cpu", "memory"]
	not container.resources.limits[resource]
	msg := sprintf("container <%v> has no limit of %v", [container.name, resource])
}

deny contains msg if {
	some container in containers
	not container.securityContext.readOnlyRootFilesystem == true
	msg := sprintf("container <%v> must have a read-only root file system", [container.name])
}

deny contains msg if {
	some container in containers
	some capability in container.securityContext.capabilities.add
	not capability in {"NET_BIND_SERVICE", "CHOWN"}
	msg := sprintf("container <%v> must not add the capability %v", [container.name, capability])
}

deny contains msg if {
	some container in containers
	not "ALL" in container.securityContext.capabilities.drop
	msg := sprintf("container <%v> must drop all capabilities", [container.name])
}

deny contains msg if {
	some container in pod.containers
	not container.livenessProbe
	msg := sprintf("container <%v> has no liveness probe", [container.name])
}

deny contains msg if {
	some container in containers
	some port in container.ports
	port.hostPort
	not port.hostPort in data.ports
	msg := sprintf("container <%v> must not use the host's port %v", [container.name, port.hostPort])
}

deny contains msg if {
	some container in containers
	some variable in container.env
	regex.match("(?i)(password|secret|token)", variable.name)
	variable.value
	msg := sprintf("container <%v> has a secret in its variable %v", [container.name, variable.name])
}

deny contains "the host's network must not be used" if pod.hostNetwork

deny contains "the host's processes must not be seen" if pod.hostPID

deny contains msg if {
	some volume in pod.volumes
	volume.hostPath
	not volume.hostPath.path in data.paths
	msg := sprintf("volume <%v> must not mount the host's %v", [volume.name, volume.hostPath.path])
}

deny contains msg if {
	required := {"app", "team", "cost-centre"}
	missing := required - object.keys(input.review.object.metadata.labels)
	count(missing) > 0
	msg := sprintf("labels are missing: %v", [missing])
}

allowed_registry(image) if {
	some registry in registries
	startswith(image, registry)
}
