#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/setup as root, beside a made-up apt: a name that it does not know costs that package only, and without a
# network, tests can begin all the same if what compiling needs is there.
. "$(dirname "$0")/lib.sh"

program() {	# its text on standard input
	{ echo '#!/bin/sh'; cat; } >"$dir/$1"
	chmod 755 "$dir/$1"
}

mkdir "$dir/bin" "$dir/tools"
sed "s,/usr/sbin/policy-rc.d,$dir/policy," "$root/tools/setup" >"$dir/tools/setup"
chmod 755 "$dir/tools/setup"
echo 'echo 0' | program bin/id
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
[ ! -e offline ] || exit 100
printf '%s\n' $names >>installed
TXT

begin() {	# begin UNKNOWN INSTALLED
	cd "$dir" || exit 1
	rm -f calls offline
	printf '%s\n' $1 >unknown
	printf '%s\n' $2 >installed
}

setup() {
	env PATH="$dir/bin:$PATH" "$dir/tools/setup" "$@"
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
grep -qxF 'could not install: libmimalloc2.0 openjdk-17-jdk-headless' "$dir/err" || fail 'which'
has gcc && has redis-server && has faketime
[ ! -e "$dir/policy" ] || fail 'services are forbidden still'

begin meson ''
expect 1 setup core
has redis-server && has gcc
expect 1 setup
has ninja-build
grep -qxF 'could not install: meson' "$dir/err" || fail 'which'

begin '' "$build"
touch offline
expect 0 setup core
grep -q '^could not install: .*redis-server' "$dir/err" || fail 'which, without a network'
begin '' ''
touch offline
expect 1 setup core
expect 1 setup build
