#!/usr/bin/env bash
# Write compile_commands.json, which tells editors' language servers (clangd)
# how each source is compiled.
#
#   make -nB V=1 all | common/kit/compile-commands.sh > compile_commands.json
#
# clangd knows neither simnvcc nor nvcc's options, so .cu files are listed as
# CUDA for the host, with simgpu's headers and names (clangd.cuh).
set -euo pipefail
cd "$(dirname "$0")/../.."
awk -v dir="$PWD" '
    function json(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return s }
    function entry(command, file) {
        printf "%s{\"directory\": \"%s\", \"file\": \"%s\",\n \"command\": \"%s\"}",
               n++ ? ",\n" : "[\n", json(dir), json(file), json(command)
    }
    { line = line $0 }
    line ~ /\\$/ { sub(/\\$/, " ", line); next }
    match(line, / -c [^ ]+\.(c|cpp|cu) -o /) {
        file = substr(line, RSTART + 4, RLENGTH - 8)
        command = line
        gsub(/[ \t]+/, " ", command)
        if (file ~ /\.cu$/) {
            includes = ""
            k = split(command, word, " ")
            for (i = 1; i <= k; i++)
                if (word[i] ~ /^-I/) includes = includes " " word[i]
                else if (word[i] == "-isystem")
                    includes = includes " -isystem " word[i + 1]
            command = "clang++ -x cuda --cuda-host-only -nocudainc " \
                "-nocudalib -Xclang -fcuda-allow-variadic-functions " \
                "-Wno-unknown-cuda-version -std=c++17 -Wall " \
                "-Wextra -D__SIMNVCC__" includes \
                " -include common/kit/clangd.cuh -c " \
                file
        }
        if (!seen[file]++) entry(command, file)
    }
    { line = "" }
    END { print n ? "\n]" : "[]" }'
