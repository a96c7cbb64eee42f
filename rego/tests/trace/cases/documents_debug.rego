# query: data.docs.p[k]; k != "zz"
# data: {"docs": {"base": {"a": 1}, "p": {"y": 2}}, "system": {"s": 1}}
# explain: debug
package docs.p

x := 1

z.w := 2
