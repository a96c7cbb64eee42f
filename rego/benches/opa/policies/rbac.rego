package rbac

default allow := false

allow if {
	some role in roles
	some permission in data.roles[role]
	permission.resource == input.resource
	input.verb in permission.verbs
	in_scope(permission)
}

roles contains binding.role if {
	some binding in data.bindings
	binding.kind == "User"
	binding.subject == input.user
}

roles contains binding.role if {
	some binding in data.bindings
	binding.kind == "Group"
	binding.subject in groups
}

groups contains name if {
	some name, members in data.groups
	input.user in members
}

in_scope(permission) if permission.scope == "*"

in_scope(permission) if {
	some namespace in data.tenants[permission.scope].namespaces
	namespace == input.namespace
}

permitted[permission.resource] contains verb if {
	some role in roles
	some permission in data.roles[role]
	in_scope(permission)
	some verb in permission.verbs
}
