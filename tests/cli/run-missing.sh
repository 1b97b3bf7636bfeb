#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that are not there (127) or cannot be run (126), each with one line; the search of PATH.
. "$(dirname "$0")/lib.sh"

expect 127 "$UPCALL" run no-such-program-here
complains 'no-such-program-here: not found'
expect 127 "$UPCALL" run ./no-such-program-here
complains './no-such-program-here: not found'
expect 127 "$UPCALL" run ''
complains 'the name of the program is empty'
expect 127 "$UPCALL" run /etc/passwd/x
complains 'Not a directory'

echo 'echo hello' >"$dir/script"
expect 126 "$UPCALL" run "$dir/script"
complains 'Permission denied'
expect 126 "$UPCALL" run "$dir"
complains 'Is a directory'
expect 126 "$UPCALL" run /dev/null
complains 'Permission denied'

# A file without a format is a shell script, as execvp has it; one with zero bytes is not.
chmod +x "$dir/script"
expect 0 "$UPCALL" run "$dir/script"
says hello
printf 'MZ\0\1\2\3' >"$dir/binary"
chmod +x "$dir/binary"
expect 126 "$UPCALL" run "$dir/binary"
complains 'neither a program nor a script'
head -c 100 "$(command -v env)" >"$dir/cut"
chmod +x "$dir/cut"
expect 126 "$UPCALL" run "$dir/cut"
complains 'a damaged program'

# #! is followed: interpreters that are missing, or that may not be run.
printf '#!/bin/sh\necho from script $0\n' >"$dir/script"
expect 0 "$UPCALL" run "$dir/script"
says "from script $dir/script"
is_silent
printf '#! /no/such/interpreter -x\n' >"$dir/script"
expect 127 "$UPCALL" run "$dir/script"
complains 'its interpreter /no/such/interpreter'
printf '#!/etc/passwd\n' >"$dir/script"
expect 126 "$UPCALL" run "$dir/script"
complains 'its interpreter /etc/passwd: Permission denied'
printf '#! \n' >"$dir/script"
expect 126 "$UPCALL" run "$dir/script"
complains 'names no interpreter'
printf '#!%s/loop\n' "$dir" >"$dir/loop"
chmod +x "$dir/loop"
expect 126 "$UPCALL" run "$dir/loop"
complains 'too many interpreters'

# PATH: a file that may not be run is passed over for one that may; an empty entry is here.
mkdir "$dir/a" "$dir/b"
echo 'echo a' >"$dir/a/tool"
printf '#!/bin/sh\necho b\n' >"$dir/b/tool"
expect 126 env PATH="$dir/a" "$UPCALL" run tool
complains 'tool: Permission denied'
chmod +x "$dir/b/tool"
expect 0 env PATH="$dir/a:$dir/b" "$UPCALL" run tool
says b
cd "$dir/b" || exit 1
expect 0 env PATH=":/nowhere" "$UPCALL" run tool
says b
exit 0
