# query: data.r.o.b.c
# explain: full debug
package r

o.a := 1

o.b.c := 2

o.b[k] := v if { some k, v in {"d": 4} }
