# input: {"zone": "eu"}
# data: {"clusters": {"a": {"ready": true, "zone": "eu"}, "b": {"ready": false, "zone": "eu"}, "c": {"ready": true}}}
# data.s: {"chosen":["a"],"facts":{"a":{"zone":"eu"},"b":{"zone":"eu"},"c":{"zone":"none"}},"limit":7,"number":3,"ready":["a","c"],"unlabelled":[3,7]}
# labels: [{"id":"ready"},{"id":"zone"},{"id":"chosen"},{"id":"no zone"},{"id":"fact"},{"id":"number"}]
package s

import rego.v1

# What could be kept tells its labels as if it was not.

# METADATA
# labels:
#   id: chosen
chosen contains name if {
	some name in ready
	facts[name].zone == input.zone
}

# METADATA
# labels:
#   id: fact
facts[name] := {"zone": zone(cluster)} if some name, cluster in data.clusters

# METADATA
# labels:
#   id: limit
limit := data.limits.all if true

else := 7

# METADATA
# labels:
#   id: never
never if data.clusters.c.zone

# METADATA
# labels:
#   id: ready
ready contains name if {
	some name, cluster in data.clusters
	cluster.ready
}

unlabelled := [number, limit]

# METADATA
# labels:
#   id: number
number := count(data.clusters)

# METADATA
# labels:
#   id: zone
zone(cluster) := cluster.zone

# METADATA
# labels:
#   id: no zone
default zone(_) := "none"
