package plimsoll.jurisdiction_test

import data.kubernetes.placement

fleet := {
	"dublin": {"metadata": {"name": "dublin"}, "spec": {"region": "eu-west-1"}},
	"belgium": {"metadata": {"name": "belgium"}, "status": {"region": "europe-west1"}},
	"london": {"metadata": {"name": "london"}, "spec": {"region": "eu-west-2"}},
	"virginia": {"metadata": {"name": "virginia"}, "spec": {"region": "us-east-1"}},
	"nowhere": {"metadata": {"name": "nowhere"}},
}

workload(annotations) := {
	"apiVersion": "apps/v1",
	"kind": "ReplicaSet",
	"metadata": {"name": "web", "namespace": "shop", "annotations": annotations},
}

eu := workload({"policy.plimsoll.io/jurisdiction": "eu"})

test_only_clusters_in_the_eu_are_chosen if {
	p := placement.placement with input as eu with data.kubernetes.clusters as fleet
	object.keys(p.clusters) == {"dublin", "belgium"}
}

test_the_others_are_told_why if {
	r := placement.rejected with input as eu with data.kubernetes.clusters as fleet
	r.virginia == "region \"us-east-1\" is outside eu"
	r.nowhere == "region \"\" is outside eu"
	not r.dublin
}

test_no_cluster_left_is_nowhere_and_not_everywhere if {
	p := placement.placement with input as eu with data.kubernetes.clusters as {"virginia": fleet.virginia}
	p.clusters == {}
}

test_an_unknown_jurisdiction_is_refused if {
	e := placement.errors with input as workload({"policy.plimsoll.io/jurisdiction": "mars"})
		with data.kubernetes.clusters as fleet
	e == {"jurisdiction \"mars\" is not known: use one of eu, us"}
}

test_an_object_that_asks_for_nothing_gets_no_opinion if {
	document := placement with input as workload({}) with data.kubernetes.clusters as fleet
	not document.placement
	document.errors == set()
}
