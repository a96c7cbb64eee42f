# Turns what the rules in `plimsoll.rules` say into the answer that the engine reads.
#
# A rule file is in package plimsoll.rules and adds to
#   applies contains "name"                      the rule has something to say about input
#   reject contains {"cluster": c, "reason": r}  input may not run on c
#   weights[cluster] := {...}                    how replicas are shared; weight 1 where nothing is said
#   denied contains "text"                       refuse the object
#   notes contains "text"                        tell the user
#
# (`data.plimsoll.rules` is named in full: only the rules that are asked for are evaluated, not the whole package.)
#
# No rule applies: no opinion. Every cluster is rejected: `placement` names none, which is Nowhere, never everywhere.
package kubernetes.placement

import data.plimsoll.clusters

placement := {"clusters": data.plimsoll.rules.chosen, "rebalance": true} if count(data.plimsoll.rules.applies) > 0

rejected[name] := concat("; ", sort(reasons)) if {
	count(data.plimsoll.rules.applies) > 0
	some name, _ in clusters.all
	reasons := {r.reason | some r in data.plimsoll.rules.reject; r.cluster == name}
	count(reasons) > 0
}

errors contains message if some message in data.plimsoll.rules.denied

warnings contains message if some message in data.plimsoll.rules.notes
