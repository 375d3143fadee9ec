# Unpacks the files, runs the program, ends what it left running, and hands back its exit code and, when asked, its files.
# In: an archive on 3. Out, on 4: one line ("missing", "unpack" or "exit <code>"), then an archive, then "over". The end of 5 is the end of the service: then everything ends.
# $1: the folder that workspace, program and tmp are in · $2: interpreters, the first that there is · $3: "keep" when the files are wanted ·
# $4: what sets the limits of the program · $5: what ends its processes · then the command under which it and the unpacking run.
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
  env -i PATH=/usr/local/bin:/usr/bin:/bin "HOME=$at/workspace" "PWD=$at/workspace" "TMPDIR=$at/tmp" LANG=C.UTF-8 "PYTHONPATH=$at/workspace" PYTHONDONTWRITEBYTECODE=1 \
  "$found" "$at/program/main" 3<&- 4>&- 5<&-
code=$?

eval "$reap" 2> /dev/null
kill -KILL "$tether" 2> /dev/null
echo "exit $code" >&4
[ -z "$keep" ] || tar -c -f - -C "$at/workspace" . >&4 2> /dev/null
echo over >&4
