# input: none
# error: "eval_conflict_error: object keys must be unique"
# place: 8:9
package s

import rego.v1

all := {k: v | k := "a"; some v in [1, 2]}
