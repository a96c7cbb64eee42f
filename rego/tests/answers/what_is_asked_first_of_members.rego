# input: {"x": "x"}
# data.s: {"answer":{"begins":[1,2],"called":[1],"deeper":[1],"ends":[1],"equal":[1],"holds":[2,3],"keys":[0,1,2,3,4],"less":[1,5],"not_at_all":[2,3,4,5],"not_equal":[2,3,5],"of_each_other":[1,5],"of_input":[1],"sets":[1],"split":[["",""],["","y"],["y"]],"told":[true,false,false,false],"undefined":[]},"rows":[{"a":"x","b":"x","n":1},{"a":"xy","b":"x","n":2},{"a":"y","b":"z","n":3},{"b":"x","n":4},{"a":1,"b":1,"n":5}]}

package s

rows := [
	{"a": "x", "b": "x", "n": 1},
	{"a": "xy", "b": "x", "n": 2},
	{"a": "y", "b": "z", "n": 3},
	{"b": "x", "n": 4},
	{"a": 1, "b": 1, "n": 5},
]

answer.equal := [r.n | some r in rows; r.a == "x"]

answer.of_input := [r.n | some r in rows; r.a == input.x]

answer.of_each_other := [r.n | some r in rows; r.a == r.b]

answer.not_equal := [r.n | some r in rows; r.a != "x"]

answer.less := [r.n | some r in rows; r.a < "xy"]

answer.begins := [r.n | some r in rows; startswith(r.a, "x")]

answer.ends := [r.n | some r in rows; endswith(r.a, input.x)]

answer.holds := [r.n | some r in rows; contains(r.a, "y")]

answer.split := [p | some r in rows; split(r.a, "x", p)]

answer.not_at_all := [r.n | some r in rows; not r.a == "x"]

answer.called := [r.n | some r in rows; equal(r.a, "x")]

answer.told := [e | some r in rows; e := equal(r.a, "x")]

answer.undefined := [r.n | some r in rows; r.a == input.y]

answer.keys := [i | some i, r in rows; i == r.n - 1]

answer.deeper := [r.n | some r in [{"n": 1, "a": {"b": "x"}}, {"n": 2, "a": {"b": "y"}}, {"n": 3, "a": "x"}]; r.a.b == input.x]

answer.sets := {r.n | some r in {{"a": "x", "n": 1}, {"a": "y", "n": 2}}; startswith(r.a, input.x)}
