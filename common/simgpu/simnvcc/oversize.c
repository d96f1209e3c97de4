#define _GNU_SOURCE
#include "oversize.h"

#include <ctype.h>  /* isdigit */
#include <stdlib.h> /* strtoul */
#include <string.h> /* strstr */

enum { SHARED_NBYTES = 48 * 1024, CONSTANT_NBYTES = 64 * 1024, MAX_NAME = 512 };

struct symbol { /* a variable of the assembly: .size NAME, NBYTES */
    const char *name;
    size_t length, nbytes;
    int is_thread_local;
};

static int begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* Find the next variable from *at on. Returns 0 at the end. The section that
 * it is in is *section, between calls. */
static int next_symbol(const char **at, const char **section, struct symbol *s)
{
    static const char size[] = "\t.size\t", in[] = "\t.section\t";
    while (**at) {
        const char *const line = *at;
        *at += strcspn(line, "\n");
        *at += **at == '\n';
        if (begins(line, in))
            *section = line + sizeof in - 1;
        else if (begins(line, "\t.data") || begins(line, "\t.bss") ||
                 begins(line, "\t.text"))
            *section = line;
        if (!begins(line, size))
            continue;
        s->name = line + sizeof size - 1;
        s->length = strcspn(s->name, ",\n");
        const char *const number = s->name + s->length + 2;
        if (s->name[s->length] != ',' || !isdigit((unsigned char)*number))
            continue; // a function: its size is a difference of labels
        s->nbytes = strtoul(number, NULL, 10);
        s->is_thread_local =
            begins(*section, ".tbss") || begins(*section, ".tdata");
        return 1;
    }
    return 0;
}

/* The length of what C++ puts in front of a local variable's own name: that of
 * "_ZZ1kPiE" in "_ZZ1kPiE1s". 0 for a variable of no function. */
static size_t function_length(const struct symbol *s)
{
    if (!begins(s->name, "_ZZ"))
        return 0;
    for (size_t i = s->length; i-- > 0;) {
        char *end;
        if (s->name[i] != 'E' || !isdigit((unsigned char)s->name[i + 1]))
            continue;
        const size_t n = strtoul(s->name + i + 1, &end, 10);
        const size_t left = s->length - (size_t)(end - s->name);
        if (n == left || (n < left && end[n] == '_')) // s_0: the second s
            return i + 1;
    }
    return 0;
}

/* What all __shared__ arrays of a symbol's function take, and whether this one
 * is the first of them. */
static size_t shared_nbytes(const char *assembly, const struct symbol *of,
                            size_t length, int *is_first)
{
    struct symbol s;
    size_t nbytes = 0;
    const char *section = "";
    for (const char *at = assembly; next_symbol(&at, &section, &s);) {
        if (!s.is_thread_local || function_length(&s) != length ||
            strncmp(s.name, of->name, length) != 0)
            continue;
        if (!nbytes)
            *is_first = s.name == of->name;
        nbytes += s.nbytes;
    }
    return nbytes;
}

static int report_shared(const char *assembly, const char *source, FILE *out)
{
    struct symbol s;
    int found = 0, is_first = 0;
    const char *section = "";
    for (const char *at = assembly; next_symbol(&at, &section, &s);) {
        const size_t n = s.is_thread_local ? function_length(&s) : 0;
        const size_t nbytes = n ? shared_nbytes(assembly, &s, n, &is_first) : 0;
        if (nbytes <= SHARED_NBYTES || !is_first)
            continue;
        fprintf(out,
                "%s: error: Entry function '_Z%.*s' uses too much shared data "
                "(0x%zx bytes, 0x%x max): its __shared__ arrays take %zu bytes "
                "of %d. Make one of them extern, give its bytes at the launch, "
                "and allow them by cudaFuncSetAttribute() with "
                "cudaFuncAttributeMaxDynamicSharedMemorySize\n",
                source, (int)(n - 4), s.name + 3, nbytes, SHARED_NBYTES, nbytes,
                SHARED_NBYTES);
        found++;
    }
    return found;
}

/* True if a symbol is a variable of that name, in a namespace or not: x, or
 * _ZL1x, or _ZN5space1xE. */
static int is_named(const struct symbol *s, const char *name)
{
    char mangled[MAX_NAME + 24];
    const int n =
        snprintf(mangled, sizeof mangled, "%zu%s", strlen(name), name);
    if (s->length == strlen(name) && begins(s->name, name))
        return 1;
    const size_t length = s->length - (s->name[s->length - 1] == 'E');
    return begins(s->name, "_Z") && length > (size_t)n &&
           memcmp(s->name + length - n, mangled, (size_t)n) == 0;
}

/* The bytes of the smallest variable of a name; 0 if there is none. */
static size_t named_nbytes(const char *assembly, const char *name)
{
    struct symbol s;
    size_t nbytes = 0;
    const char *section = "";
    for (const char *at = assembly; next_symbol(&at, &section, &s);)
        if (!s.is_thread_local && is_named(&s, name) &&
            (!nbytes || s.nbytes < nbytes))
            nbytes = s.nbytes;
    return nbytes;
}

/* variables.h lists the __constant__ variables in the assembly, by name. */
static int report_constant(const char *assembly, const char *source, FILE *out)
{
    static const char mark[] = "\n.string \"const ";
    char name[MAX_NAME];
    size_t nbytes = 0;
    for (const char *at = assembly; (at = strstr(at, mark));) {
        at += sizeof mark - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\""), at);
        nbytes += named_nbytes(assembly, name);
    }
    if (nbytes <= CONSTANT_NBYTES)
        return 0;
    fprintf(out,
            "%s: error: File uses too much global constant data (0x%zx bytes, "
            "0x%x max): its __constant__ variables take %zu bytes of %d. "
            "Declare the largest of them __device__\n",
            source, nbytes, CONSTANT_NBYTES, nbytes, CONSTANT_NBYTES);
    return 1;
}

int oversize_report(const char *assembly, const char *source, FILE *out)
{
    return report_shared(assembly, source, out) +
           report_constant(assembly, source, out);
}
