# input: {"k": "k"}
# data.s: {"called":5,"called_in_an_array":5,"collected":5,"in_a_query":[5],"of_three":[5,6],"other_side":5}
package s

import rego.v1

called := x if {count([1]): 1, ["z"]: x} = {count([2]): 1, ["z"]: 5}

called_in_an_array := x if {[count([1])]: 1, [["z"]]: x} = {[count([2])]: 1, [["z"]]: 5}

collected := x if {[1 | true]: 1, ["z"]: x} = {[1 | true]: 1, ["z"]: 5}

other_side := x if {count([1]): 1, ["z"]: 5} = {count([2]): 1, ["z"]: x}

of_three := [x, y] if {count([1]): 1, ["z"]: x, {"z"}: y} = {count([2]): 1, ["z"]: 5, {"z"}: 6}

in_a_query := xs if xs := [x | {count([1]): 1, ["z"]: x} = {count([2]): 1, ["z"]: 5}]
