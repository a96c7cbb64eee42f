package plimsoll.clusters_test

import data.plimsoll.clusters

karmada := {
	"apiVersion": "cluster.karmada.io/v1alpha1",
	"kind": "Cluster",
	"metadata": {"name": "k", "annotations": {"pci-certified": "true"}},
	"spec": {"region": "eu-west-1", "zones": ["a"], "provider": "aws"},
	"status": {"conditions": [{"type": "Ready", "status": "True"}]},
}

federation := {
	"apiVersion": "federation/v1beta1",
	"kind": "Cluster",
	"metadata": {"name": "f", "labels": {"tier": "gold"}},
	"status": {"region": "europe-west1", "zones": ["b"], "conditions": [{"type": "Offline", "status": "True"}]},
}

labelled := {"metadata": {"name": "l", "labels": {"topology.kubernetes.io/region": "us-east-1"}}}

all := result if {
	result := clusters.all with data.kubernetes.clusters as {"k": karmada, "f": federation, "l": labelled, "bare": {}}
}

test_both_federations_have_a_region if {
	all.k.region == "eu-west-1"
	all.f.region == "europe-west1"
	all.l.region == "us-east-1"
	all.bare.region == ""
}

test_zones_and_provider if {
	all.k.zones == ["a"]
	all.f.zones == ["b"]
	all.k.provider == "aws"
	all.f.provider == ""
}

test_only_a_ready_condition_that_is_true_counts if {
	all.k.ready
	not all.f.ready
	not all.bare.ready
}

test_labels_and_annotations_are_always_there if {
	all.bare.labels == {}
	all.k.annotations["pci-certified"] == "true"
	all.f.labels.tier == "gold"
}
