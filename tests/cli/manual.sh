#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual and the help text name the same options, commands and features; mdoc has no errors.
. "$(dirname "$0")/lib.sh"
man=$root/man

for command in run features ps stack stats top bench; do
	expect 0 "$UPCALL" $command --help
	for option in $(grep -oE -e '--[a-z-]+' "$dir/out" | sort -u); do
		grep -qE "Fl -${option#--}( |\$)" "$man/upcall-$command.1" ||
			fail "upcall-$command.1 lacks $option"
	done
done
expect 0 "$UPCALL" --help
for command in $(sed -n 's/^  \([a-z]*\) .*/\1/p' "$dir/out"); do
	grep -qx ".It Ic $command" "$man/upcall.1" || fail "upcall.1 lacks $command"
done
expect 0 "$UPCALL" features
for feature in $(sed '1d; /^$/,$d; s/ .*//' "$dir/out"); do
	grep -qE "^\.It .*\<$feature\>" "$man/upcall-features.1" || fail "upcall-features.1 lacks $feature"
done
for name in $(grep -ohE '\<upcall_[a-z_]+\(' "$root"/include/upcall/upcall.h "$root"/include/upcall/policy.h | tr -d '(' | sort -u); do
	grep -qE "^\.Nm $name( |\$)" "$man"/*.3 || fail "no page for $name"
done
if command -v mandoc >/dev/null; then
	mandoc -T lint -W error "$man"/*.[137] >"$dir/out" 2>"$dir/err" || fail 'mandoc'
fi
exit 0
