#!/usr/bin/env bash
# Check that this machine can build and run the labs (`make doctor`). Prints one
# line for each requirement:
#
#   ok     WHAT: what was found
#   note   WHAT: what was found, and what it means
#   WRONG  WHAT: what was found; how to fix it
#
#   common/kit/doctor.sh [BUILD]            default build
#
# GPU=sim, which suffices for all labs, needs every requirement except those of
# GPUs. What is WRONG with GPUs or their libraries (common/kit/doctor-gpu.sh)
# rules out only GPU=cuda. Exit status: 0 if labs can be built and run with
# either, else 1.
#
# DOCTOR_ROOT, for tests: a folder that replaces / in /dev, /proc, /sys and
# /usr/local/cuda.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${1-build}
root=${DOCTOR_ROOT-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
wrong=0 wrong_gpu=0

ok() { printf 'ok     %s: %s\n' "$1" "$2"; }
note() { printf 'note   %s: %s\n' "$1" "$2"; }
wrong() { # WHAT FOUND FIX
    printf 'WRONG  %s: %s; %s\n' "$1" "$2" "$3"
    wrong=$((wrong + 1))
}
wrong_gpu() {
    printf 'WRONG  %s: %s; %s\n' "$1" "$2" "$3"
    wrong_gpu=$((wrong_gpu + 1))
}
has() { command -v "$1" > /dev/null; }

# Compare versions by their parts: 12.10 is at least 12.4.
at_least() { # LEAST VERSION
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# ---- the machine -------------------------------------------------------------

check_system() {
    local name pages
    name=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2> /dev/null)
    name="${name:-unknown system}, Linux $(uname -r), $(uname -m)"
    pages=$(getconf PAGESIZE)
    case $(uname -m) in
    x86_64 | aarch64)
        if [ "$pages" = 4096 ]; then
            ok system "$name"
        else
            wrong system "$name, memory pages of $pages bytes" \
                "simgpu divides device memory into pages of 4096: use a kernel\
 with these, as that of a virtual machine"
        fi
        ;;
    *)
        wrong system "$name" "simgpu's device code runs on x86_64 and aarch64\
 (arm64): use such a machine"
        ;;
    esac
}

check_cores() {
    local n
    n=$(nproc)
    if [ "$n" -ge 4 ]; then
        ok cores "$n"
    else
        note cores "$n, so ranks share them: runs take longer; modelled times\
 are not affected"
    fi
}

check_memory() {
    local mib
    mib=$(awk '/^MemAvailable/ { print int($2 / 1024) }' \
        "$root/proc/meminfo" 2> /dev/null)
    if [ "${mib:-0}" -ge 2048 ]; then
        ok memory "$mib MiB available"
    else
        note memory "${mib:-unknown} MiB available: runs of 8 ranks and\
 parallel builds may need 2048 MiB (make -j1 needs less)"
    fi
}

check_limits() {
    local files space
    files=$(ulimit -n) space=$(ulimit -v)
    if [ "$files" != unlimited ] && [ "$files" -lt 64 ]; then
        wrong "open files" "at most $files" \
            "mpirun needs 64 for 8 ranks: ulimit -n 1024"
    else
        ok "open files" "at most $files"
    fi
    if [ "$space" != unlimited ] && [ "$space" -lt 33554432 ]; then
        wrong "address space" "at most $space KiB" \
            "simgpu maps the memory that it models: ulimit -v unlimited"
    else
        ok "address space" "$space"
    fi
}

check_disk() {
    local mib
    mib=$(df -Pm . | awk 'NR == 2 { print $4 }')
    if [ "${mib:-0}" -ge 1024 ]; then
        ok disk "$mib MiB free here"
    else
        wrong disk "${mib:-no} MiB free here" \
            "a build and its tests need 1024 MiB: free some, or set BUILD"
    fi
}

# ---- building ----------------------------------------------------------------

check_tools() {
    local tool missing=
    for tool in make awk patch pkg-config git; do
        has "$tool" || missing+=" $tool"
    done
    if [ -z "$missing" ]; then
        ok tools "make, awk, patch, pkg-config, git"
    else
        wrong tools "missing:$missing" "make deps (git: apt-get install git)"
    fi
}

check_compiler() { # COMPILER LANGUAGE
    if ! has "$1"; then
        wrong "$2 compiler" "no $1" "make deps installs it"
    elif ! echo 'int main(void) { return 0; }' |
        "$1" -x "$2" -o "$work/hello" - 2> "$work/log"; then
        wrong "$2 compiler" "$1: $(head -n 1 "$work/log")" \
            "it must be able to build a program: make deps"
    elif ! "$work/hello"; then
        wrong "$2 compiler" "a program that $1 built in $work doesn't run" \
            "set TMPDIR to a folder where programs may run"
    else
        ok "$2 compiler" "$("$1" --version | head -n 1)"
    fi
}

# The libraries that common/rules.mk links, by their pkg-config names.
libraries=(mpich expat yaml-0.1 jansson libdw libelf openblas sqlite3
    libsodium libuv libarchive libseccomp libmicrohttpd)

check_libraries() {
    local name missing=
    for name in "${libraries[@]}"; do
        pkg-config --exists "$name" 2> /dev/null || missing+=" $name"
    done
    if [ -z "$missing" ]; then
        ok libraries "${#libraries[@]} of ${#libraries[@]}"
    else
        wrong libraries "missing:$missing" "make deps installs them"
    fi
}

# ---- running -----------------------------------------------------------------

# Build a program and start eight ranks of it, with the mpirun that labs will
# use. Rank 0 prints the number of ranks.
start_ranks() { # FLAG...
    # shellcheck disable=SC2046 # flags are words
    "${CC-gcc}" -o "$work/mpi" "$work/mpi.c" "$@" \
        $(pkg-config --cflags --libs mpich 2> /dev/null | tr ' ' '\n' |
            grep -E '^-(I|L|Wl,-rpath|lmpi)') 2> "$work/log" || return
    timeout 60 mpirun -n 8 "$work/mpi" 2>&1 < /dev/null || true
}

# Ubuntu 24.04's MPICH is built for PMIx, which its own mpirun doesn't speak.
# Programs on simgpu run without PMIx (common/simgpu/mpi/pmix.c).
check_mpi_without_pmix() {
    local lib=$build/simgpu/lib
    local found="mpirun starts 8 separate programs, although it is MPICH's: its\
 library is built for another launcher, as Ubuntu 24.04's is"
    if [ ! -e "$lib/libcudart.so" ]; then
        wrong MPI "$found" "programs on simgpu find each other all the same:\
 make GPU=sim, then ask again; for GPU=cuda work in the container (the\
 student's guide, Set up)"
    elif [ "$(start_ranks -L"$lib" -Wl,-rpath,"$(realpath "$lib")" \
        -Wl,--no-as-needed -lcudart)" = 8 ]; then
        ok MPI "MPICH $(pkg-config --modversion mpich), 8 ranks find each other\
 on simgpu (other programs' ranks don't: mpirun speaks no PMIx)"
    else
        wrong MPI "$found" "work in the container (the student's guide, Set up)"
    fi
}

# Check that eight ranks find each other.
check_mpi() {
    local said
    has mpirun || { wrong MPI "no mpirun" "make deps installs MPICH"; return; }
    cat > "$work/mpi.c" << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (rank == 0)
        printf("%d\n", n);
    return MPI_Finalize();
}
END
    if ! said=$(start_ranks); then
        wrong MPI "MPICH's headers and library don't build a program" \
            "make deps installs them"
        return
    fi
    case $said in
    8) ok MPI "MPICH $(pkg-config --modversion mpich), 8 ranks find each\
 other" ;;
    1$'\n'1*)
        # not grep -q, which ends before mpirun has printed everything: mpirun
        # would fail
        if [[ $(mpirun --version 2>&1) == *HYDRA* ]]; then
            check_mpi_without_pmix
        else
            wrong MPI "mpirun starts 8 separate programs: it belongs to\
 another MPI" "use mpirun.mpich, or make it mpirun (update-alternatives)"
        fi
        ;;
    *) wrong MPI "mpirun -n 8 printed: $(head -n 1 <<< "$said")" \
        "it must start 8 processes" ;;
    esac
}

# Check that a simgpu rank can open its peers' memory through /proc/PID/fd.
check_peers() {
    exec 9> "$work/peer"
    if bash -c "true < /proc/$$/fd/9" 2> /dev/null; then
        ok peers "a process can open another's files in /proc"
    else
        wrong peers "a process can't open another's files in /proc" \
            "mount /proc without hidepid and lift ptrace restrictions"
    fi
    exec 9>&-
}

# ---- isolation of submissions, for graders -----------------------------------

# Print the Landlock ABI version: landlock_create_ruleset(NULL, 0, VERSION).
landlock_version() {
    "${CC-gcc}" -x c -o "$work/landlock" - 2> /dev/null << 'END' &&
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    printf("%ld\n", syscall(444, NULL, 0, 1));
    return 0;
}
END
        "$work/landlock"
}

check_grader() {
    local version groups=$root/sys/fs/cgroup
    if ! has bwrap; then
        note bubblewrap "not installed: grading at isolation level 2 needs it\
 (make deps)"
    elif ! bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true \
        2> "$work/log"; then
        note bubblewrap "$(head -n 1 "$work/log"): allow user namespaces, or\
 grade with --isolation 1 or 0"
    elif ! bwrap --ro-bind / / --size 4096 --tmpfs /tmp true 2> "$work/log"
    then
        note bubblewrap "$(head -n 1 "$work/log"): install a newer one, or\
 grade with --isolation 1 or 0"
    else
        ok bubblewrap "creates namespaces: grading at isolation level 2"
    fi
    version=$(landlock_version)
    if [ "${version:--1}" -ge 1 ]; then
        ok Landlock "version $version"
    else
        note Landlock "not in this kernel: isolation level 1 is unavailable"
    fi
    if [ -w "$groups/memory" ] || { [ -f "$groups/cgroup.controllers" ] &&
        [ -w "$groups" ]; }; then
        ok "control groups" "writable: memory and processes are limited"
    else
        note "control groups" "not writable (not root?): isolation level 3 and\
 memory limits are unavailable"
    fi
    if ! has sbatch; then
        note Slurm "not installed: grade batch runs on this machine only"
    elif timeout 10 sinfo -h > /dev/null 2>&1; then
        ok Slurm "$(sbatch --version), and it answers"
    else
        note Slurm "installed, but no cluster answers: grade batch runs on this\
 machine only"
    fi
}

# ---- main --------------------------------------------------------------------

# shellcheck source=common/kit/doctor-gpu.sh
. common/kit/doctor-gpu.sh
check_system
check_cores
check_memory
check_limits
check_disk
check_tools
check_compiler "${CC-gcc}" c
check_compiler "${CXX-g++}" c++
check_libraries
check_mpi
check_peers
check_grader
check_gpus
echo
if [ $wrong -gt 0 ]; then
    echo "$wrong to fix before labs can be built and run here"
    exit 1
fi
if [ "$gpus_found" -gt 0 ] && [ $wrong_gpu -eq 0 ]; then
    echo "labs can be built and run here, on $gpus_found GPUs and on simgpu"
elif [ "$gpus_found" -gt 0 ]; then
    echo "labs can be built and run here with GPU=sim;" \
        "$wrong_gpu to fix for GPU=cuda"
else
    echo "labs can be built and run here: no GPU found, so simgpu is used"
fi
