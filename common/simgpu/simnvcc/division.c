#include "division.h"

#include <string.h> /* strncmp */

#include "base/trap.h"

/* The general register that holds the divisor if the line, of n characters, is
 * a division; otherwise NULL. */
static const char *divisor(const char *line, size_t n)
{
    if (strncmp(line, "\tsdiv\t", 6) != 0 && strncmp(line, "\tudiv\t", 6) != 0)
        return NULL;
    const char *at = line + n;
    while (at > line && at[-1] != ' ' && at[-1] != ',' && at[-1] != '\t')
        at--;
    return *at == 'w' || *at == 'x' ? at : NULL;
}

void trap_divisions(const char *assembly, FILE *out)
{
    for (const char *line = assembly; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *const next = line + length + (line[length] == '\n');
        const char *const by = divisor(line, length);
        if (by)
            fprintf(out,
                    "\tcbnz\t%.*s, 97f\n"
                    "\t.inst\t%#x\n"
                    "97:\n",
                    (int)(line + length - by), by, TRAP_DIVISION);
        fwrite(line, 1, (size_t)(next - line), out);
        line = next;
    }
}
