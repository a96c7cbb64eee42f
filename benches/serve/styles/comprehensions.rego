# Sets of sets: comprehensions in comprehensions, differences and intersections.
package kubernetes.placement

placement := {"clusters": {name: {"weight": weight} | some name in chosen}}

weight := json.unmarshal(input.metadata.annotations["federation.kubernetes.io/replica-set-preferences"]).clusters["*"].weight

chosen := ready & ((by_region & by_tier) - crowded)

ready := {name |
	some name, cluster in data.kubernetes.clusters
	count([c | some c in cluster.status.conditions; c.type == "Ready"; c.status == "True"]) > 0
}

by_region := {name |
	some name, cluster in data.kubernetes.clusters
	some zone in cluster.spec.zones
	startswith(zone, input.metadata.annotations["policy.plimsoll.io/jurisdiction"])
}

by_tier := union({names | some tier, names in tiers; tier in {"t0", "t1", "t2"}})

tiers := {tier: names |
	some cluster in data.kubernetes.clusters
	tier := cluster.metadata.labels.tier
	names := {name | some name, other in data.kubernetes.clusters; other.metadata.labels.tier == tier}
}

crowded := {name |
	some name, cluster in data.kubernetes.clusters
	summary := cluster.status.resourceSummary
	to_number(summary.allocated.cpu) / to_number(summary.allocatable.cpu) > 0.9
}
