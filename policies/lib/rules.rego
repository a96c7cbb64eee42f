# What all rule files together say; see placement.rego for how a rule file adds to it.
package plimsoll.rules

import data.plimsoll.clusters

# Every set exists, also when no rule file adds to it.
applies contains "" if false

reject contains {"cluster": "", "reason": ""} if false

denied contains "" if false

notes contains "" if false

weights[""] := {} if false

chosen[name] := object.get(weights, name, {"weight": 1}) if {
	some name, _ in clusters.all
	not is_rejected(name)
}

is_rejected(name) if {
	some entry in reject
	entry.cluster == name
}

annotation(key) := value if value := input.metadata.annotations[key]
