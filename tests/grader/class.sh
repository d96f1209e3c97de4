#!/usr/bin/env bash
# A class of made-up students, graded as a course would: solutions, skeletons,
# mutants, cheats, crashes, hangs, floods.
#
#   class.sh BUILD WORK [STUDENTS [KILLS [JOBS]]]
#
# WORK is an empty folder. 6 students, 2 kills and 2 jobs by default; the full
# form is 200 students and 20 kills:
#
#   tests/grader/class.sh build /tmp/class 200 20
#
# 1. graded without interruption: how long, and beside it the bare run, which is
#    mpirun of the same programs alone
# 2. graded again with as many SIGKILLs at random moments, and resumed 3.
# exports of both have to be the same, byte by byte; each submission has to get
#    what its kind deserves
set -u
build=$(realpath "$1") work=$(realpath "$2")
students=${3:-6} kills=${4:-2} jobs=${5:-2}
root=$(cd "$(dirname "$0")/../.." && pwd)
solution=$root/solutions/lab1-collectives skeleton=$root/labs/lab1-collectives
seed=$(printf '%064d' 42)
RANDOM=42
fail() { echo "FAILED: $*"; exit 1; }
copy_solution() { # STUDENT DIR: with answers to the student's own questions
    cp "$solution"/* "$2"
    (cd "$root" && "$build"/plan --answers lab1-collectives --student "$1") \
        > "$2"/answers.txt || fail "answers of $1"
}
now() { date +%s.%N; }
took() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'; }

# ---- the class ---------------------------------------------------------------
# Half of it solutions and skeletons, as before a deadline; the rest trouble.
mutants=("$root"/tests/mutants/lab1-collectives/*.patch)
cheats=(crashes hangs floods starts-a-shell does-not-compile runs-before-main
    outputs-nothing sends-a-link prints-pass defines-nccl)
mkdir -p "$work"/in
echo "student,name,section,deadline,submitted" > "$work"/roster.csv
: > "$work"/kinds
for ((i = 0; i < students; i++)); do
    s=$(printf 's%03d' $i) dir=$work/in/$s
    echo "$s,Student $i,$((i % 3)),2026-03-01T12:00:00Z,2026-03-0$((1 + i % 3))T11:00:00Z" \
        >> "$work"/roster.csv
    mkdir "$dir"
    case $((i % 6)) in
    0 | 3) kind=solution; copy_solution "$s" "$dir" ;;
    1) kind=skeleton; cp "$skeleton"/* "$dir" ;;
    2 | 4)
        m=${mutants[$((i / 3 % ${#mutants[@]}))]}; kind=mutant
        copy_solution "$s" "$dir"
        patch -s -d "$dir" -p1 < "$m" || fail "$m does not apply" ;;
    5)
        c=${cheats[$((i / 6 % ${#cheats[@]}))]}; kind=$c
        copy_solution "$s" "$dir"
        (cd "$dir" && ROOT=$root SKELETON=$skeleton \
            sh "$root/tests/cheats/$c/edit.sh") || fail "$c" ;;
    esac
    echo "$s $kind" >> "$work"/kinds
    if ((i % 4 == 3)); then # some send archives
        tar -C "$work"/in -czf "$work/in/$s.tar.gz" "$s" && rm -r "$dir"
    fi
done
batch=("$build"/grade batch --roster "$work"/roster.csv --submissions "$work"/in
    --lab lab1 --seed "$seed")

# ---- without interruption ----------------------------------------------------
begin=$(now)
"${batch[@]}" -j "$jobs" --ledger "$work"/a.db > "$work"/a.txt 2>&1
status=$?
whole=$(took "$begin")
[ $status -eq 0 ] || fail "status $status: $(tail -n 5 "$work"/a.txt)"
echo "$students submissions, -j $jobs: $whole s"

# ---- each gets what it deserves ----------------------------------------------
"$build"/grade export --ledger "$work"/a.db --lab lab1 --format csv -o "$work"/a.csv ||
    fail export
while read -r s kind; do
    line=$(grep "^\"$s\"" "$work"/a.csv)
    outcome=$(cut -d, -f6 <<< "$line") score=$(cut -d, -f7 <<< "$line")
    case $kind in
    solution) want='pass 100.00' ;;
    skeleton) want='fail 0.00' ;;
    mutant) want="fail $score"; [ "$score" != 100.00 ] || want='fail, not all' ;;
    *) want=$(cut -d' ' -f1 "$root/tests/cheats/$kind/expect")" $score" ;;
    esac
    [ "$outcome $score" = "$want" ] || fail "$s ($kind): $outcome $score, not $want"
done < "$work"/kinds
grep -q '"s[0-9]*",.*,infra,' "$work"/a.csv && fail "there is infra"

# ---- killed and resumed ------------------------------------------------------
killed=0
for ((k = 0; k < kills; k++)); do
    "${batch[@]}" -j "$jobs" --ledger "$work"/b.db > "$work"/b.txt 2>&1 & pid=$!
    # anywhere in a share of the whole, so that all kills find something to kill
    sleep "$(awk -v w="$whole" -v n="$kills" -v r=$RANDOM \
        'BEGIN { printf "%.3f", w / n * 1.4 * r / 32768 }')"
    kill -KILL $pid 2> /dev/null && killed=$((killed + 1))
    wait $pid 2> /dev/null
done
"${batch[@]}" -j "$jobs" --ledger "$work"/b.db > "$work"/b.txt 2>&1 ||
    fail "resumed: $(tail -n 5 "$work"/b.txt)"
"$build"/grade verify --ledger "$work"/b.db > "$work"/verify.txt ||
    fail "verify: $(cat "$work"/verify.txt)"
cp "$work"/a.db.key "$work"/key # the leaderboard's names are the key's
for f in csv canvas moodle junit gradescope classroom autolab html; do
    for l in a b; do
        "$build"/grade export --ledger "$work"/$l.db --lab lab1 --format $f \
            -o "$work/$f.$l" || fail "export $f"
    done
    diff -r "$work/$f.a" "$work/$f.b" > "$work"/diff.txt ||
        fail "$f differs: $(head -n 20 "$work"/diff.txt)"
done
left=$(find /tmp -maxdepth 1 -name 'commlab-grade-*' -newer "$work"/roster.csv | wc -l)
[ "$left" -eq 0 ] || echo "note: $left folders commlab-grade-* in /tmp are of others"
echo "killed $killed times and resumed: exports are the same"
"$build"/grade similarity --ledger "$work"/a.db --lab lab1 > "$work"/similar.txt ||
    fail similarity
grep -q '100 %' "$work"/similar.txt || fail "no copies found among solutions"

# ---- beside the bare run -----------------------------------------------------
bare() { # the same program, the same cases, without build, sandbox and judge
    local n
    for n in 2 3 4 5 6 8; do
        mpirun -n $n "$build"/solutions/lab1 > /dev/null 2>&1
    done
}
if [ "$students" -ge 100 ]; then
    begin=$(now); bare; alone=$(took "$begin")
    begin=$(now); "$build"/grade run --lab lab1 --quiet "$solution"
    echo "one solution: $(took "$begin") s graded, $alone s bare"
fi
exit 0
