#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/setup, and make by it, beside a made-up apt: a name that it does not know costs that package only, and without
# a network, or without being root, tests can begin all the same if what compiling needs is there.  What is missing is
# told in one line.
. "$(dirname "$0")/lib.sh"

program() {	# its text on standard input
	{ echo '#!/bin/sh'; cat; } >"$dir/$1"
	chmod 755 "$dir/$1"
}

mkdir "$dir/bin" "$dir/tools" "$dir/tests" "$dir/logs"
sed "s,/usr/sbin/policy-rc.d,$dir/policy," "$root/tools/setup" >"$dir/tools/setup"
chmod 755 "$dir/tools/setup"
cp "$root/Makefile" "$dir"
echo 'cat uid' | program bin/id
echo 'mkdir "$2" && touch "$2/build.ninja"' | program bin/meson
program bin/ninja </dev/null
echo 'echo "tests ran"' | program tests/run
program bin/dpkg-query <<'TXT'
grep -qx -e "$4" installed && echo 'install ok installed'
TXT
program bin/apt-get <<'TXT'
echo "$*" >>calls
names= simulates=
for word; do
	case $word in
	-s) simulates=yes ;;
	install|update|-*|Dpkg::*) ;;
	*) names="$names $word" ;;
	esac
done
for name in $names; do
	if grep -qx -e "$name" unknown; then
		echo "E: Unable to locate package $name" >&2
		exit 100
	fi
done
[ -z "$simulates" ] || exit 0
if [ -e offline ]; then
	for name in $names; do
		echo "E: Failed to fetch $name  Temporary failure resolving" >&2
	done
	exit 100
fi
printf '%s\n' $names >>installed
TXT

begin() {	# begin UNKNOWN INSTALLED
	cd "$dir" || exit 1
	rm -rf calls offline build logs/*
	echo 0 >uid
	printf '%s\n' $1 >unknown
	printf '%s\n' $2 >installed
}

setup() {
	env PATH="$dir/bin:$PATH" TMPDIR="$dir/logs" "$dir/tools/setup" "$@"
}

makes() {	# as somebody types it
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS PATH="$dir/bin:$PATH" TMPDIR="$dir/logs" BUILD=build make -C "$dir" --no-print-directory "$@"
}

lines() {	# how many both outputs have
	[ "$(cat "$dir/out" "$dir/err" | wc -l)" -eq "$1" ] || fail "not $1 lines"
}

has() {
	grep -qxF -e "$1" "$dir/installed" || fail "$1 is not installed"
}

build=$(sed -n 's/^build=(\(.*\))$/\1/p' "$dir/tools/setup")
[ -n "$build" ] || fail 'which packages compiling needs'

begin '' ''
expect 0 setup core
is_silent
has gcc && has redis-server && has faketime
[ "$(wc -l <calls)" -eq 1 ] || fail 'more than one call'
expect 0 setup core
[ "$(wc -l <calls)" -eq 1 ] || fail 'a call for what is there'

begin 'libmimalloc2.0 openjdk-17-jdk-headless' ''
expect 0 setup core
complains 'could not install: libmimalloc2.0 openjdk-17-jdk-headless (see '
has gcc && has redis-server && has faketime
[ ! -e "$dir/policy" ] || fail 'services are forbidden still'

begin meson ''
expect 1 setup core
has redis-server && has gcc
expect 1 setup
has ninja-build
complains 'could not install: meson (see '

# Without a network: the line names the file that has what apt said.
begin '' "$build"
touch offline
expect 0 setup core
complains 'could not install: '
grep -q '^could not install: .*redis-server' "$dir/err" || fail 'which, without a network'
log=$(sed -n 's/.*(see \(.*\))$/\1/p' "$dir/err")
grep -q 'Failed to fetch redis-server' "$log" || fail 'no log'
lines 2
begin '' ''
touch offline
expect 1 setup core
complains 'could not install: '
expect 1 setup build
complains 'could not install: '
lines 2

# Not root: one line that names the packages.
begin '' "$build"
echo 1000 >uid
expect 0 setup build
lines 0
expect 0 setup core
complains 'missing packages: apt-get install '
grep -q 'redis-server' "$dir/err" || fail 'which, when not root'
lines 1
begin '' ''
echo 1000 >uid
for kind in build core; do
	expect 1 setup $kind
	complains 'missing packages: apt-get install '
	grep -q 'gcc .*meson' "$dir/err" || fail 'which, when not root'
	lines 1
done
[ ! -e calls ] || fail 'apt was asked'

# make says no more than that, and goes on where it can.
command -v make >/dev/null || exit 0
begin '' ''
echo 1000 >uid
for target in check demo all; do
	expect 2 makes $target
	complains 'missing packages: apt-get install '
	lines 1
done
expect 0 makes -n check
! grep -q missing "$dir/err" || fail 'make -n looked'
begin '' "$build"
echo 1000 >uid
expect 0 makes check
says 'missing packages: apt-get install '
says 'tests ran'
lines 2
begin '' ''
touch offline
for target in check demo; do
	expect 2 makes $target
	grep -q 'could not install: .*gcc.*(see ' "$dir/err" || fail "make $target"
	lines 2
done
begin '' "$build"
touch offline
expect 0 makes check
says 'could not install: '
says 'tests ran'
lines 3
begin '' ''
expect 0 makes check
says 'tests ran'
lines 2
