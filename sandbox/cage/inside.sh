# Unpacks the files, runs the program, kills the processes that the program left running (see $5),
# and returns the exit code and, if requested, the files.
# Input: a tar archive on descriptor 3.
# Output on descriptor 4: the line "exit <code>", then an archive if files are requested, then the
# line "over". Only "missing" if there is no interpreter, only "unpack" if unpacking failed.
# When descriptor 5 is closed, the service has ended: the whole process group is killed.
# $1: the folder of workspace, program and tmp
# $2: interpreters in order of preference
# $3: "keep" if the files are requested
# $4: commands that set the limits of the program
# $5: command that kills the program's processes, or ":" where the service kills them
# then the command that wraps both the unpacking and the program.
set -u
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
at=$1 interpreters=$2 keep=$3 limits=$4 reap=$5
shift 5

(read -r _ <&5; kill -KILL 0) 3<&- 4>&- > /dev/null 2>&1 &
tether=$!

found=
for name in $interpreters; do
  found=$(command -v "$name") && break
done
[ -n "$found" ] || { echo missing >&4; kill -KILL "$tether"; exit 0; }
"$@" tar -x -o -f - -C "$at/" <&3 4>&- 5<&- || { echo unpack >&4; kill -KILL "$tether"; exit 0; }

cd "$at/workspace"
"$@" /bin/sh -c "$limits; exec nice -n 10 \"\$@\"" sh \
  env -i PATH=/usr/local/bin:/usr/bin:/bin "HOME=$at/workspace" "PWD=$at/workspace" "TMPDIR=$at/tmp" LANG=C.UTF-8 "PYTHONPATH=$at/workspace" PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=2 \
  "$found" "$at/program/main" 3<&- 4>&- 5<&-
code=$?

eval "$reap" 2> /dev/null
kill -KILL "$tether" 2> /dev/null
echo "exit $code" >&4
[ -z "$keep" ] || tar -c -f - -C "$at/workspace" . >&4 2> /dev/null
echo over >&4
