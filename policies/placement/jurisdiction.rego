# Data residency: an object annotated `policy.plimsoll.io/jurisdiction: eu` runs only in regions of the EU.
package plimsoll.rules

import data.plimsoll.clusters

# Regions by jurisdiction and provider, each name in full: a prefix would take eu-central-2 (Zurich), and europe-west1 is the start
# of another region's name. What is not listed is outside, so a region that opens later has to be added before it is used.
# As of 2026-11. EU means member states: not London (eu-west-2, europe-west2, uksouth, ukwest), not Switzerland (eu-central-2,
# europe-west6, switzerlandnorth, switzerlandwest), not Norway (norwayeast, norwaywest; EEA, but not EU).
# aws: https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html; eusc-de-east-1 is https://aws.eu
# gcp: https://docs.cloud.google.com/compute/docs/regions-zones
# azure: https://learn.microsoft.com/azure/reliability/regions-list
# onprem: your own data centres, by the names that you gave them.
jurisdictions := {
	"eu": {
		"aws": {
			"eu-central-1", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-3",
			"eusc-de-east-1",
		},
		"gcp": {
			"europe-central2", "europe-north1", "europe-north2", "europe-southwest1", "europe-west1", "europe-west3",
			"europe-west4", "europe-west8", "europe-west9", "europe-west10", "europe-west12",
		},
		"azure": {
			"austriaeast", "belgiumcentral", "francecentral", "francesouth", "germanynorth", "germanywestcentral",
			"italynorth", "northeurope", "polandcentral", "spaincentral", "swedencentral", "westeurope",
		},
		"onprem": {"eu-west-3"},
	},
	"us": {
		"aws": {"us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-west-1", "us-west-2"},
		"gcp": {
			"us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west2", "us-west3",
			"us-west4",
		},
		"azure": {
			"centralus", "eastus", "eastus2", "northcentralus", "southcentralus", "westcentralus", "westus", "westus2",
			"westus3",
		},
	},
}

jurisdiction := annotation("policy.plimsoll.io/jurisdiction")

applies contains "jurisdiction" if jurisdiction

denied contains text if {
	not jurisdictions[jurisdiction]
	text := sprintf("jurisdiction %q is not known: use one of %s", [jurisdiction, concat(", ", object.keys(jurisdictions))])
}

reject contains {"cluster": name, "reason": reason} if {
	regions := jurisdictions[jurisdiction]
	some name, cluster in clusters.all
	not is_inside(regions, cluster)
	reason := sprintf("region %q is outside %s", [cluster.region, jurisdiction])
}

# The provider counts where the cluster says it: Alibaba Cloud's eu-west-1 is London.
is_inside(regions, cluster) if regions[lower(cluster.provider)][cluster.region]

is_inside(regions, cluster) if {
	cluster.provider == ""
	some provider
	regions[provider][cluster.region]
}
