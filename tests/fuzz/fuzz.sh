#!/usr/bin/env bash
# Feed the readers of what others write with damaged input, under the address
# and undefined-behaviour sanitizers (libFuzzer, which comes with clang).
#
#   fuzz.sh BUILD OUT [SECONDS]   for each reader: 5, or 600 for a release
#
# What is found is kept in OUT, in a folder for each reader.
set -eu
build=$(realpath "$1") out=$2 seconds=${3:-5}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"

declare -A sources=(
    [roster]="grader/intake/roster.c grader/intake/roster_time.c
        grader/base/csv.c grader/base/text.c"
    [plan]="common/judge/plan.c common/judge/plan_load.c common/judge/loader.c
        common/judge/plan_numbers.c common/judge/numbers.c
        common/judge/formula.c"
    [evidence]="common/judge/evidence.c common/judge/chain.c"
    [archive]="grader/intake/unpack.c grader/intake/misnamed.c grader/base/text.c"
)
seed() { # a corpus to begin with: one good input of each kind
    local to=$out/$1/corpus
    mkdir -p "$to"
    case $1 in
    roster) printf 'student,name,deadline,late_days\nada,"A ""x"", B",2026-03-01T23:59:00+01:00,1\n' > "$to"/good ;;
    plan)
        cp "$root"/grader/plans/*.yaml "$to"/
        echo '2 * (n - 1) / n^2 + min(1, sqrt(4)) > 3' > "$to"/formula ;;
    evidence) "$out"/make_evidence > "$to"/good ;;
    archive)
        (cd "$out" && echo 'int a;' > a.c && mkdir -p d && echo 'int b;' > d/b.c &&
            for f in ustar pax gnu; do
                tar --format=$f -cf archive/corpus/$f.tar a.c d
                tar --format=$f -czf archive/corpus/$f.tgz a.c d
            done
            if command -v zip > /dev/null; then zip -qr archive/corpus/z.zip a.c d; fi) ;;
    esac
}
cd "$root"
flags="-std=gnu11 -g -O1 -Icommon -I. -fsanitize=address,undefined
    -fno-sanitize-recover=all"
rest="-x none $build/sim/libjudge.a $build/sim/libgraph.a
    $build/sim/libtopo.a $build/sim/libbase.a -lyaml -ljansson
    -larchive -lexpat -ldw -lelf -lm -pthread"
clang $flags -x c - common/judge/evidence_out.c common/judge/chain.c \
    $rest -o "$out"/make_evidence << 'EOF'
#include "judge/judge.h"
#include <stdio.h>
#include <stdlib.h>
const struct judge_lab *const judge_labs[] = {NULL};
int main(void)
{
    char *data;
    size_t n;
    const double us = 12.5;
    struct evidence_out *const e = evidence_memory(&data, &n, 1);
    evidence_put_status(e, 0, RUN_MISSING, NULL);
    evidence_put(e, EVIDENCE_OUTPUT, 0, 0, "recvbuf", "0123456789", 10);
    evidence_put(e, EVIDENCE_METRIC, 0, 0, "time_us", &us, sizeof us);
    evidence_put_status(e, 0, RUN_OK, "text");
    evidence_finish(e);
    fwrite(data, 1, n, stdout);
    free(data);
}
EOF
failed=0
for reader in roster plan evidence archive; do
    seed $reader
    clang $flags -fsanitize=fuzzer "tests/fuzz/fuzz_$reader.c" ${sources[$reader]} \
        -o "$out/$reader/fuzz" $rest
    if "$out/$reader/fuzz" -max_total_time="$seconds" -max_len=65536 \
        -rss_limit_mb=4096 -timeout=120 -seed=1 -print_final_stats=1 \
        -artifact_prefix="$out/$reader/" "$out/$reader/corpus" \
        > "$out/$reader/log" 2>&1; then
        echo "ok: $reader, $(sed -n 's/stat::number_of_executed_units: *//p' \
            "$out/$reader/log") inputs in $seconds s"
    else
        echo "FAILED: $reader ($out/$reader/log)"
        tail -n 30 "$out/$reader/log"
        failed=1
    fi
done
exit $failed
