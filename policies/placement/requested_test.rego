package plimsoll.requested_test

import data.kubernetes.placement

fleet := {
	"vault": {"metadata": {"name": "vault", "annotations": {"pci-certified": "true"}}, "spec": {"region": "eu-west-1"}},
	"plain": {"metadata": {"name": "plain"}, "spec": {"region": "eu-west-1"}},
	"depot": {"metadata": {"name": "depot", "annotations": {"pci-certified": "true"}}, "spec": {"region": "us-east-1"}},
}

workload(preferences, annotations) := {
	"apiVersion": "apps/v1",
	"kind": "ReplicaSet",
	"metadata": {"name": "payments", "namespace": "shop", "annotations": object.union(annotations, {
		"federation.kubernetes.io/replica-set-preferences": preferences,
	})},
}

decide(object) := document if {
	document := placement with input as object with data.kubernetes.clusters as fleet
}

test_weights_and_bounds_are_kept if {
	document := decide(workload(`{"clusters":{"vault":{"weight":3,"minReplicas":1},"plain":{"weight":1,"maxReplicas":2}}}`, {}))
	document.placement.clusters == {"vault": {"weight": 3, "min": 1}, "plain": {"weight": 1, "max": 2}}
	document.rejected.depot == "not requested"
	document.warnings == set()
}

test_a_share_without_a_weight_weighs_nothing if {
	document := decide(workload(`{"clusters":{"vault":{"minReplicas":2}}}`, {}))
	document.placement.clusters == {"vault": {"weight": 0, "min": 2}}
}

test_a_star_stands_for_the_clusters_not_named if {
	document := decide(workload(`{"clusters":{"vault":{"weight":3},"*":{"weight":1}}}`, {}))
	document.placement.clusters == {"vault": {"weight": 3}, "plain": {"weight": 1}, "depot": {"weight": 1}}
}

test_a_request_is_narrowed_with_a_warning if {
	document := decide(workload(`{"clusters":{"vault":{"weight":1},"plain":{"weight":1}}}`, {"requires-pci": "true"}))
	document.placement.clusters == {"vault": {"weight": 1}}
	document.warnings == {"requested clusters left out: plain (not PCI certified)"}
}

test_a_request_with_nothing_allowed_is_refused if {
	document := decide(workload(`{"clusters":{"plain":{"weight":1},"gone":{"weight":1}}}`, {"requires-pci": "true"}))
	document.errors == {"none of the requested clusters is allowed: gone (no such cluster), plain (not PCI certified)"}
}

test_a_request_that_is_not_json_is_refused if {
	document := decide(workload(`{"clusters":`, {}))
	document.errors == {"federation.kubernetes.io/replica-set-preferences is not JSON"}
}

test_an_object_without_a_request_is_left_alone if {
	document := placement with input as {"kind": "ReplicaSet", "metadata": {"name": "x"}} with data.kubernetes.clusters as fleet
	not document.placement
}
