# Data residency: an object annotated `policy.plimsoll.io/jurisdiction: eu` runs only in regions of the EU.
package plimsoll.rules

import data.plimsoll.clusters

# Region prefixes by jurisdiction, as the big providers spell them.
jurisdictions := {
	"eu": ["eu-central-", "eu-north-", "eu-south-", "eu-west-1", "eu-west-3", "europe-west1", "europe-west4", "europe-north1"],
	"us": ["us-"],
}

jurisdiction := annotation("policy.plimsoll.io/jurisdiction")

applies contains "jurisdiction" if jurisdiction

denied contains text if {
	not jurisdictions[jurisdiction]
	text := sprintf("jurisdiction %q is not known: use one of %s", [jurisdiction, concat(", ", object.keys(jurisdictions))])
}

reject contains {"cluster": name, "reason": reason} if {
	prefixes := jurisdictions[jurisdiction]
	some name, cluster in clusters.all
	not strings.any_prefix_match(cluster.region, prefixes)
	reason := sprintf("region %q is outside %s", [cluster.region, jurisdiction])
}
