# input: none
# data.s: {"a":{"related_resources":[{"description":"with a fragment","ref":"http://a/?x=\u003c\u0026\u003e#%C3%A9"}],"scope":"rule"},"b":[{"path":["s","b"]},{"annotations":{"related_resources":[{"ref":"http://user:pAss@Ex%C3%A4mple.com:80/a%20b/A?q=\u003c\u0026\u003eé\u0026x=y#%C3%A9%20(x)"},{"ref":"mailto:a b"},{}],"scope":"package"},"path":["s"]}],"c":[{"ref":"http://[fe80::1%25en0]:80/x"},{"ref":"//host/%C3%A4"},{"ref":"a%3Ab/c"},{"ref":"x:/y"},{"ref":"x:///y"},{"ref":"x:"},{"ref":"/a!'()*[b]"},{"ref":"/a%22%C3%A4"},{"ref":"?"},{"ref":"/a?"},{"ref":"http://:@h"},{"ref":"http://us%C3%A4r@h"},{"ref":"*"}]}

# METADATA
# scope: package
# related_resources:
# - ref: HTTP://user:p%41ss@Exämple.com:80/a b/%41?q=<&>é&x=y#é (x)
# - ref: "mailto:a b"
# - "#"
package s

# METADATA
# related_resources:
# - ref: "http://a/?x=<&>#é"
#   description: with a fragment
a := rego.metadata.rule()

b := rego.metadata.chain()

# METADATA
# related_resources:
# - "http://[fe80::1%25en0]:80/x"
# - "//host/ä"
# - "a%3Ab/c"
# - "x:/y"
# - "x:///y"
# - "x://"
# - "/a!'()*[b]"
# - "/a\"%c3%a4"
# - "?"
# - "/a?"
# - "http://:@h"
# - "http://us%C3%A4r@h"
# - "*"
c := rego.metadata.rule().related_resources
