# A table of NCCL's names in Markdown, a row for each group of them:
#
#   awk -F'\t' -v first=HEADING [-v of_all=TEXT] [-v tick='`'] -f nccl_table.awk
#
# Input: group, name, "+" if it is newer than 2.28.9, "there" or why not. A
# tick goes around the groups' names, and of_all behind "all" in the last row.
!($1 in all) { order[++n] = $1; older[$1] = has[$1] = 0 }
{ all[$1]++ }
$3 == "" { older[$1]++ }
$4 == "there" { has[$1]++; next }
!index(lacks[$1], $4) { lacks[$1] = lacks[$1] (lacks[$1] ? "; " : "") $4 }
END {
    print "| " first " | there | in 2.32.3 | in 2.28.9 | missing |"
    print "|---|---|---|---|---|"
    for (i = 1; i <= n; i++) {
        f = order[i]
        printf "| %s%s%s | %d | %d | %d | %s |\n", tick, f, tick, has[f],
            all[f], older[f], lacks[f]
        sum += has[f]
        total += all[f]
        total_older += older[f]
    }
    printf "| all%s | %d | %d | %d | |\n", of_all, sum, total, total_older
}
