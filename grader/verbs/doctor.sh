# doctor.sh: check that this machine can grade; `grade doctor` contains it
#
#   COMMLAB_LIMITS=TEXT sh -c "$(< doctor.sh)" sh [SPOOL]
#
# TEXT says which limits hold for a submission's memory and processes.
# Prints a line for each requirement: "ok" and what was found, or "WRONG", what
# was found and how to fix it. The exit status is 1 if anything is WRONG.
nwrong=0
exec 9< /dev/null # for peers_memory

say() { # ok|WRONG WHAT TEXT
    printf '%-6s %s: %s\n' "$1" "$2" "$3"
    [ "$1" = ok ] || nwrong=$((nwrong + 1))
}

# COMMAND prints what it finds, of which the first line is shown.
check() { # WHAT COMMAND FIX
    if found=$("$2"); then status=ok; else status=WRONG; fi
    found=${found%%'
'*}
    [ $status = ok ] && fix= || fix="; $3"
    say $status "$1" "${found:-nothing was printed}$fix"
}

c_compiler() {
    echo 'int main(void) { return 0; }' | gcc -x c -o /dev/null - 2>&1 &&
        gcc --version
}

cxx_compiler() {
    echo 'int main() { return 0; }' | g++ -x c++ -o /dev/null - 2>&1 &&
        g++ --version
}

mpi() {
    ranks=$(env -i PATH="$PATH" timeout 60 mpirun -n 2 sh -c 'echo rank' 2>&1)
    if [ "$ranks" != 'rank
rank' ]; then
        echo "$ranks"
        return 1
    fi
    mpirun --version | sed -n 's/^ *Version: */MPICH /p'
}

bubblewrap() {
    command -v bwrap || { echo 'not installed' && false; }
}

user_namespaces() {
    bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev --size 4096 \
        --tmpfs /tmp true 2>&1 && echo 'can be created'
}

peers_memory() {
    sh -c "true < /proc/$$/fd/9" 2>&1 &&
        echo 'processes can open each other files in /proc'
}

temporary_folder() {
    folder=$(mktemp -d) || return
    printf '#!/bin/sh\nexit 0\n' > "$folder/x"
    chmod 700 "$folder/x"
    "$folder/x" 2>&1
    status=$?
    rm -rf "$folder"
    df -Ph "${TMPDIR:-/tmp}" | awk 'NR == 2 { print $4 " free in " $6 }'
    return $status
}

check_spool() { # SPOOL
    file=$1/doctor-$$
    if (: > "$file") 2> /dev/null; then
        say ok spool "$1 can be written"
        rm -f "$file"
    else
        say WRONG spool "$1 cannot be written; it has to be a folder that all\
 nodes see"
    fi
}

say ok machine "$(uname -n)"
check 'C compiler' c_compiler \
    'submissions are compiled here: install gcc, or load its module in setup'
check 'C++ compiler' cxx_compiler \
    'kernels are compiled here: install g++, or load its module in setup'
check MPI mpi "mpirun -n 2 has to start two processes: install MPICH, or load\
 its module in setup"
check bubblewrap bubblewrap 'install bubblewrap, or grade with --isolation 1'
check 'user namespaces' user_namespaces \
    "allow them (kernel.unprivileged_userns_clone=1, user.max_user_namespaces,\
 AppArmor) and have a bubblewrap with --size, or grade with --isolation 1"
case $COMMLAB_LIMITS in
'') ;; # bubblewrap or user namespaces are WRONG
*watchdog*) say ok limits "$COMMLAB_LIMITS; where systemd runs, start the grader\
 with systemd-run --user --scope -p Delegate=yes to have control groups" ;;
*) say ok limits "$COMMLAB_LIMITS" ;;
esac
check "peers' memory" peers_memory \
    'mount /proc without hidepid, and lift ptrace restrictions'
check 'temporary folder' temporary_folder \
    'programs have to run there: set TMPDIR in setup'
if [ $# = 1 ]; then
    check_spool "$1"
fi
if [ $nwrong != 0 ]; then
    printf '\n%d to fix before submissions can be graded there\n' $nwrong
    exit 1
fi
printf '\nsubmissions can be graded there\n'
