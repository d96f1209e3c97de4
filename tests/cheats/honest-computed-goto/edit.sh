# Labels as values, statement expressions, case ranges, arrays of length 0.
sed -i '/#include "lab\/try.h"/r /dev/stdin' heads.c <<'C'
#include <stdio.h>
struct odd { int n; int of[0]; };
static int odd_machine(const char *code);
static int odd_machine(const char *code)
{
    static const void *const where[] = {&&add, &&twice, &&end};
    int x = 0;
next:
    goto *where[({ int k; switch (*code++) { case 'a' ... 'm': k = 0; break; case 'n' ... 'z': k = 1; break; default: k = 2; } k; })];
add:
    x++;
    goto next;
twice:
    x = (x ?: 1) << 1, x;
    goto next;
end:
    return x + (int)sizeof(struct odd);
}
C
first=$(grep -n '^ncclResult_t' heads.c | head -n 1 | cut -d: -f1)
sed -i "$first,\$ { 0,/^{/! b }" heads.c
awk -v f="$first" 'NR >= f && !done && /^{/ { print; print "    if (odd_machine(\"anz!\") != 4 + 4)\n        return ncclInternalError;"; done = 1; next } 1' heads.c > new.c && mv new.c heads.c
