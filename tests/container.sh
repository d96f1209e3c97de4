#!/usr/bin/env bash
# Is what .devcontainer/Containerfile says enough? For machines without a
# container engine: its steps run by chroot in an empty system, then make runs
# there on a copy of the tree, as the container's user.
#
#   debootstrap --variant=minbase bookworm ROOT
#   tests/container.sh ROOT                  the steps
#   tests/container.sh ROOT make quickstart  a command, in the copy
#
# Needs root. The mounts are the command's own and end with it: /dev/shm is
# as small as engines make it, and /proc shows no other process.
set -euo pipefail
[ $# -ge 1 ] && [ "$(id -u)" -eq 0 ] && [ -x "$1/bin/sh" ] || {
    echo "usage: tests/container.sh ROOT [COMMAND...], as root;" \
        "ROOT is a system as debootstrap makes it"
    exit 2
}
root=$(cd "$1" && pwd) tree=$(cd "$(dirname "$0")/.." && pwd)
shift
file=$tree/.devcontainer/Containerfile
context=$tree/common

# within USER FOLDER COMMAND...: the command in the root
within() {
    ROOT=$root unshare --mount --pid --fork sh -e -c '
        mount -t proc proc "$ROOT/proc"
        mount --rbind /sys "$ROOT/sys"
        mount -t tmpfs tmpfs "$ROOT/dev"
        for d in null zero full random urandom tty; do
            touch "$ROOT/dev/$d"
            mount --bind "/dev/$d" "$ROOT/dev/$d"
        done
        mkdir "$ROOT/dev/shm"
        mount -t tmpfs -o size=64m tmpfs "$ROOT/dev/shm"
        mkdir "$ROOT/dev/pts"
        mount -t devpts -o newinstance,ptmxmode=666 devpts "$ROOT/dev/pts"
        ln -s pts/ptmx "$ROOT/dev/ptmx"
        ln -s /proc/self/fd "$ROOT/dev/fd"
        user=$1 folder=$2
        shift 2
        [ "$user" = root ] && home=/root || home=/home/$user
        exec chroot "$ROOT" setpriv --reuid "$user" --regid "$user" \
            --init-groups --no-new-privs env -i HOME="$home" USER="$user" \
            PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
            sh -c "cd $folder && exec \"\$@\"" sh "$@"
    ' sh "$@"
}

user=root folder=/
while read -r word rest; do
    case $word in
    '' | '#'* | ARG | FROM | CMD) ;;
    COPY) [ $# -gt 0 ] || cp "$context/${rest% *}" "$root$folder/${rest#* }" ;;
    RUN) [ $# -gt 0 ] || within "$user" "$folder" sh -c "$rest" ;;
    USER) user=$rest ;;
    WORKDIR)
        folder=$rest
        mkdir -p "$root$folder"
        ;;
    *)
        echo "container: $word of $file is not known here"
        exit 1
        ;;
    esac
done < <(sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$file")

if [ $# -eq 0 ]; then
    (cd "$tree" && git ls-files -z | xargs -0 cp --parents -t "$root$folder")
    chown -R 1000:1000 "$root$folder"
else
    within "$user" "$folder" "$@"
fi
