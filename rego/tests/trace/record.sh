#!/bin/sh
# Records what OPA 1.22 says of the cases beside this script: `OPA=/path/to/opa ./record.sh [NAME...]`.
# A case is a module with a header: `query`, and perhaps `input`, `data`, `file` (under which name it is read), `v0`; `explain` names
# the modes. With `profile`, what `opa eval --profile` counts is recorded, too, without the times. What is recorded is what `opa eval --explain=MODE --format pretty` prints before the result.
set -eu
opa=${OPA:-opa}
here=$(cd "$(dirname "$0")" && pwd)
field() { sed -n "s/^# $2: //p" "$1" | head -n 1; }
cd "$here/cases"
[ $# -gt 0 ] || set -- $(ls -- *.rego | sed 's/\.rego$//')
for name; do
	work=$(mktemp -d)
	case=$here/cases/$name.rego
	file=$(field "$case" file)
	file=${file:-$name.rego}
	mkdir -p "$work/$(dirname "$file")"
	cp "$case" "$work/$file"
	cd "$work"
	set -f
	options="--format pretty"
	[ -z "$(field "$case" v0)" ] || options="$options --v0-compatible"
	input=$(field "$case" input)
	data=$(field "$case" data)
	[ -z "$input" ] || { printf '%s' "$input" >input.json && options="$options --input input.json"; }
	[ -z "$data" ] || { printf '%s' "$data" >data.json && options="$options --data data.json"; }
	query=$(field "$case" query)
	# shellcheck disable=SC2086
	plain=$("$opa" eval $options --data "$file" "$query" 2>/dev/null || true)
	for mode in $(field "$case" explain); do
		# shellcheck disable=SC2086
		traced=$("$opa" eval $options --data "$file" --explain "$mode" "$query" 2>/dev/null || true)
		printf '%s' "${traced%"$plain"}" >"$here/cases/$name.$mode.txt"
	done
	if [ -n "$(field "$case" profile)" ]; then
		# shellcheck disable=SC2086
		counted=$("$opa" eval $options --format json --data "$file" --profile-limit 1000 --profile-sort file --profile-sort line "$query")
		printf '%s\n' "$counted" | sed -n '1p; /^  "profile"/,/^  ]/p; $p' | sed '/"total_time_ns"/d; s/^  ],/  ]/' \
			>"$here/cases/$name.profile.json"
	fi
	set +f
	cd "$here/cases"
	rm -r "$work"
done
