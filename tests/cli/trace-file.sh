#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# upcall trace: the file of a known program, checked against the viewer's format and the program; the
# picture and the sums are the same made of the file as made at once.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traced.lib"
traced_build

expect 3 "$UPCALL" trace -o "$dir/t.json" --svg="$dir/t.svg" --json -- "$dir/traced" 1000 4 "$dir/lock"
is_silent
grep -qx 'done' "$dir/out" || fail 'the output of the program is not there'
sed -i 1d "$dir/out"
cp "$dir/out" "$dir/sums"
python3 "$here/trace-check.py" "$dir/t.json" "$dir/sums" || fail 'see above'

# Again from the file: nothing is lost in it.
expect 0 "$UPCALL" trace -i "$dir/t.json" -o "$dir/t2.json" --svg="$dir/t2.svg" --json
is_silent
cmp -s "$dir/out" "$dir/sums" || fail 'other sums from the file'
cmp -s "$dir/t.svg" "$dir/t2.svg" || fail 'another picture from the file'
cmp -s "$dir/t.json" "$dir/t2.json" || fail 'another file from the file'

# A tool may have written it anew.
python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1])), open(sys.argv[2], "w"), indent=1)' \
	"$dir/t.json" "$dir/pretty.json"
expect 0 "$UPCALL" trace -i "$dir/pretty.json" --json
cmp -s "$dir/out" "$dir/sums" || fail 'other sums from the file written anew'

expect 0 "$UPCALL" trace -i "$dir/t.json" --summary
says 'mutex hot_lock'
says 'cond turn_cond'
says 'From ready to running'
grep -Eq '^  flock +1 +([0-9]{3}ms|[0-9.]+s)' "$dir/out" || fail 'flock did not take 300 ms'

# Where nothing is recorded, no file is left; a program that is not there is said once.
mkdir "$dir/empty"
cd "$dir/empty" || exit 1
expect 127 "$UPCALL" trace ./none
complains './none: not found'
expect 126 "$UPCALL" trace "$dir"
complains 'Is a directory'
expect 0 "$UPCALL" trace --svg=x.svg -o x.json true
complains 'true ended before it started a thread'
[ -z "$(ls)" ] || fail "left: $(ls)"
expect 1 "$UPCALL" trace -o none/x.json true
complains 'none/x.json: No such file'
cd / || exit 1

# What is no trace is said in a line.
echo '{"traceEvents": []}' >"$dir/no.json"
expect 1 "$UPCALL" trace -i "$dir/no.json" --summary
complains 'is no trace of upcall'

# Nor does one that lies end the tool.
lies() {	# STATUS EVENT [VPROCS]
	printf '{"otherData":{"upcall":1,"command":"x","pid":1,"vprocs":%s,"length_ns":%s,"events":1,"lost":0},
"traceEvents":[%s]}' "${3-2}" "${4-1000}" "$2" >"$dir/lies.json"
	expect "$1" timeout 20 "$UPCALL" trace -i "$dir/lies.json" --summary --svg="$dir/lies.svg" -o "$dir/again.json"
}
span='{"ph":"X","pid":2,"tid":%s,"ts":%s,"dur":0.1,"args":{"state":"%s","vproc":0}}'
lies 1 "$(printf "$span" 0 1 ready)"
complains 'is of no thread'
lies 0 "$(printf "$span" 1 99999999999 running)"
lies 1 "$(printf "$span" 1 1 running)" 4000000000
complains 'too many vprocs'
lies 0 "$(printf "$span" 1 1 running)" 2 9223372036854775808
lies 1 '{"ph":"X","pid":2,"tid":1,"ts":18446744073709551,"dur":9446744073709551,"args":{"state":"ready"}}'
complains 'too large'
lies 0 "$(for i in $(seq 2000); do printf "$span," $i 1 parked; done)"
lies 0 '{"ph":"X","pid":1,"tid":0,"ts":1,"dur":1,"args":{"idle":"a\"b"}}'
python3 -m json.tool "$dir/again.json" >/dev/null || fail 'a cause of idleness is not escaped'
head -c 5000 "$dir/t.json" >"$dir/cut.json"
expect 1 "$UPCALL" trace -i "$dir/cut.json" --summary
complains 'is no trace of upcall'
exit 0
