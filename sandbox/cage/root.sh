# The first process of the namespaces: makes a root folder that contains only the system's programs,
# and enters it.
# $1: user and group of the program as uid:gid; empty for the current user
# $2: folders to hide, one per line
# $3: the launcher as a printf format, or empty
# $4: the script to run next
# then the arguments of that script.
set -eu
umask 022
user=$1 hidden=$2 launcher=$3 inside=$4
shift 4
root=/tmp
{ hostname sandbox || echo sandbox > /proc/sys/kernel/hostname; } 2>/dev/null || :
# Lets the program open /dev/stdout and /dev/stderr.
[ -z "$user" ] || chown "$user" /proc/self/fd/1 /proc/self/fd/2
# Limits the backlog of local servers: data in it counts for no process's memory.
{ echo 0 > /proc/sys/net/core/somaxconn; } 2>/dev/null || :

mount -t tmpfs -o mode=0755,size=1m,nr_inodes=4k,nosuid,nodev root "$root"
show() {
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  # Without real root, existing mount flags cannot be removed, so noatime may have to be repeated.
  mount -o remount,bind,ro,nosuid,nodev "$root$1" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev,noatime "$root$1"
}
for folder in /bin /sbin /lib /lib32 /lib64 /libx32 /usr/bin /usr/sbin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/share /usr/local/bin /usr/local/lib /etc/alternatives; do
  if [ -L "$folder" ]; then
    mkdir -p "$root${folder%/*}"
    ln -s "$(readlink "$folder")" "$root$folder"
  elif [ -d "$folder" ]; then
    show "$folder"
  fi
done
echo "$hidden" | while read -r folder; do
  [ -z "$folder" ] || [ ! -d "$root$folder" ] || mount -t tmpfs -o ro,mode=0755,size=4k hidden "$root$folder"
done

mkdir -p "$root/etc" "$root/dev" "$root/proc" "$root/tmp" "$root/workspace" "$root/program" "$root/old" "$root/jail"
[ -z "$launcher" ] || { printf "$launcher" > "$root/launcher"; chmod 0755 "$root/launcher"; }
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache "$root/etc/"
who=${user:-0:0}
echo "sandbox:x:${who%:*}:${who#*:}::/workspace:/bin/sh" > "$root/etc/passwd"
echo '127.0.0.1 localhost' > "$root/etc/hosts"
# /dev/full stands in for /dev/zero: it reads zeros too, but a program cannot map it. Memory mapped
# from /dev/zero would count for no process.
for device in null full=zero full random urandom; do
  : > "$root/dev/${device#*=}"
  mount --bind "/dev/${device%=*}" "$root/dev/${device#*=}"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
ln -s /tmp "$root/dev/shm"
for folder in tmp workspace program; do
  size=$BOX_FOLDER_MB
  [ "$folder" != program ] || size=2
  mount -t tmpfs -o "mode=0700,size=${size}m,nr_inodes=10k,nosuid,nodev${user:+,uid=${user%:*},gid=${user#*:}}" "$folder" "$root/$folder"
done
# A container may refuse this mount; most programs do not need /proc.
mount -t proc -o nosuid,nodev,noexec,subset=pid proc "$root/proc" 2>/dev/null || :

cd "$root"
pivot_root . old
cd /
umount -l /old
# In a chroot the kernel refuses new user namespaces, and so all features that need one.
mount --rbind / /jail
mount -o remount,bind,ro /jail
exec chroot /jail /bin/sh -c "$inside" sh "$@"
