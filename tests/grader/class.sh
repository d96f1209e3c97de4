#!/usr/bin/env bash
# A class of made-up students, graded as a course would: solutions, skeletons,
# mutants, and one in five that means harm: crashes, hangs, floods, cheats.
#
#   class.sh BUILD WORK [STUDENTS [KILLS [JOBS]]]
#
# WORK is an empty folder. 10 students, 2 kills and 2 jobs by default. The full
# form, `make class-200`, is 200 students, 40 of them hostile, and 20 kills, and
# then the same class by Slurm (slurm.sh). `make class-200 STUDENTS=50 KILLS=5`
# is less.
#
# 1. graded without interruption: how long
# 2. graded again with as many SIGKILLs at random moments, and resumed
# 3. each kind of submission graded once more, alone
#
# Exports of 1 and 2 have to be the same, byte by byte; each submission has to
# get in 1, case by case, what its kind gets alone, and that has to be what the
# kind deserves; files and processes that lie and run beside it have to stay.
set -u
export COMMLAB_KEYS=. # the key beside the ledger, in the folder of work
build=$(realpath "$1") work=$(realpath "$2")
students=${3:-10} kills=${4:-2} jobs=${5:-2}
root=$(cd "$(dirname "$0")/../.." && pwd)
solution=$root/solutions/lab1-collectives skeleton=$root/labs/lab1-collectives
seed=$(printf '%064d' 42)
echo "$seed" > "$work"/seed
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
mutants=() # but for those of answers, which are each student's own
series=$root/tests/mutants/lab1-collectives.patch
for m in $(sed -n 's/^== //p' "$series"); do
    "$root"/tests/section.sh "$series" "$m" | grep -q '^+++ .*answers.txt' ||
        mutants+=("$m.patch")
done
# Cheats of lab 1: first those that go for what others share.
hostile=(floods shares-memory starts-a-shell forks kills-its-parent)
cheats=$root/tests/cheats/lab1-collectives.patch
for c in $(sed -n 's/^== //p' "$cheats"); do
    # How much a suspected one loses depends on where in its heap the graph is.
    ! "$root"/tests/section.sh "$cheats" "$c" |
        grep -qE '^(# )?expect: suspected' || continue
    case $c in
    honest-*) ;;
    *) [[ " ${hostile[*]} " == *" $c "* ]] || hostile+=("$c") ;;
    esac
done
mkdir -p "$work"/in
echo "student,name,section,deadline,submitted" > "$work"/roster.csv
: > "$work"/kinds
make_submission() { # STUDENT KIND DIR
    case $2 in
    solution) copy_solution "$1" "$3" ;;
    skeleton) cp "$skeleton"/* "$3" ;;
    *.patch)
        copy_solution "$1" "$3"
        "$root"/tests/section.sh "$series" "${2%.patch}" |
            patch -s -d "$3" -p1 ||
            fail "$2 does not apply" ;;
    *)
        copy_solution "$1" "$3"
        "$root"/tests/cheats/cheat.sh "$cheats" "$2" "$3" "$build" ||
            fail "$2" ;;
    esac
}
for ((i = 0; i < students; i++)); do
    s=$(printf 's%03d' $i) dir=$work/in/$s
    echo "$s,Student $i,$((i % 3)),2026-03-01T12:00:00Z,2026-03-0$((1 + i % 3))T11:00:00Z" \
        >> "$work"/roster.csv
    mkdir "$dir"
    case $((i % 5)) in
    0 | 3) kind=solution ;;
    1) kind=skeleton ;;
    2) kind=${mutants[$((i / 5 % ${#mutants[@]}))]} ;;
    4) kind=${hostile[$((i / 5 % ${#hostile[@]}))]} ;;
    esac
    make_submission "$s" "$kind" "$dir"
    echo "$s $kind" >> "$work"/kinds
    if ((i % 4 == 3)); then # some send archives
        tar -C "$work"/in -czf "$work/in/$s.tar.gz" "$s" && rm -r "$dir"
    fi
done

# ---- what lies and runs beside it --------------------------------------------
sleep 100000 & bystander=$!
trap 'kill $bystander 2> /dev/null' EXIT
mkdir "$work"/home && echo "mine" > "$work"/home/file
beside=$(mktemp /tmp/commlab-beside-XXXXXX)
shared=$(mktemp /dev/shm/commlab-beside-XXXXXX)
chmod 666 "$beside" "$shared"
trap 'kill $bystander 2> /dev/null; rm -f "$beside" "$shared"' EXIT
files() { # that no submission may change
    (cd "$work" && find in home roster.csv -type f -exec sha256sum {} + &&
        find in home -printf '%p %m %U %y %l\n') | sort
    sha256sum "$beside" "$shared"
    find "$root"/solutions "$root"/labs "$root"/grader/plans -type f \
        -exec sha256sum {} + | sort
}
files > "$work"/files.before
# Files of the users that submissions run as; not of other classes, nor a /proc
# that another root has mounted.
nobodys() {
    find /tmp /dev/shm /var/tmp -xdev -uid +61183 -uid -65520 -nouser \
        -not -path '/tmp/commlab-grade-*' \
        \( -path "$work/*" -o -not -path '/tmp/commlab-class-*' \) \
        2> /dev/null | sort
}
nobodys > "$work"/nobodys.before
untouched() {
    files | diff "$work"/files.before - > "$work"/diff.txt ||
        fail "files were changed: $(head -n 20 "$work"/diff.txt)"
    # Other tests grade meanwhile, in folders that they remove: what is left
    # stays.
    nobodys | comm -13 "$work"/nobodys.before - > "$work"/diff.txt
    for ((wait = 300; wait > 0; wait--)); do
        [ -s "$work"/diff.txt ] || break
        sleep 1
        nobodys | comm -12 "$work"/diff.txt - > "$work"/still.txt
        mv "$work"/still.txt "$work"/diff.txt
    done
    [ ! -s "$work"/diff.txt ] || fail "left: $(head -n 20 "$work"/diff.txt)"
    kill -0 $bystander || fail "a process beside it was killed"
}

batch=("$build"/grade batch --roster "$work"/roster.csv --submissions "$work"/in
    --lab lab1 --seed "$seed")

# ---- without interruption ----------------------------------------------------
begin=$(now)
"${batch[@]}" -j "$jobs" --ledger "$work"/a.db > "$work"/a.txt 2>&1
status=$?
whole=$(took "$begin")
[ $status -eq 0 ] || fail "status $status: $(tail -n 5 "$work"/a.txt)"
echo "$students submissions, -j $jobs: $whole s"

untouched

# ---- each gets what it gets alone, and what it deserves ----------------------
# "outcome score case:outcome:score ..." of a JSON result in an SQL expression
cases_of="json_extract(r, '$.outcome') || ' ' || json_extract(r, '$.score') ||
    (SELECT coalesce(group_concat(' ' || json_extract(value, '$.name') || ':'
    || json_extract(value, '$.outcome') || ':' || json_extract(value,
    '$.score'), ''), '') FROM json_each(r, '$.tests'))"
together() { # STUDENT
    sqlite3 "$work"/a.db "SELECT $cases_of FROM (SELECT
        json_extract(body, '$.result') AS r FROM entry
        WHERE kind = 'grading' AND student = '$1' ORDER BY id DESC LIMIT 1)"
}
alone() { # STUDENT KIND
    rm -rf "$work"/alone && mkdir "$work"/alone &&
        make_submission "$1" "$2" "$work"/alone
    "$build"/grade run --lab lab1 --quiet --student "$1" \
        --json "$work"/alone.json "$work"/alone > "$work"/alone.txt 2>&1
    sqlite3 :memory: "SELECT $cases_of FROM
        (SELECT CAST(readfile('$work/alone.json') AS TEXT) AS r)"
}
begin=$(now)
while read -r kind; do
    s=$(awk -v k="$kind" '$2 == k { print $1; exit }' "$work"/kinds)
    got=$(alone "$s" "$kind")
    [ -n "$got" ] || fail "$kind has no result: $(cat "$work"/alone.txt)"
    case $kind in
    solution) want='pass 100' ;;
    skeleton) want='fail 0' ;;
    *.patch) want=fail ;;
    *) cheat=$("$root"/tests/section.sh "$cheats" "$kind")
       read -r outcome score rest < \
           <(sed -nE 's/^(# )?expect: //p' <<< "$cheat")
       want="${outcome/refused/fail} $score"
       ! grep -qE '^(# )?case: ' <<< "$cheat" || want= ;; # not the whole lab
    esac
    [[ ${got/.0 / } == "$want"* ]] || fail "$kind alone: $got, not $want"
    while read -r other; do
        [ "$(together "$other")" = "$got" ] ||
            fail "$other ($kind): $(together "$other"); alone: $got"
    done < <(awk -v k="$kind" '$2 == k { print $1 }' "$work"/kinds)
done < <(cut -d' ' -f2 "$work"/kinds | sort -u)
nkinds=$(cut -d' ' -f2 "$work"/kinds | sort -u | wc -l)
nhostile=$(awk '$2 != "solution" && $2 != "skeleton" && $2 !~ /patch$/' \
    "$work"/kinds | wc -l)
"$build"/grade export --ledger "$work"/a.db --lab lab1 --format csv \
    -o "$work"/a.csv || fail export
grep -q '"s[0-9]*",.*,infra,' "$work"/a.csv && fail "there is infra"
echo "$nhostile hostile; $nkinds kinds as each alone: $(took "$begin") s"

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
# A view for each page that links to one: of the visible cases alone.
views=$(cat "$work"/html.a/students/*.html | grep -c '"view":true')
files=$(find "$work"/html.a/students -name '*.view.html' | wc -l)
((views == files && files >= $(grep -c ' solution$' "$work"/kinds))) ||
    fail "$views links to views, $files views"
grep -l 'hidden-' "$work"/html.a/students/*.view.html && fail "a hidden case"
left=$(find /tmp -maxdepth 1 -name 'commlab-grade-*' -newer "$work"/roster.csv | wc -l)
[ "$left" -eq 0 ] || echo "note: $left folders commlab-grade-* in /tmp are of others"
echo "killed $killed times and resumed: exports are the same"
"$build"/grade similarity --ledger "$work"/a.db --lab lab1 > "$work"/similar.txt ||
    fail similarity
grep -q '100 %' "$work"/similar.txt || fail "no copies found among solutions"
untouched
exit 0
