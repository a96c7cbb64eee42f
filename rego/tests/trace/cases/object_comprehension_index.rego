# query: data.o.p
# input: {"pods": [{"ns": "a", "n": 1}, {"ns": "b", "n": 2}, {"ns": "a", "n": 3}]}
# explain: full
package o

p[ns] := names if {
	some pod in input.pods
	ns = pod.ns
	names = {n: true | q = input.pods[_]; q.ns = ns; n = q.n}
}
