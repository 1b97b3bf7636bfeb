#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual and the help text name the same options, commands and features, and the manual whatever the headers
# declare; mdoc has no errors.
. "$(dirname "$0")/lib.sh"
man=$root/man

for command in run features ps stack stats top trace bench advise; do
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
# What the code looks for in UPCALL_DISABLE, what the command accepts in it, and what the manual has.
{
	grep -rhoE 'probe_is_disabled\(disabled, "[a-z_]+"' "$root/src" | sed 's/.*, "//; s/"//'
	grep -rhoE 'switch_name = "[a-z_]+"' "$root/src" | sed 's/.*= "//; s/"//'
} | sort -u >"$dir/read"
expect 125 env UPCALL_DISABLE='?' "$UPCALL" run true
sed "s/.* some of //; s/, not '?'.*//; s/, /\n/g" "$dir/err" | sort >"$dir/accepted"
sed -n '/^\.It Ev UPCALL_DISABLE/,/^\.It/s/^\.Cm \(.* , .*\) \.$/\1/p' "$man/upcall-run.1" | sed 's/ , /\n/g' | sort >"$dir/listed"
cmp -s "$dir/read" "$dir/accepted" || fail "UPCALL_DISABLE: accepted is not what is read: $(tr '\n' ' ' <"$dir/accepted")"
cmp -s "$dir/read" "$dir/listed" || fail "UPCALL_DISABLE: upcall-run.1 lists $(tr '\n' ' ' <"$dir/listed")"
# Each variable that is read is in a page, but for those by which one program of ours tells another what it was started
# with (upcall-look), and the one of builds that make bad luck, which nobody installs (src/base/inject.h).
n=0
for variable in $(grep -rhoE '"UPCALL_[A-Z_]+"' "$root/src" "$root/cli" | tr -d '"' | sort -u); do
	n=$((n + 1))
	case $variable in
	UPCALL_LOOK_COMMAND | UPCALL_LOOK_PRELOAD | UPCALL_INJECT) continue ;;
	esac
	grep -qE "^\.(It )?Ev (.* )?$variable( |\$)" "$man"/*.[1378] || fail "no page names $variable"
done
[ $n -ge 13 ] || fail "only $n variables"
# A word that is none switches nothing off, and tests/run's mode would test nothing.
for word in $(sed -n 's/^fallbacks=//p' "$root/tests/run" | tr , ' '); do
	grep -qx "$word" "$dir/read" || fail "tests/run: the fallback '$word'"
done
# The kinds of waits, in their order.
n=0
for kind in $(sed -n '/^enum wait_kind {/,/};/s/WAIT_//gp' "$root/src/thread/thread.h" | tr -d ','); do
	[ $n -eq 0 ] || grep -qE "(^|[ ,(])$n [a-z]" "$man/upcall-probes.7" || fail "upcall-probes.7 lacks the kind $n, $kind"
	n=$((n + 1))
done
[ $n -gt 16 ] || fail "only $n kinds of waits"
# What the table that tools read has, by its own source.
n=0
for name in $(sed -n '/^static struct upcall_entry entries/,/^};/p' "$root/src/trace/page.c" |
	grep -oE '(FIELD|SIZE)\([^)]*\)|(GLOBAL|VALUE|COUNTER|GAUGE)\("[^"]*"|\{ "[^"]*"' |
	sed -E 's/^(FIELD|SIZE)\(//; s/, /./; s/\)$//; s/^[^"]*"//; s/"$//; s/ /_/g'); do
	grep -qE "^\.(It|Li) .*\<$(echo "$name" | sed 's/_/[_ ]/g; s/\./\\./g')( |\$)" "$man/upcall-page.7" ||
		grep -qE "^\.Pq .*\<$name\>" "$man/upcall-page.7" || fail "upcall-page.7 lacks $name"
	n=$((n + 1))
done
[ $n -ge 140 ] || fail "only $n names in the table"
# Each header is installed, and has a page; each of its functions has one, by its own name or by a link.
cd "$root/include/upcall" || exit 1
for header in *.h *.hpp; do
	grep -qF "include/upcall/$header'" "$root/meson.build" "$root/src/meson.build" || fail "$header is not installed"
	grep -qxF ".In upcall/$header" "$man"/*.[37] || fail "no page for $header"
done
n=0
for name in $(grep -ohE '\<upcall_[a-z_]*[a-z]\(' ./*.h | tr -d '(' | sort -u); do
	grep -qE "^\.Nm $name( |\$)" "$man"/*.[37] || fail "no page for $name"
	[ -f "$man/$name.3" ] || grep -qF "'${name#upcall_}'" "$man/meson.build" || fail "no link for $name"
	n=$((n + 1))
done
[ $n -ge 100 ] || fail "only $n functions"
# Each enumerator, macro and field is named by a page of its header.  Those that end in an underscore are nobody's.
without_comments() {
	tr -s '\t\n' '  ' <"$1" | sed -E 's,/\*[^*]*\*+([^/*][^*]*\*+)*/, ,g'
}
constants() {	# HEADER
	without_comments "$1" | grep -oE '\<enum( [a-z_]+)? \{[^}]*\}' | sed 's/^[^{]*{//; s/}//; s/=[^,]*//g' | tr ', ' '\n\n'
	sed -nE 's/^#define ([A-Za-z0-9_]+).*/\1/p' "$1" | grep -v '_H$'
}
fields() {	# HEADER
	without_comments "$1" | grep -oE '\<struct [a-z_]*[a-z] \{[^}]*\}' | sed -E 's/^[^{]*\{//; s/\}//' | tr ';' '\n' |
		sed -E 's/\[[^]]*\]//g; s/\(\*([a-z_]+)\)\(.*\)/ \1/' | tr ',' '\n' | grep -oE '[a-z_]+ *$' |
		grep -vxE ' *(opaque|spare|padding) *'
}
n=0
for header in *.h; do
	pages=$(grep -lxF ".In upcall/$header" "$man"/*.[37])
	for name in $(constants "$header" | grep -v '_$'); do
		grep -qE "(^|[ (])$name([ ,.:;)]|\$)" $pages || fail "no page of $header names $name"
		n=$((n + 1))
	done
	for name in $(fields "$header"); do
		grep -qE "^\.(It|Va|Fa|Pq Va) .*\<$name( |\$)" $pages || fail "no page of $header names the field $name"
		n=$((n + 1))
	done
done
[ $n -ge 270 ] || fail "only $n enumerators, macros and fields"
# The functions of the other interfaces are in their pages, with links of their own section, and nothing else is.
# A name that ends in an underscore is nobody's.
for page in thread myth; do
	sed -n 's/^.*static inline .*\<\([a-z_]*[a-z]\)(.*/\1/p' $page.h | sort -u >"$dir/names"
	sed -n 's/^\.Fn \([a-z_]*\) .*/\1/p' "$man/upcall-$page.3" | grep -E '^(thr?|mutex|cond|rw|rwlock|sema)_' | sort -u >"$dir/in-page"
	cmp -s "$dir/names" "$dir/in-page" ||
		fail "upcall-$page.3 and $page.h: $(diff "$dir/names" "$dir/in-page" | grep '^[<>]' | tr '\n' ' ')"
	for name in $(cat "$dir/names"); do
		grep -qxE "\.Nm $name( ,)?" "$man/upcall-$page.3" || fail "upcall-$page.3 is not named $name"
		sed -n "/'upcall-$page': \[/,/\]/p" "$man/meson.build" | grep -qF "'$name'" || fail "no link for $name"
	done
done
for name in $(sed -n 's/^\(template <class T> \)\{0,1\}class \([a-z_]*\) .*/\2/p' upcall.hpp); do
	grep -qE "^\.It .*\<$name\>" "$man/upcall.hpp.3" || fail "upcall.hpp.3 lacks $name"
done
cd "$root" || exit 1
if command -v mandoc >/dev/null; then
	mandoc -T lint -W error "$man"/*.[1378] >"$dir/out" 2>"$dir/err" || fail 'mandoc'
fi
exit 0
