# query: 1 == 2
# explain: full fails debug
package q
