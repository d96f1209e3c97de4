#!/usr/bin/env bash
# Grade a lab's solution again and again on a busy machine, next to as many
# endless loops as LOAD: the result has to be the same each time, case by case,
# as without them. Exit status 1 if it is not.
#
#   loaded.sh BUILD [LAB [TIMES [LOAD]]]   default: lab7, 10 times, a load of 80
#
# NICE=19 in the environment spares others on this machine.
set -eu
build=$(realpath "$1") lab=${2:-lab7} times=${3:-10} load=${4:-80}
solution=$(echo "$build"/../solutions/"$lab"-*)
dir=$(mktemp -d)
loops=()
finish() {
    [ ${#loops[@]} -eq 0 ] || kill "${loops[@]}" 2> /dev/null || :
    rm -rf "$dir"
}
trap finish EXIT

# "pass 100 layer pass 10 layer-time pass 5 ..."
graded() {
    "$build"/grade run --lab "$lab" --quiet --seed 1 --student ada \
        --json "$dir/r.json" "$solution" > "$dir/log" 2>&1 ||
        [ $? -eq 1 ] || { cat "$dir/log" >&2; return 1; }
    sqlite3 :memory: "SELECT json_extract(r, '\$.outcome') || ' ' ||
        json_extract(r, '\$.score') || (SELECT group_concat(' ' ||
        json_extract(value, '\$.name') || ' ' || json_extract(value,
        '\$.outcome') || ' ' || json_extract(value, '\$.score'), '')
        FROM json_each(r, '\$.tests')) FROM
        (SELECT CAST(readfile('$dir/r.json') AS TEXT) AS r)"
}

alone=$(graded)
echo "without load: $(cut -d" " -f1,2 <<< "$alone")"
for ((i = 0; i < load; i++)); do
    nice -n "${NICE-0}" bash -c 'while :; do :; done' & loops+=($!)
done
status=0
for ((i = 1; i <= times; i++)); do
    begin=$SECONDS
    got=$(graded)
    [ "$got" = "$alone" ] && same="the same" || { same="NOT the same"; status=1; }
    echo "$i of $times, a load of $(cut -d' ' -f1 /proc/loadavg):" \
        "$(cut -d' ' -f1,2 <<< "$got"), $((SECONDS - begin)) s, $same"
done
[ $status -eq 0 ] || { echo "was $alone"; echo "last $got"; }
exit $status
