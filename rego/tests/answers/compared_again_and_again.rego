# input: {"xs":[{"a":"a","b":"b","n":1},{"a":"k","b":"k","n":2},{"a":"z","b":"b","n":3},{"a":"k","b":"z","n":4},{"b":"k","n":5},{"a":["k"],"b":"k","n":6},{"a":"kk","b":"a","n":7},{"a":"","b":"","n":8},{"a":1,"b":"k","n":9},{"a":"k","b":"k","n":10}],"k":"k","no":"no"}
# data.s: {"at_least":[[2,3,4,6,7,10],[2,3,4,6,7,10],[2,3,4,6,7,10],[2,3,4,6,7,10]],"at_most":[[1,2,4,8,9,10],[1,2,4,8,9,10],[1,2,4,8,9,10],[1,2,4,8,9,10]],"begins":[[2,4,7,10],[2,4,7,10],[2,4,7,10],[2,4,7,10]],"ends":[[2,5,6,9,10],[2,5,6,9,10],[2,5,6,9,10],[2,5,6,9,10]],"holds":[[2,4,7,10],[2,4,7,10],[2,4,7,10],[2,4,7,10]],"is_in":[[6],[6],[6],[6]],"itself":[[2],[2],[2],[2]],"keys":[[5,6,7,8],[5,6,7,8],[5,6,7,8],[5,6,7,8]],"less":[[1,8,9],[1,8,9],[1,8,9],[1,8,9]],"more":[[3,6,7],[3,6,7],[3,6,7],[3,6,7]],"not_of_operand":[[1,3,6,7,8,9],[1,2,4,6,7,8,9,10],[1,3,6,7,8,9],[1,2,4,6,7,8,9,10],[1,2,3,4,6,7,8,10],[1,2,3,4,6,7,8,9,10],[1,2,3,4,7,8,9,10]],"not_same":[[1,3,5,6,7,8,9],[1,3,5,6,7,8,9],[1,3,5,6,7,8,9],[1,3,5,6,7,8,9]],"of_a_name":[[1,3,6,7,8,9],[1,3,6,7,8,9],[1,3,6,7,8,9],[1,3,6,7,8,9]],"of_input":[[1,3,6,7,8,9],[1,3,6,7,8,9],[1,3,6,7,8,9],[1,3,6,7,8,9]],"of_names":[[2,8,10],[2,8,10],[2,8,10],[2,8,10]],"of_nothing":[[],[],[],[]],"of_operand":[[2,4,10],[3],[2,4,10],[3],[9],[],[6]],"ored":[[6,9],[6,9],[6,9],[6,9]],"other":[[1,3,6,7,8,9],[1,3,6,7,8,9],[1,3,6,7,8,9],[1,3,6,7,8,9]],"rounds":[1,2,3,4],"same":[[2,4,10],[2,4,10],[2,4,10],[2,4,10]],"turned":[[1,2,4,8,9,10],[1,2,4,8,9,10],[1,2,4,8,9,10],[1,2,4,8,9,10]],"twice":[[6,9],[6,9],[6,9],[6,9]],"unified":[[2,4,10],[2,4,10],[2,4,10],[2,4,10]]}
package s

import rego.v1

# Each is gone through several times, so that members are looked up by what is compared first; only where that is an equality.

rounds := [1, 2, 3, 4]

same := [ns | some r in rounds; ns := same_of(r)]

same_of(_) := [x.n | some x in input.xs; x.a == "k"]

unified := [ns | some r in rounds; ns := unified_of(r)]

unified_of(_) := [x.n | some x in input.xs; x.a = "k"]

other := [ns | some r in rounds; ns := other_of(r)]

other_of(_) := [x.n | some x in input.xs; x.a != "k"]

less := [ns | some r in rounds; ns := less_of(r)]

less_of(_) := [x.n | some x in input.xs; x.a < "k"]

at_most := [ns | some r in rounds; ns := at_most_of(r)]

at_most_of(_) := [x.n | some x in input.xs; x.a <= "k"]

more := [ns | some r in rounds; ns := more_of(r)]

more_of(_) := [x.n | some x in input.xs; x.a > "k"]

at_least := [ns | some r in rounds; ns := at_least_of(r)]

at_least_of(_) := [x.n | some x in input.xs; x.a >= "k"]

turned := [ns | some r in rounds; ns := turned_of(r)]

turned_of(_) := [x.n | some x in input.xs; "k" >= x.a]

begins := [ns | some r in rounds; ns := begins_of(r)]

begins_of(_) := [x.n | some x in input.xs; startswith(x.a, "k")]

holds := [ns | some r in rounds; ns := holds_of(r)]

holds_of(_) := [x.n | some x in input.xs; contains(x.a, input.k)]

ends := [ns | some r in rounds; ns := ends_of(r)]

ends_of(_) := [x.n | some x in input.xs; endswith(x.b, "k")]

is_in := [ns | some r in rounds; ns := is_in_of(r)]

is_in_of(_) := [x.n | some x in input.xs; "k" in x.a]

not_same := [ns | some r in rounds; ns := not_same_of(r)]

not_same_of(_) := [x.n | some x in input.xs; not x.a == "k"]

of_input := [ns | some r in rounds; ns := of_input_of(r)]

of_input_of(_) := [x.n | some x in input.xs; x.a != input.k]

of_nothing := [ns | some r in rounds; ns := of_nothing_of(r)]

of_nothing_of(_) := [x.n | some x in input.xs; x.a == input.none]

of_operand := [ns | some k in ["k", "z", "k", "z", 1, "q", ["k"]]; ns := of_operand_of(k)]

of_operand_of(k) := [x.n | some x in input.xs; x.a == k]

not_of_operand := [ns | some k in ["k", "z", "k", "z", 1, "q", ["k"]]; ns := not_of_operand_of(k)]

not_of_operand_of(k) := [x.n | some x in input.xs; x.a != k]

of_names := [ns | some r in rounds; ns := of_names_of(r)]

of_names_of(_) := [n | some x in input.xs; a := x.a; b := x.b; n := x.n; a == b]

of_a_name := [ns | some r in rounds; ns := of_a_name_of(r)]

of_a_name_of(_) := [n | some x in input.xs; a := x.a; n := x.n; a != "k"]

itself := [ns | some r in rounds; ns := itself_of(r)]

itself_of(_) := [i | some i, a in ["a", "k", "z", "k", "b", "c", "d", "e"]; a > "k"]

keys := [ns | some r in rounds; ns := keys_of(r)]

keys_of(_) := [i | some i, x in input.xs; x.a != "k"; i > 2]

twice := [ns | some r in rounds; ns := twice_of(r)]

twice_of(_) := [x.n | some x in input.xs; x.b == "k"; x.a != "k"]

ored := [ns | some r in rounds; ns := ored_of(r)]

ored_of(_) := [x.n | some x in input.xs; x.a != "k"; x.b == "k"]
