#include "inline.h"

#include <ctype.h>  /* isspace */
#include <stdlib.h> /* strtol */
#include <string.h> /* strstr */

#include "simgpu/kernel.h" /* SIMGPU_MARK */

/* The size of a struct access_inlined and the offsets of its span's members.
 * MAX_SPANS is per file: since every thread has all of them, further
 * instructions share spans. */
enum { SPAN = 64, BEGIN = 0, END = 8, LIMIT = 16, MAX_SPANS = 1024 };

static int is_announced_size(long n)
{
    return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* Parse an access's size and direction from the text behind "__tsan_", and
 * advance the text. Returns 0 if it is something else. */
static int read_name(const char **text, long *nbytes, int *writes)
{
    char *end;
    *writes = strncmp(*text, "write", 5) == 0;
    if (!*writes && strncmp(*text, "read", 4) != 0)
        return 0;
    *nbytes = strtol(*text + (*writes ? 5 : 4), &end, 10);
    *text = end;
    return is_announced_size(*nbytes);
}

/* The text behind the prefix, or NULL if it doesn't start with the prefix. */
static const char *behind(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    return text && strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* True if the line calls the hook of an access. */
static int is_call(const char *line, long *nbytes, int *writes)
{
    const char *at = behind(line, "\tcall\t");
    if (at && *at == '*')
        at++;
    if (!(at = behind(at, "__tsan_")) || !read_name(&at, nbytes, writes))
        return 0;
    const char *const by_table = behind(at, "@GOTPCREL(%rip)");
    const char *const by_stub = behind(at, "@PLT");
    at = by_table ? by_table : by_stub ? by_stub : at;
    return isspace((unsigned char)*at);
}

/* True if the line would export a function of inlined.h from the object. */
static int is_global(const char *line)
{
    long nbytes;
    int writes;
    const char *name = behind(line, "\t.globl\t__tsan_");
    return (name && read_name(&name, &nbytes, &writes)) ||
           behind(line, "\t.globl\t__ubsan_");
}

static void write_access(FILE *out, int span, long nbytes, int writes)
{
    const int at = span * SPAN;
    fprintf(out,
            "\tleaq\t%ld(%%rdi), %%rax\n"
            "\tcmpq\t%%rdi, %%fs:.Lsimgpu_spans@tpoff+%d\n"
            "\tja\t98f\n"
            "\tcmpq\t%%rax, %%fs:.Lsimgpu_spans@tpoff+%d\n"
            "\tjae\t99f\n"
            "\tcmpq\t%%rdi, %%fs:.Lsimgpu_spans@tpoff+%d\n"
            "\tjne\t98f\n"
            "\tcmpq\t%%rax, %%fs:.Lsimgpu_spans@tpoff+%d\n"
            "\tjb\t98f\n"
            "\tmovq\t%%rax, %%fs:.Lsimgpu_spans@tpoff+%d\n"
            "\tjmp\t99f\n",
            nbytes, at + BEGIN, at + END, at + END, at + LIMIT, at + END);
    fprintf(out,
            "98:\tmovq\t%%fs:0, %%rsi\n"
            "\tleaq\t.Lsimgpu_spans@tpoff+%d(%%rsi), %%rsi\n"
            "\tcall\t*__tsan_%s%ld_at@GOTPCREL(%%rip)\n"
            "99:\n",
            at, writes ? "write" : "read", nbytes);
}

/* Zeroed thread-local variables are arrays in shared memory. Each is followed
 * by unused bytes, so that an index past its end doesn't reach the next one
 * (device/sharing/arrays.h). */
enum { GAP = 256 };

static int is_section(const char *line)
{
    return behind(line, "\t.section\t") || behind(line, "\t.text") ||
           behind(line, "\t.data") || behind(line, "\t.bss");
}

static int is_shared_section(const char *line, size_t length)
{
    const char *const flags = memchr(line, '"', length);
    return behind(line, "\t.section\t.tbss") && flags && behind(flags, "\"awT");
}

/* Write a kernel's mark. Its code stays aligned as functions are. */
static void write_mark(FILE *out, unsigned promises)
{
    fprintf(out, "\t.p2align 4\n\t.quad\t%u, %#llx\n", promises,
            (unsigned long long)SIMGPU_MARK);
}

static void write_spans(FILE *out, int n)
{
    fprintf(out,
            "\t.section\t.tbss,\"awT\",@nobits\n"
            "\t.balign\t64\n"
            ".Lsimgpu_spans:\n"
            "\t.zero\t%d\n",
            n * SPAN);
}

void inline_accesses(const char *assembly, const struct calls *calls, FILE *out)
{
    int nspans = 0, is_shared = 0;
    if (!strstr(assembly, "# simgpu inlines accesses")) {
        fputs(assembly, out);
        return;
    }
    for (const char *line = assembly; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *const next = line + length + (line[length] == '\n');
        long nbytes;
        int writes;
        const size_t label = strcspn(line, ":\t\n ");
        const unsigned promises =
            line[label] == ':' ? calls_promised(calls, line, label) : 0;
        if (promises)
            write_mark(out, promises);
        if (is_call(line, &nbytes, &writes))
            write_access(out,
                         nspans < MAX_SPANS ? nspans++ : MAX_SPANS + writes,
                         nbytes, writes);
        else if (!is_global(line))
            fwrite(line, 1, (size_t)(next - line), out);
        if (is_section(line))
            is_shared = is_shared_section(line, length);
        if (is_shared && behind(line, "\t.zero\t"))
            fprintf(out, "\t.zero\t%d\n", GAP);
        line = next;
    }
    write_spans(out, nspans < MAX_SPANS ? nspans : MAX_SPANS + 2);
}
