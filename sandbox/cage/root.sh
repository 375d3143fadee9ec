# The first process of the namespaces. It makes a root folder that holds the system's programs and nothing else of this machine, and goes into it.
# $1: the program's user and group as uid:gid, empty for the one that there is · $2: folders to hide, one a line · $3: the script that goes on · then its arguments.
set -eu
umask 022
user=$1 hidden=$2 inside=$3
shift 3
root=/tmp
{ hostname sandbox || echo sandbox > /proc/sys/kernel/hostname; } 2>/dev/null || :
# So that /dev/stdout and /dev/stderr can be opened by the program.
[ -z "$user" ] || chown "$user" /proc/self/fd/1 /proc/self/fd/2

mount -t tmpfs -o mode=0755,size=1m,nr_inodes=4k,nosuid,nodev root "$root"
show() {
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  # Flags that the folder was mounted with cannot be taken away where we are not really root.
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
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache "$root/etc/"
who=${user:-0:0}
echo "sandbox:x:${who%:*}:${who#*:}::/workspace:/bin/sh" > "$root/etc/passwd"
for device in null zero full random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
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
# Inside a container it may be refused; most programs live without it.
mount -t proc -o nosuid,nodev,noexec,subset=pid proc "$root/proc" 2>/dev/null || :

cd "$root"
pivot_root . old
cd /
umount -l /old
# Below a root that is not the namespace's own, nobody can make a user namespace, and with it nothing of the kernel that needs one.
mount --rbind / /jail
mount -o remount,bind,ro /jail
exec chroot /jail /bin/sh -c "$inside" sh "$@"
