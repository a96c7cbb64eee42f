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

# Where one cluster stands, by its region and provider alone.
inside(place, region, provider) if {
	asked := workload({"policy.plimsoll.io/jurisdiction": place})
	cluster := {"metadata": {"name": "one"}, "spec": {"region": region, "provider": provider}}
	p := placement.placement with input as asked with data.kubernetes.clusters as {"one": cluster}
	p.clusters.one
}

# Written a second time, by city, so that a slip in the policy shows.
eu_regions := {
	"aws": {
		"Frankfurt": "eu-central-1", "Stockholm": "eu-north-1", "Milan": "eu-south-1", "Aragon": "eu-south-2",
		"Dublin": "eu-west-1", "Paris": "eu-west-3", "Brandenburg": "eusc-de-east-1",
	},
	"gcp": {
		"Warsaw": "europe-central2", "Hamina": "europe-north1", "Stockholm": "europe-north2", "Madrid": "europe-southwest1",
		"St. Ghislain": "europe-west1", "Frankfurt": "europe-west3", "Eemshaven": "europe-west4", "Milan": "europe-west8",
		"Paris": "europe-west9", "Berlin": "europe-west10", "Turin": "europe-west12",
	},
	"azure": {
		"Vienna": "austriaeast", "Brussels": "belgiumcentral", "Paris": "francecentral", "Marseille": "francesouth",
		"Berlin": "germanynorth", "Frankfurt": "germanywestcentral", "Milan": "italynorth", "Dublin": "northeurope",
		"Warsaw": "polandcentral", "Madrid": "spaincentral", "Gavle": "swedencentral", "Amsterdam": "westeurope",
	},
	"onprem": {"the example fleet": "eu-west-3"},
}

us_regions := {
	"aws": {
		"Virginia": "us-east-1", "Ohio": "us-east-2", "California": "us-west-1", "Oregon": "us-west-2",
		"government, east": "us-gov-east-1", "government, west": "us-gov-west-1",
	},
	"gcp": {
		"Council Bluffs": "us-central1", "Moncks Corner": "us-east1", "Ashburn": "us-east4", "Columbus": "us-east5",
		"Dallas": "us-south1", "The Dalles": "us-west1", "Los Angeles": "us-west2", "Salt Lake City": "us-west3",
		"Las Vegas": "us-west4",
	},
	"azure": {
		"Iowa": "centralus", "Virginia": "eastus", "Virginia 2": "eastus2", "Illinois": "northcentralus",
		"Texas": "southcentralus", "Wyoming": "westcentralus", "California": "westus", "Washington": "westus2",
		"Phoenix": "westus3",
	},
}

outside_eu := {
	"aws": {
		"London": "eu-west-2", "Zurich": "eu-central-2", "Virginia": "us-east-1", "nowhere yet": "eu-west-4",
		"a zone": "eu-west-1a", "another provider's": "europe-west3", "other case": "EU-WEST-1",
	},
	"gcp": {
		"London": "europe-west2", "Zurich": "europe-west6", "nowhere yet": "europe-west11", "a part": "europe-west",
		"a zone": "europe-west3-a", "a number more": "europe-west13", "many regions": "eu",
	},
	"azure": {
		"London": "uksouth", "Cardiff": "ukwest", "Zurich": "switzerlandnorth", "Geneva": "switzerlandwest",
		"Oslo": "norwayeast", "Stavanger": "norwaywest", "Iowa": "centralus", "as people read it": "West Europe",
	},
	"alibaba": {"London": "eu-west-1"},
	"onprem": {"not said to be inside": "eu-west-1"},
	"": {"nothing said": "", "London": "eu-west-2", "Zurich": "eu-central-2", "Frankfurt, misspelt": "eu-central-1 "},
}

test_every_listed_region_is_inside_its_own_jurisdiction_alone if {
	pairs := {{"place": place, "region": region, "provider": provider} |
		some place, providers in {"eu": eu_regions, "us": us_regions}
		some provider, cities in providers
		some region in cities
	}
	count(pairs) == 55
	every pair in pairs {
		inside(pair.place, pair.region, pair.provider)
		inside(pair.place, pair.region, "")
		inside(pair.place, pair.region, upper(pair.provider))
		not inside({"eu": "us", "us": "eu"}[pair.place], pair.region, pair.provider)
	}
}

test_the_policy_lists_nothing_else if {
	listed := {[place, provider, region] |
		some place, providers in data.plimsoll.rules.jurisdictions
		some provider, regions in providers
		some region in regions
	}
	count(listed) == 55
}

test_neighbours_and_unknown_regions_are_outside_the_eu if {
	every provider, cities in outside_eu {
		every region in cities {
			not inside("eu", region, provider)
		}
	}
}
