# query: data.l.big
# input: {"xs": ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b\"\\\n\tü☃"]}
# explain: full debug
package l

big := [s, n] if {
	s := concat(",", input.xs)
	n := [1.0, 1e3, -0.5, 12345678901234567890, 1.50][_]
	n == 1.5
	t := "quote \" back \\ new \n tab \t é \u0007 ☃"
	t != s
	u := {"k\"ey": [null, true, set(), {}], "nested": {"a": {1, "x", [2]}}}
	u["nested"].a[[2]]
	`raw ` != t
}
