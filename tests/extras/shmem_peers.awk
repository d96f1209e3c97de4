# What is reported of PEs that differ, by one of them or by both: what each of
# the two did, by its number. Ranks, lines and what mpirun says are left out.
function say(text) { if (!(text in said)) { said[text] = 1; print text } }
function pair(a, b) { say(a < b ? a "\n" b : b "\n" a) }
!/^simgpu:/ {
    if (/nvshmem|start|^no /) {
        split("", said)
        print
    }
    next
}
{
    sub(/^simgpu: rank [0-9]: */, "")
    gsub(/\.cu:[0-9]+/, ".cu")
}
/ calls it with / {
    split($0, part, ", but ")
    sub(/.*: /, "", part[1])
    sub(/ it /, " " own " ", part[1])
    sub(/, at .*/, "", part[2])
    pair(part[1], part[2])
    next
}
/ calls .*, at / {
    own = $0
    sub(/.* calls /, "", own)
    sub(/,.*/, "", own)
    next
}
/ asks for / {
    split($0, part, ", but ")
    sub(/ of the parent team asks/, "", part[1])
    sub(/: .*/, "", part[2])
    pair(part[1], part[2])
    next
}
/^Block/ { next }
{ say($0) }
