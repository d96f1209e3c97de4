#!/usr/bin/env bash
# Check which module uses which, in the kit's objects and sources, against the
# table of what is allowed (layers.txt).
#
#   tests/layers/layers.sh BUILD [--table FILE] [--facts FILE] [PATH=FILE...]
#
# PATH=FILE adds FILE, an object or a source, as if it stood at PATH. What
# sources, objects and the table's programs contain is in the file of facts, or
# is written there if there is none. Prints a line for each violation; the
# status is 1 if there is any.
set -euo pipefail
build=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=tests/layers/layers.txt tree=$work/tree
while [[ ${1-} == --* ]]; do
    case $1 in
    --table) table=$2 ;;
    --facts) tree=$2 ;;
    esac
    shift 2
done

# "PATH:#include "NAME" ..." and "PATH: SYMBOL TYPE ..." as facts of layers.awk
includes() { sed -n 's/^\([^:]*\):#include [<"]\([^>"]*\).*/include \1 \2/p'; }
symbols() {
    awk '{ sub(/\.o:$/, "", $1)
        print ($3 ~ /^[Uwv]$/ ? "uses" : "defines"), $1, $2
        if ($3 ~ /^[WVu]$/) print "weak", $1, $2 }'
}
# Words of the files on stdin, each once.
words() { xargs cat | tr -cs 'A-Za-z0-9_' '\n' | sort -u; }
# All that is in the tree.
facts() {
    # Not the seed of new labs, which is no C before its @N@ is a name.
    find common grader labs solutions -path common/kit/seed -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \
        -o -name '*.def' \) -print | sort > "$work/sources"
    # An object without a source is an old one.
    (cd "$build/sim/obj" && sed -n 's/\.\(c\|cu\|cpp\)$/.o/p' "$work/sources" |
        xargs ls -d 2> /dev/null) > "$work/objects" || true
    sed 's/^/file /' "$work/sources"
    xargs grep -H '^#include' < "$work/sources" | includes
    sed 's/^\(.*\)\.o$/object \1/' "$work/objects"
    (cd "$build/sim/obj" && xargs nm -A -g -P < "$work/objects") | symbols
    {
        find tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp'
        grep -E '^common/simgpu/include/|^(labs|solutions)/.*\.h$' "$work/sources"
    } | words | sed 's/^/mentions /'
    awk '$1 == "program" { print $2 }' "$table" | while read -r program; do
        nm -P --defined-only "$build/$program" |
            awk -v "program=$program" '
                $2 ~ /[A-Z]/ { print "holds", program, $1 }'
    done
}

[ -e "$tree" ] || { facts > "$tree.$$" && mv "$tree.$$" "$tree"; }
{
    cat "$tree"
    for f in "$@"; do
        path=${f%%=*} file=${f#*=}
        case $path in
        *.o)
            echo "object ${path%.o}"
            nm -g -P "$file" | sed "s,^,$path: ," | symbols
            ;;
        *)
            echo "file $path"
            sed "s,^,$path:," "$file" | includes
            ;;
        esac
    done
} > "$work/facts"
# gawk compiles each pattern anew, which takes it six times as long.
"$(command -v mawk || echo awk)" -f tests/layers/layers.awk "$table" "$work/facts"
