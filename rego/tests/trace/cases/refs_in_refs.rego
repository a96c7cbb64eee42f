# query: data.r.p; data.r.q[x]
# data: {"a": {"k1": {"v": "k2"}, "k2": {"v": "end"}}, "arr": [["x", "y"], ["z"]]}
# explain: full
package r

p := data.a[data.a[k].v].v if k := "k1"

q contains x if data.arr[i][j] = x

s := data.arr[0][1]

t := data.arr[count(data.arr[1])]
