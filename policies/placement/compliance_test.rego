package plimsoll.compliance_test

import data.kubernetes.placement

fleet := {
	"vault": {"metadata": {"name": "vault", "annotations": {"pci-certified": "true"}}, "spec": {"region": "eu-west-1"}},
	"lapsed": {"metadata": {"name": "lapsed", "annotations": {"pci-certified": "false"}}, "spec": {"region": "eu-west-1"}},
	"plain": {"metadata": {"name": "plain"}, "spec": {"region": "us-east-1"}},
	"depot": {"metadata": {"name": "depot", "annotations": {"pci-certified": "true"}}, "spec": {"region": "us-east-1"}},
}

workload(annotations) := {
	"apiVersion": "apps/v1",
	"kind": "ReplicaSet",
	"metadata": {"name": "payments", "namespace": "shop", "annotations": annotations},
}

test_only_certified_clusters_are_chosen if {
	p := placement.placement with input as workload({"requires-pci": "true"}) with data.kubernetes.clusters as fleet
	p.clusters == {"vault": {"weight": 1}, "depot": {"weight": 1}}
}

test_rules_compose if {
	both := workload({"requires-pci": "true", "policy.plimsoll.io/jurisdiction": "eu"})
	document := placement with input as both with data.kubernetes.clusters as fleet
	object.keys(document.placement.clusters) == {"vault"}
	document.rejected.plain == "not PCI certified; region \"us-east-1\" is outside eu"
}

test_the_last_certified_cluster_gone_is_nowhere if {
	document := placement with input as workload({"requires-pci": "true"}) with data.kubernetes.clusters as {"plain": fleet.plain}
	document.placement == {"clusters": {}, "rebalance": true}
}

test_other_objects_are_left_alone if {
	document := placement with input as workload({"requires-pci": "false"}) with data.kubernetes.clusters as fleet
	not document.placement
	document.rejected == {}
}
