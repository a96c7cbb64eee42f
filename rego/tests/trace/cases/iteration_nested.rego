# query: data.t.r
# data: {"sites": [{"name": "p", "servers": [{"n": "a"}, {"n": "b"}]}, {"name": "q", "servers": []}]}
# explain: full debug
package t

r contains [s, v] if {
	site := data.sites[_]
	s := site.name
	v := site.servers[_].n
}
