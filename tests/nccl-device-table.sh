#!/usr/bin/env bash
# Which functions and members of NCCL's device headers simgpu has: the table in
# handouts/simgpu.md.
#
#   nccl-device-table.sh CUDA_HOME [NEWEST]   is the handout's table true?
#   nccl-device-table.sh --print              write the table
#   nccl-device-table.sh --list               each name: "there", or why not
#
# The names are listed by header in tests/simgpu/nccl_device.txt, which is held
# true where there are real headers: the toolkit's, and those in
# NEWEST/nccl_device (`make test NCCL_NEWEST=DIR`). A name that simgpu lacks for
# no reason named below is an error.
set -eu
names=tests/simgpu/nccl_device.txt
ours=common/simgpu/include/nccl_device

# Every name of a real header that a program can call.
declared() {
    sed 's|//.*||' "$1" | tr '\n' ' ' | sed 's|/\*[^*]*\*/||g' |
        grep -oE '(NCCL_[A-Z_]*INLINE|NCCL_(IR_)?EXTERN_C) [^;{(]*\(' |
        sed -nE '/operator/!s/.*[ *&~]([A-Za-z_][A-Za-z0-9_]*) *\($/\1/p' |
        grep -vx 'constexpr\|decltype' | sort -u
}

# header, name, "+" if it is newer than 2.28.9, "there" or why not
list() {
    local header files words word newer why
    while IFS=$'\t' read -r header files words; do
        [[ $header == '#'* ]] && continue
        for word in $words; do
            newer= why=there
            [[ $word == *+ ]] && newer=+ word=${word%+}
            case $header:$word in
            cft*:* | *Cft* | *LeInfo) why="CFT, which no machine here has" ;;&
            *Inbox* | *Outbox*) why="GIN boxes, of Windows only" ;;
            *_stash | *:_makeCtx | *:selectBarrierAlgo) why="internal" ;;
            *) # named, at least
                (cd $ours && cat $files) | grep -qw -- "$word" ||
                why=UNEXPLAINED ;;
            esac
            printf '%s\t%s\t%s\t%s\n' "$header" "$word" "$newer" "$why"
        done
    done < $names
}

table() {
    list | awk -F'\t' -v first="device header" -v of_all=" headers" -v tick='`' \
        -f tests/simgpu/nccl_table.awk
}

# The names of all headers in DIR/nccl_device are those of the list, without the
# newer ones.
same_older() {
    local header
    for header in "$1"/nccl_device/*.h; do
        [[ $header == */utility.h ]] || declared "$header"
    done | sort -u |
        diff - <(list | awk -F'\t' '$3 == "" { print $2 }' | sort -u) ||
        { echo "$names: not the names of $1/nccl_device"; exit 1; }
    echo "ok     the list has the names of $1/nccl_device"
}

same() {
    local header
    for header in $(list | cut -f1 | sort -u); do
        declared "$1/nccl_device/$header" |
            diff - <(list | awk -F'\t' -v h="$header" \
                '$1 == h { print $2 }' | sort -u) ||
            { echo "$names: not the names of $1/nccl_device/$header"; exit 1; }
    done
    echo "ok     the list has the names of $1/nccl_device"
}

case ${1-} in
--print) table ;;
--list) list ;;
*)
    if list | grep UNEXPLAINED; then
        echo "names without a reason: tests/nccl-device-table.sh"
        exit 1
    fi
    table | diff <(sed -n '/^| device header/,/^| all headers /p' \
        handouts/simgpu.md) - ||
        {
            echo "handouts/simgpu.md: run tests/nccl-device-table.sh --print"
            exit 1
        }
    echo "ok     the table of NCCL's device headers is true"
    if grep -q 'VERSION_CODE 22809$' "${1-}/include/nccl.h" 2> /dev/null; then
        same_older "$1/include"
    fi
    if [ -n "${2-}" ]; then
        same "$2"
    fi
    ;;
esac
