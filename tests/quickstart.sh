#!/usr/bin/env bash
# Lab 1 from a student's and from a TA's side, as README's first command.
set -eu
cd "$(dirname "$0")/.."
said=$(common/kit/doctor.sh) || { echo "$said"; exit 1; }
level=$(common/kit/isolation.sh)
say() { printf '\n--- %s\n' "$*"; }

say "the solution of lab 1 on four ranks: mpirun -n 4 build/solutions/lab1"
mpirun -n 4 build/solutions/lab1

say "grading the untouched skeleton: build/grade run --lab lab1 labs/lab1-collectives"
build/grade run --isolation "$level" --lab lab1 labs/lab1-collectives || [ $? -eq 1 ]

say "grading the solution: build/grade run --lab lab1 --student ada solutions/lab1-collectives"
build/grade run --isolation "$level" --lab lab1 --student ada solutions/lab1-collectives

say "all is in place. A student's next step: handouts/lab1-collectives.md"
