# SPDX-License-Identifier: MIT
# Sourced by .ci/run and .ci/nightly: steps, their seconds, and one table at the end.
#
#     step NAME COMMAND...    run a step; a failure ends the script
#     check NAME COMMAND...   run a step; a failure is noted, and the script goes on
#     table                   print the table; fail if a step has failed
#
# A step's output goes to build-ci/log/NAME and is shown if the step fails.
# shellcheck shell=bash

mkdir -p build-ci/log
# A file, so that steps which run beside others are in the table too.
rows=build-ci/log/table
: >$rows
failed=

# run_step NAME COMMAND...: in a subshell of its own, so that -e holds in functions.
run_step() {
	local name=$1 log=build-ci/log/${1//[^a-zA-Z0-9.-]/-} begin=$SECONDS
	local verdict=passed status=0
	shift
	printf '== %s\n' "$name"
	set +e
	(set -e; "$@") >"$log" 2>&1 </dev/null
	status=$?
	set -e
	if [ $status != 0 ]; then
		verdict="FAILED ($status)"
		failed=1
		tail -n 200 "$log"
	else
		grep -E '^(bench |[0-9]+ passed|(Ok|Fail|Timeout|Skipped): |(lines|branches): |wheel |fuzz )' \
			"$log" || true
	fi
	printf '%-52s %6d  %s\n' "$name" $((SECONDS - begin)) "$verdict" >>$rows
	return $status
}

step() {
	run_step "$@" || { table || true; exit 1; }
}

check() {
	run_step "$@" || true
}

table() {
	printf '\n%-52s %6s  %s\n' step seconds verdict
	cat $rows
	printf '%-52s %6d\n' all $SECONDS
	[ -z "$failed" ]
}

# no_skip COMMAND...: pytest and Meson count what they skip; that is a failure here.
no_skip() {
	local log status=0
	log=$(mktemp)
	"$@" 2>&1 | tee "$log" || status=$?
	if grep -qE '^Skipped: +[1-9]|[0-9]+ skipped' "$log"; then
		echo "a test was skipped"
		status=1
	fi
	rm "$log"
	return $status
}
