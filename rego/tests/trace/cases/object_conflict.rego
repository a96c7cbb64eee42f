# query: data.c.p
# explain: full
package c

p[k] := v if some k, v in {"a": 1, "b": 2}

p.a := 2
