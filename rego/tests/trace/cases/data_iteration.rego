# query: data.fleet[region][name].ready = ready
# data: {"fleet": {"eu": {"one": {"ready": true}}, "us": {"two": {"ready": false}, "three": {}}}}
# explain: full debug
package fleet.ap

four.ready := true

five := {"ready": false}
