# The first process of a runner's namespaces: makes a root folder of nothing but the files that are named, read-only, and runs the rest in it.
# $1: the files, one a line · $2: their folders · neither with white space in a path · $3: what sets the limits · then the command, which is started inside.
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
files=$1 folders=$2 limits=$3
shift 3
# A folder that every system has and no program lies in.
root=/sys
mount -t tmpfs -o mode=0755,size=256k,nr_inodes=256,nosuid,nodev root "$root"
cd "$root"
umask 022
mkdir -p $folders
umask 077
: > .mounts
umask 022
for file in $files; do
  : > ".$file"
  echo "$file $root$file none bind,ro,nosuid,nodev 0 0"
done > .mounts
mount -a -T .mounts
# Where we are not really root, the runner has the user id that made the folder.
mount -o remount,bind,ro,nosuid,nodev "$root" 2> /dev/null || :
{ echo sandbox > /proc/sys/kernel/hostname; } 2> /dev/null || :
eval "$limits"
unset PWD OLDPWD SHLVL
exec "$(command -v chroot)" "$root" "$@"
