#!/bin/sh
# Records what OPA 1.22's API says of the cases whose header has `raw`: `OPA=/path/to/opa ./record_raw.sh`. What is recorded is the
# `explanation` of `POST /v1/query?explain=full`.
set -eu
opa=${OPA:-opa}
here=$(cd "$(dirname "$0")" && pwd)
field() { sed -n "s/^# $2: //p" "$1" | head -n 1; }
for case in $(grep -l '^# raw: ' "$here"/cases/*.rego); do
	name=$(basename "$case" .rego)
	work=$(mktemp -d)
	cp "$case" "$work/$name.rego"
	cd "$work"
	input=$(field "$case" input)
	data=$(field "$case" data)
	printf '%s' "${data:-"{}"}" >data.json
	"$opa" run --server --addr "unix://$work/socket" data.json "$name.rego" >/dev/null 2>&1 &
	server=$!
	until curl -sf --unix-socket socket http://opa/health >/dev/null; do :; done
	printf '{"query": "%s"%s}' "$(field "$case" query | sed 's/"/\\"/g')" "${input:+, \"input\": $input}" >request.json
	curl -sf --unix-socket socket -d @request.json 'http://opa/v1/query?explain=full' >"$here/cases/$name.raw.json"
	kill "$server"
	cd "$here"
	rm -r "$work"
done
