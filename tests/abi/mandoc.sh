#!/bin/sh
# SPDX-License-Identifier: MIT
# mandoc(1) has nothing to say about the man pages.
#
# usage: mandoc.sh MANDOC PAGE...
set -eu

mandoc=$1
shift
# Pages that refer to each other are not installed yet: STYLE does not count.
if ! "$mandoc" -T lint -W warning "$@"; then
	echo "To mend it: mandoc(1), DIAGNOSTICS, says what each message means."
	exit 1
fi
