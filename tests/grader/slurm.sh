#!/usr/bin/env bash
# A batch through a real Slurm of one node, started here, against the same batch
# on this machine alone: the exports have to be the same, although the node is
# drained and a job is cancelled on the way, and the batch is killed once.
#
#   slurm.sh BUILD WORK [CLASS]   WORK is an empty folder; root is needed
#
# The batch is of six submissions, or of a class that class.sh has graded in its
# folder CLASS.
#
# Prints "skipped: why" and ends with 77 where there is no Slurm.
set -u
export COMMLAB_KEYS=. # the key beside the ledger, in the folder of work
mkdir -p "$2"
build=$(realpath "$1") work=$(realpath "$2") class=${3:+$(realpath "$3")}
for p in slurmctld slurmd munged sbatch squeue scontrol; do
    command -v $p > /dev/null || [ -x /usr/sbin/$p ] ||
        { echo "skipped: $p is not installed (make deps)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: a Slurm of one's own needs root"; exit 77; }
PATH=$PATH:/usr/sbin
host=$(hostname -s)
pids=
stop() {
    scancel --user=root > /dev/null 2>&1
    for p in $pids; do kill "$p" 2> /dev/null; done
    wait
}
trap stop EXIT
fail() { echo "FAILED: $*"; tail -n 20 "$work"/slurm/*.log; exit 1; }

# ---- a Slurm -----------------------------------------------------------------
mkdir -p "$work"/slurm/{state,spool,munge}
chmod 755 "$work" "$work"/slurm; chmod 700 "$work"/slurm/munge
head -c 1024 /dev/urandom > "$work"/slurm/munge/key
chmod 600 "$work"/slurm/munge/key
munge=$work/slurm/munge
munged --foreground --force --key-file="$munge"/key --socket="$munge"/socket \
    --pid-file="$munge"/pid --log-file="$munge"/log --seed-file="$munge"/seed \
    > "$work"/slurm/munged.log 2>&1 &
pids="$pids $!"
# Two free ports, below those that mpirun gets.
port=$((20000 + $$ % 12000))
in_use() { (exec 3<> /dev/tcp/127.0.0.1/"$1") 2> /dev/null; }
while in_use $port || in_use $((port + 1)); do port=$((port + 2)); done
cat > "$work"/slurm/slurm.conf << EOF
ClusterName=commlab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=2
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdLogFile=$work/slurm/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=class Nodes=$host Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$work/slurm/slurm.conf
for _ in $(seq 100); do [ -S "$munge"/socket ] && break; sleep 0.1; done
slurmctld -D > "$work"/slurm/ctld.log 2>&1 & pids="$pids $!"
slurmd -D > "$work"/slurm/d.log 2>&1 & pids="$pids $!"
for _ in $(seq 300); do
    sinfo -h -o %T 2> /dev/null | grep -q idle && break
    sleep 0.2
done
sinfo -h -o %T | grep -q idle || fail "Slurm does not come up"

# ---- a class -----------------------------------------------------------------
small_class() {
    local i solution=$build/../solutions/lab1-collectives
    mkdir "$work"/in
    echo "student,name" > "$work"/roster.csv
    for i in 1 2 3 4 5 6; do
        echo "s$i,Student $i" >> "$work"/roster.csv
        cp -r "$build"/../labs/lab1-collectives "$work"/in/s$i
    done
    cp "$solution"/bootstrap.c "$work"/in/s3/
    sed -i '0,/    int rank, nranks;/s//    int rank, nranks; return ncclInvalidUsage;/' \
        "$work"/in/s3/bootstrap.c
    echo "no C" >> "$work"/in/s4/p2p.c
}
per_job=2 at_once=1 seed=$(printf '%064d' 7)
if [ -n "$class" ]; then
    per_job=8 at_once=$(nproc) seed=$(cat "$class"/seed)
    cp -r "$class"/{in,roster.csv} "$work"
    cp "$class"/a.db "$work"/local.db
    cp "$class"/a.db.key "$work"/local.db.key
else
    small_class
fi
cat > "$work"/slurm.yaml << EOF
partition: class
time: 01:00:00
cpus: 1
per_job: $per_job
at_once: $at_once
EOF
batch=("$build"/grade batch --roster "$work"/roster.csv --submissions "$work"/in
    --lab lab1 --seed "$seed")
slurm=("${batch[@]}" --ledger "$work"/slurm.db --executor slurm
    --config "$work"/slurm.yaml)

[ -n "$class" ] ||
    "${batch[@]}" --ledger "$work"/local.db > "$work"/local.txt 2>&1 ||
    fail "local: $(cat "$work"/local.txt)"

# ---- killed, drained, cancelled ----------------------------------------------
entries() { sqlite3 "$work"/slurm.db 'SELECT count(*) FROM entry' 2> /dev/null || echo 0; }
"${slurm[@]}" > "$work"/first.txt 2>&1 & pid=$!
for _ in $(seq 600); do [ "$(entries)" -ge 2 ] && break; sleep 0.2; done
kill -KILL $pid; wait $pid 2> /dev/null
[ "$(entries)" -ge 2 ] || fail "nothing was graded: $(cat "$work"/first.txt)"
number() { cat "$work"/slurm.db.spool/slurm.job 2> /dev/null; }
before=$(number)
"${slurm[@]}" > "$work"/second.txt 2>&1 & pid=$!
for _ in $(seq 600); do
    job=$(number); [ -n "$job" ] && [ "$job" != "$before" ] && break
    sleep 0.1
done
for _ in $(seq 300); do squeue -h -t running | grep -q . && break; sleep 0.1; done
scontrol update NodeName="$host" State=DRAIN Reason=test || fail "drain"
scancel "${job}_1" || fail "scancel"   # waits for the node, and is cancelled
for _ in $(seq 300); do sinfo -h -o %T | grep -q drained && break; sleep 0.2; done
scontrol update NodeName="$host" State=RESUME || fail "resume"
wait $pid || fail "batch: $(cat "$work"/second.txt)"

# ---- the same ----------------------------------------------------------------
sqlite3 "$work"/slurm.db "SELECT body FROM entry WHERE kind = 'grading'" |
    grep -c '"outcome":"infra"' > "$work"/infra.txt
[ "$(cat "$work"/infra.txt)" -ge 1 ] || fail "the cancelled job left no infra"
sqlite3 "$work"/slurm.db "SELECT body FROM entry WHERE kind = 'grading'" |
    grep -q '"message":"its Slurm job was cancelled"' ||
    fail "the cancelled job's reason: $(sqlite3 "$work"/slurm.db \
        "SELECT body FROM entry WHERE kind = 'grading'" |
        grep -o '"message":"its[^"]*"' | sort | uniq -c)"
for f in csv canvas moodle junit gradescope html; do
    for l in local slurm; do
        "$build"/grade export --ledger "$work"/$l.db --lab lab1 --format $f \
            -o "$work/$f.$l" || fail "export $f"
    done
    diff -r "$work/$f.local" "$work/$f.slurm" > "$work"/diff.txt ||
        fail "$f differs: $(head -n 20 "$work"/diff.txt)"
done
"$build"/grade verify --ledger "$work"/slurm.db || fail "verify"
echo "ok: $(ls "$work"/in | wc -l) submissions by sbatch --array; the batch killed, the node drained," \
    "a job cancelled: $(cat "$work"/infra.txt) infra, none of them a zero"
