# sandbox_start.sh: starts a sandbox's program, from inside the sandbox
#
#   sh -c "$(< sandbox_start.sh)" sh ASK PROGRAM [ARG...]
#
# ASK=1: ask the kernel first whether this process is privileged. The sandbox's
# own start-up code cannot: bubblewrap changes the user after it. The shell's
# builtins read /proc, because this begins every run and must be quick.

unprivileged() {
    passed=0
    while read -r key real effective saved _; do
        case $key in
        Uid:)
            [ "$real" != 0 ] && [ "$effective" != 0 ] && [ "$saved" != 0 ] &&
                passed=$((passed + 1))
            ;;
        CapEff:)
            case $real in
            *[!0]*) ;; # it has a capability
            *) passed=$((passed + 1)) ;;
            esac
            break
            ;;
        esac
    done < /proc/self/status
    [ $passed = 2 ]
}

if [ "$1" = 1 ] && ! unprivileged; then
    echo it would run as root >&2
    exit 127
fi
shift
if ! command -v "$1" > /dev/null; then
    echo "cannot start $1: install it (grade doctor says what is missing)" >&2
    exit 127
fi
# Tell the grader that the program starts; the program does not see the pipe.
printf r >&9 && exec "$@" 9>&-
