# Compliance: an object annotated `requires-pci: "true"` runs only on clusters annotated `pci-certified: "true"`.
# Certification is taken away by changing the cluster's annotation; existing objects are then repaired.
package plimsoll.rules

import data.plimsoll.clusters

requires_pci if annotation("requires-pci") == "true"

applies contains "compliance" if requires_pci

reject contains {"cluster": name, "reason": "not PCI certified"} if {
	requires_pci
	some name, cluster in clusters.all
	object.get(cluster.annotations, "pci-certified", "") != "true"
}
