# query: data.docs[k]; k != "zz"
# data: {"docs": {"base": {"a": 1}, "p": {"y": 2}}, "system": {"s": 1}}
# explain: full
package docs.p

x := 1

z.w := 2
