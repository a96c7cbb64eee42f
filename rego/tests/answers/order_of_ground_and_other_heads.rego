# Rules whose heads are ground come behind those with variables, by their keys.
# input: {"x": 2}
# error: "eval_conflict_error: object keys must be unique"
# place: 9:1
package s

import rego.v1

all[2] := "two"

all[k] := "any" if k := input.x

member := all[_]
