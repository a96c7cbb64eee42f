# Requested clusters: a developer's own preferences are narrowed to the clusters that the other rules allow, with the
# developer's weights and bounds; if none of them is allowed, the object is refused and told why.
package plimsoll.rules

import data.plimsoll.clusters

preferences_key := {
	"ReplicaSet": "federation.kubernetes.io/replica-set-preferences",
	"Deployment": "federation.kubernetes.io/deployment-preferences",
}

requested := json.unmarshal(annotation(preferences_key[input.kind])).clusters

applies contains "requested" if requested

denied contains text if {
	preferences := annotation(preferences_key[input.kind])
	not json.is_valid(preferences)
	text := sprintf("%s is not JSON", [preferences_key[input.kind]])
}

wanted(name) := object.get(requested, name, object.get(requested, "*", null))

weights[name] := share(wanted(name)) if {
	some name, _ in clusters.all
	wanted(name) != null
}

# The neutral spelling of federation v1's fields. There, a share without a weight weighs nothing.
share(preference) := object.union({"weight": 0}, {short: preference[long] |
	some short, long in {"weight": "weight", "min": "minReplicas", "max": "maxReplicas"}
	preference[long]
})

reject contains {"cluster": name, "reason": "not requested"} if {
	requested
	some name, _ in clusters.all
	wanted(name) == null
}

forbidden contains name if {
	some name, _ in requested
	some entry in reject
	entry.cluster == name
}

forbidden contains name if {
	some name, _ in requested
	name != "*"
	not clusters.all[name]
}

denied contains text if {
	count(requested) > 0
	count(chosen) == 0
	text := sprintf("none of the requested clusters is allowed: %s", [concat(", ", sort([why(n) | some n, _ in requested]))])
}

why(name) := sprintf("%s (%s)", [name, concat("; ", sort(reasons))]) if {
	reasons := {r.reason | some r in reject; r.cluster == name}
	count(reasons) > 0
}

why(name) := sprintf("%s (no such cluster)", [name]) if {
	name != "*"
	not clusters.all[name]
}

why("*") := "any other"

notes contains text if {
	count(forbidden) > 0
	count(chosen) > 0
	text := sprintf("requested clusters left out: %s", [concat(", ", sort([why(n) | some n in forbidden]))])
}
