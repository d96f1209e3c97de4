# again.sh: a command that starts mpirun
# shellcheck shell=bash

# Run it once more if it died of a broken pipe: MPICH's launcher does so, now
# and then, on a busy machine where a program ends early.
again() { # COMMAND...
    local status=0
    "$@" || status=$?
    [ $status -ne 141 ] || { status=0; "$@" || status=$?; }
    return $status
}
