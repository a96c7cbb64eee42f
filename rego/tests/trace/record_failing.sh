#!/bin/sh
# Records the traces of tests that fail, as `opa test -v` and `opa test --explain full` of OPA 1.22 show them:
# `OPA=/path/to/opa ./record_failing.sh`. Headings and empty lines are left out.
set -eu
opa=${OPA:-opa}
cd "$(dirname "$0")"
for mode in notes_and_fails full; do
	explain=
	[ "$mode" = notes_and_fails ] || explain="--explain $mode"
	for test in test_bad test_cases; do
		# shellcheck disable=SC2086
		"$opa" test -v $explain --run "$test" failing.rego | sed -n '/^FAILURES/,$p' | sed -n 's/ *$//; /^  [a-z.-]*:[0-9][0-9]* /s/^  //p' || true
	done >"failing.$mode.txt"
done
