# input: {}
# data.s: {"above":true,"all":[1],"below":true,"beside":5,"holds":true,"keys":["f"],"later":6,"members":[2],"other":true,"replaced":true,"rule":1,"rule_gone":true,"rule_holds":true,"set_gone":true,"unread":true}
package s

import rego.v1

mock(x) := x.y

rule := 1

members contains 2

unread if not data.elsewhere.allow with data.c.f as mock

holds if 1 == 1 with data.c.f as mock

rule_holds if 1 == 1 with data.s.rule as mock

rule_gone if not data.s.rule with data.s.rule as mock

set_gone if not data.s.members[2] with data.s.members as mock

other if data.s.rule == 1 with data.c.f as mock

below if not data.c.f.k with data.c.f as mock

above if is_object(data.c) with data.c.f as mock

keys := x if x := {k | data.c[k]} with data.c as {"f": 1} with data.c.g as mock

all := [x | x := 1 with data.c.f as mock]

beside := x if x := data.c.g with data.c.f as mock with data.c.g as 5

later := x if x := data.c.f with data.c.f as mock with data.c.f as 6

replaced if mock({"y": 1}) == 1 with data.c.f as mock
