# The first process of a runner's namespaces: makes a read-only root folder with only the given
# files, and runs a command in it.
# $1: the files, one per line (no path contains white space)
# $2: the folders of the files
# $3: commands that set the limits
# $4: the launcher as a printf format, or empty
# then the command to run.
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
files=$1 folders=$2 limits=$3 launcher=$4
shift 4
# /sys exists on every system and contains no program.
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
[ -z "$launcher" ] || { printf "$launcher" > launcher; chmod 0755 launcher; }
mount -a -T .mounts
# Without real root, the runner's user owns the folder, so it must become read-only.
mount -o remount,bind,ro,nosuid,nodev "$root" 2> /dev/null || :
{ echo sandbox > /proc/sys/kernel/hostname; } 2> /dev/null || :
eval "$limits"
unset PWD OLDPWD SHLVL
exec "$(command -v chroot)" "$root" "$@"
