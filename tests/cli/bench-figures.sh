#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench in a build folder of its own, where the programs are made up: what is compared and drawn
# together, and where remarks go.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'
mkdir -p "$dir/b/cli" "$dir/b/bench" "$dir/b/src" "$dir/tmp" || exit 1
cp "$UPCALL" "$dir/b/cli/upcall" && cp "$BUILD/src/libupcall-pthread.so" "$dir/b/src/" || exit 1
export TMPDIR="$dir/tmp"
program() {	# FILE COMMAND: a program of this shell command
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

# A ratio, and a group of bars, is of figures of one benchmark and unit; a ratio that is no number is left out.
# (Upcall's own runs fail here: they make no thread.)
for name in micro latency; do
	program "$dir/b/bench/$name" 'echo "- 10 ns"'
done
program "$dir/peer" 'echo "- 4 ns"'
program "$dir/other" 'echo "- 5 us"'
program "$dir/tiny" 'echo "- 1e-310 ns"'
program "$dir/last" 'echo "- 20 ns"'
expect 1 "$dir/b/cli/upcall" bench --runs=1 --quick --json --svg="$dir/chart.svg" \
	--peers="$dir/peer,$dir/other,$dir/tiny,$dir/last" micro/yield latency/yield
python3 - "$dir" <<'X' || fail 'the ratios or the groups'
import json, sys, xml.etree.ElementTree as tree
dir = sys.argv[1]
ratios = {r["system"]: r["ratio_to"] for r in json.load(open(dir + "/out")) if r["bench"] == "micro"}
assert ratios == {"glibc": {}, "peer": {"glibc": 0.4}, "other": {}, "tiny": {"glibc": 1e-311, "peer": 2.5e-311},
                  "last": {"glibc": 2, "peer": 5}}, ratios
texts = [e.text for e in tree.parse(dir + "/chart.svg").iter("{http://www.w3.org/2000/svg}text")]
assert texts.count("micro yield") == 2 and texts.count("latency yield") == 1, texts
X
# Each row has the remarks on it; where there is no figure, a remark has a row of its own.
program "$dir/b/bench/micro" '[ "$1" = lock ] || { echo "note not \"here\""; exit 77; }; echo "- 10 ns"; echo "note some"; echo "note more"'
program "$dir/other" 'echo "p50 5 us"; echo "p99 6 us"; echo "note $1"'
expect 1 "$dir/b/cli/upcall" bench --runs=2 --quick --json --peers="$dir/peer,$dir/other" micro/yield micro/lock
python3 - "$dir" <<'X' || fail 'the remarks'
import json, sys
rows = json.load(open(sys.argv[1] + "/out"))
assert len({tuple(r) for r in rows}) == 1, rows
notes = {(r["case"], r["system"]): r["notes"] for r in rows}
assert notes == {("lock", "glibc"): ["some", "more"], ("lock", "peer"): [], ("yield", "peer"): [],
    ("lock p50", "other"): ["lock"], ("lock p99", "other"): ["lock"], ("yield p50", "other"): ["yield"],
    ("yield p99", "other"): ["yield"], ("yield", "glibc"): ['not "here"'], ("yield", "upcall"): ['not "here"']}, notes
assert len(rows) == len(notes)
for r in rows:
    assert (r["runs"], r["unit"], r["median"], r["deviation_percent"]) == (0, None, None, None) or \
        (r["runs"], r["deviation_percent"]) == (2, 0), r
X

# Who lets a thread have less than a quarter of the mean, in any run, is told of; a quarter is fair.
program "$dir/b/bench/micro" '
	share=0.9
	[ -e "$BENCH_WORK/again" ] || share=0.03
	: >"$BENCH_WORK/again"
	echo "- 10 Mop/s"; echo "least $share of-mean"'
program "$dir/fair" 'echo "- 10 Mop/s"; echo "least 0.25 of-mean"'
program "$dir/unfair" 'echo "- 10 Mop/s"; echo "least 0 of-mean"'
expect 1 "$dir/b/cli/upcall" bench --runs=3 --quick --no-pin micro/contended
says '(contended on glibc: unfair: in 1 of 3 runs a thread got less than 0.25 of the mean, 0.03 at the least)'
expect 1 "$dir/b/cli/upcall" bench --runs=2 --quick --no-pin --json --peers="$dir/fair,$dir/unfair" micro/contended
python3 - "$dir" <<'X' || fail 'who is unfair'
import json, sys
notes = {r["system"]: r["notes"] for r in json.load(open(sys.argv[1] + "/out")) if r["case"] == "contended least"}
assert notes["fair"] == [], notes
assert notes["unfair"] == ["unfair: in 2 of 2 runs a thread got less than 0.25 of the mean, 0 at the least"], notes
X

# Bounds are judged, of a figure, of its ratio to another system's or to the best peer's, and of how much it is above,
# and are no failures; whom there is no figure of is named once.
program "$dir/b/bench/micro" 'echo "- 10 ns"'
program "$dir/tiny" 'echo "- 10 ns"'
program "$dir/other" 'echo "- 20 ns"
for b in "25 ns at-most" "15 ns at-least glibc" "2 ns at-most glibc" "1 ns at-most nobody" "20.1 ns at-least" "5 ns at-best" \
	"10 ns at-most above glibc" "9.9 ns at-most above glibc" "11 ns at-least above glibc" "9 ns at-most above nobody" \
	"9 ns at-most above" "4 ns at-most peers" "2.5 ns at-least peers" "1000 ns at-most above peers"
do echo "bound - $b"; done'
expect 1 "$dir/b/cli/upcall" bench --runs=2 --quick --peers="$dir/other,$dir/peer,$dir/tiny" micro/yield
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail 'another failure than of upcall'
says '2 of glibc; at most 25: held; at least 15 of glibc: missed; at most 2 of glibc: held; at least 20.1: missed; at most 10 above glibc (is 10): held; at least 11 above glibc (is 10): missed; at most 4 of the best peer: missed; at least 2.5 of the best peer: missed; at most 1,000 above the best peer (is 16): held'
says '(not judged, for want of figures of: nobody)'
[ "$(grep -c nobody "$dir/out")" -eq 1 ] || fail 'nobody is named twice'
expect 1 "$dir/b/cli/upcall" bench --runs=2 --quick --json --peers="$dir/other,$dir/peer,$dir/tiny" micro/yield
python3 - "$dir" <<'X' || fail 'the bounds'
import json, sys
bounds = {r["system"]: r["bounds"] for r in json.load(open(sys.argv[1] + "/out"))}
assert bounds == {"glibc": [], "peer": [], "tiny": [], "other": [
    {"at_most": 25, "of": None, "is": 20, "held": True}, {"at_least": 15, "of": "glibc", "is": 2, "held": False},
    {"at_most": 2, "of": "glibc", "is": 2, "held": True}, {"at_most": 1, "of": "nobody", "is": None, "held": None},
    {"at_least": 20.1, "of": None, "is": 20, "held": False},
    {"at_most": 10, "above": "glibc", "is": 10, "held": True}, {"at_least": 11, "above": "glibc", "is": 10, "held": False},
    {"at_most": 9, "above": "nobody", "is": None, "held": None}, {"at_most": 4, "of": "peers", "is": 5, "held": False},
    {"at_least": 2.5, "of": "peers", "is": 2, "held": False}, {"at_most": 1000, "above": "peers", "is": 16, "held": True}]}, bounds
X

# One that is missed leaves the exit status alone.
program "$dir/b/bench/micro" '[ "$3" = glibc ] || { echo "note not here"; exit 77; }; echo "- 10 ns"'
expect 0 "$dir/b/cli/upcall" bench --runs=1 --quick --peers="$dir/other" micro/yield
is_silent
says 'at least 15 of glibc: missed'
program "$dir/b/bench/micro" 'echo "- 10 ns"'

# Each system of a group has a colour of its own.
program "$dir/b/bench/micro" 'echo "- 10 ns"'
list=
for i in $(seq 16); do
	cp "$dir/peer" "$dir/peer$i"
	list=$list,$dir/peer$i
done
expect 1 "$dir/b/cli/upcall" bench --runs=1 --quick --svg="$dir/chart.svg" --peers="${list#,}" micro/yield
[ "$(grep -o 'fill="#[0-9a-f]*"' "$dir/chart.svg" | sort -u | wc -l)" -eq 17 ] || fail 'colours come again'

[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
exit 0
