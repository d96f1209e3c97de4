#!/usr/bin/env bash
# Run a lab with one rank under gdb and the others as usual.
#
#   gdb-rank.sh [--server PORT] RANK NRANKS PROGRAM [ARGUMENT...]
#
# gdb gets the terminal; with --server, gdbserver waits for an editor instead.
# Ranks that wait for the debugged one are not reported as a hang.
set -euo pipefail
# simgpu handles faults itself, such as a kernel's first touch of memory.
debugger=(gdb --quiet -ex 'handle SIGSEGV nostop noprint pass' --args)
if [ "${1-}" = --server ]; then
    debugger=(gdbserver --once "localhost:$2")
    shift 2
fi
if [ $# -lt 3 ] || ! [[ $1$2 =~ ^[0-9]+$ ]] || [ "$1" -ge "$2" ]; then
    echo "gdb-rank: RANK NRANKS PROGRAM..., with RANK from 0 to NRANKS - 1;" \
         "got: $*" >&2
    exit 2
fi
rank=$1 nranks=$2
shift 2
command -v "${debugger[0]}" > /dev/null || {
    echo "gdb-rank: there is no ${debugger[0]} here:" \
         "apt-get install gdb gdbserver" >&2
    exit 1
}
[ -x "$1" ] || {
    echo "gdb-rank: there is no $1: build it with make DEBUG=1" \
         "$(basename "$1")" >&2
    exit 1
}
# mpirun would pass its input to rank 0, whichever rank is in the debugger.
exec 3<&0 4>&1
io="< /proc/$$/fd/3 > /proc/$$/fd/4 2>&1"
debugger=(bash -c "exec \"\$@\" $io" gdb-rank "${debugger[@]}")

# mpirun numbers ranks in the order of these parts.
parts=()
[ "$rank" -eq 0 ] || parts+=(-n "$rank" "$@" :)
parts+=(-n 1 "${debugger[@]}" "$@")
[ "$((rank + 1))" -eq "$nranks" ] ||
    parts+=(: -n "$((nranks - rank - 1))" "$@")
export COMMLAB_SUPERVISE=0 SIMGPU_HANG_SEC=0
exec mpirun "${parts[@]}" < /dev/null
