#define _GNU_SOURCE
#include "calls.h"

#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* qsort */
#include <string.h> /* memcmp */

#include "callable.h"
#include "simgpu/kernel.h" /* SIMGPU_INDEPENDENT */

enum { PROMISES = SIMGPU_INDEPENDENT | SIMGPU_UNWAITING };

struct name { /* in the assembly, without a NUL at its end */
    const char *at;
    size_t n;
};

struct function {
    struct name name;
    int is_kernel;
    int is_device;   /* a kernel, or called by a kernel */
    unsigned broken; /* promises that a kernel cannot make */
    long file;       /* number of the file where it begins; 0: unknown */
};

struct call {
    const char *line;           /* line of the assembly */
    struct function *from, *to; /* to: NULL if it is in another file */
    /* begins with '*' if the callee is in a register or memory */
    struct name name;
};

struct calls {
    const char *assembly;
    struct function *function; /* sorted by name */
    struct call *call;
    size_t nfunctions, ncalls;
};

/* ---- names --------------------------------------------------------------- */

static int compare(struct name a, struct name b)
{
    const int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int compare_functions(const void *a, const void *b)
{
    return compare(((const struct function *)a)->name,
                   ((const struct function *)b)->name);
}

static struct function *find(const struct calls *c, struct name name)
{
    const struct function key = {.name = name};
    return c->nfunctions ? bsearch(&key, c->function, c->nfunctions, sizeof key,
                                   compare_functions)
                         : NULL;
}

static int begins_with(struct name name, const char *prefix)
{
    const size_t n = strlen(prefix);
    return name.n >= n && memcmp(name.at, prefix, n) == 0;
}

static int is_one(struct name name, const char *text)
{
    return name.n == strlen(text) && begins_with(name, text);
}

/* True for simgpu::entry<...>::launch(), which a kernel calls first if it was
 * itself called by host code. */
static int is_launch(struct name name)
{
    static const char method[] = "6launchE";
    if (!begins_with(name, "_ZN6simgpu5entryI"))
        return 0;
    for (size_t i = 0; i + sizeof method - 1 <= name.n; i++)
        if (memcmp(name.at + i, method, sizeof method - 1) == 0)
            return 1;
    return 0;
}

static int is_hook(struct name name)
{
    static const char *const hooks[] = {
        "__tsan_read", "__tsan_write", "__tsan_unaligned_read",
        "__tsan_unaligned_write", "__ubsan_handle_type_mismatch"};
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (begins_with(name, hooks[i]))
            return 1;
    return 0;
}

/* True for functions that only wait for the threads of a block. */
static int is_barrier(struct name name)
{
    return is_one(name, "simgpu_count") || is_one(name, "simgpu_syncthreads");
}

/* True for functions that leave a kernel's promises as they are. */
static int is_harmless(struct name name)
{
    return is_hook(name) || callable_is_harmless(name.at, name.n);
}

/* ---- reading ------------------------------------------------------------- */

/* The text behind a prefix, up to one of the characters in `ends`. Its length
 * is 0 if the line doesn't start with the prefix. */
static struct name behind(const char *line, const char *prefix,
                          const char *ends)
{
    const size_t n = strlen(prefix);
    if (strncmp(line, prefix, n) != 0)
        return (struct name){line, 0};
    return (struct name){line + n, strcspn(line + n, ends)};
}

static void *grow(void *array, size_t n, size_t size)
{
    if (n & (n - 1)) // array is full at powers of 2 only
        return array;
    void *const grown = realloc(array, (n ? 2 * n : 1) * size);
    if (!grown) {
        fprintf(stderr, "simnvcc: out of memory\n");
        exit(1);
    }
    return grown;
}

/* The name of a function, given that of its cold part, a section to which the
 * compiler moves rarely executed code. */
static struct name whole(struct name name)
{
    static const char cold[] = ".cold";
    const size_t n = sizeof cold - 1;
    if (name.n > n && memcmp(name.at + name.n - n, cold, n) == 0)
        name.n -= n;
    return name;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static void add_functions(struct calls *c, const char *assembly)
{
    for (const char *line = assembly; *line; line = next_line(line)) {
        const struct name name = whole(behind(line, "\t.type\t", ",\n"));
        if (!name.n ||
            strncmp(name.at + strcspn(name.at, "@%\n") + 1, "function", 8) != 0)
            continue;
        c->function = grow(c->function, c->nfunctions, sizeof *c->function);
        c->function[c->nfunctions++] = (struct function){.name = name};
    }
    if (!c->nfunctions)
        return;
    qsort(c->function, c->nfunctions, sizeof *c->function, compare_functions);
    size_t n = 1; // a cold part has its function's name: keep one of the two
    for (size_t i = 1; i < c->nfunctions; i++)
        if (compare_functions(&c->function[i], &c->function[n - 1]) != 0)
            c->function[n++] = c->function[i];
    c->nfunctions = n;
}

/* What a line calls, or a name of length 0. "*..." stands for an address in a
 * register or memory, for which arm64 has another instruction. */
static struct name called(const char *line)
{
    const struct name to = behind(line, "\tcall\t", "@\n");
    if (to.n && *to.at == '*' && to.at[to.n] == '@')
        // called through its table entry
        return (struct name){to.at + 1, to.n - 1};
    if (behind(line, "\tblr\t", "\n").n)
        return (struct name){"*", 1};
    return to.n ? to : behind(line, "\tbl\t", "\n");
}

/* Collect all calls, except the one by which a kernel called by the host
 * launches itself. */
static void add_calls(struct calls *c, const char *assembly)
{
    struct function *in = NULL;
    for (const char *line = assembly; *line; line = next_line(line)) {
        const struct name label = behind(line, "", ":\t\n ");
        struct function *const begins =
            label.n && line[label.n] == ':' ? find(c, whole(label)) : NULL;
        in = begins ? begins : in;
        if (in && !in->file && behind(line, "\t.loc ", "\n").n)
            in->file = strtol(line + strlen("\t.loc "), NULL, 10);
        const struct name name = called(line);
        if (!name.n || !in)
            continue;
        if (is_launch(name)) {
            in->is_kernel = 1;
            continue;
        }
        c->call = grow(c->call, c->ncalls, sizeof *c->call);
        c->call[c->ncalls++] = (struct call){line, in, find(c, name), name};
    }
}

/* The promises that a function breaks by this call. */
static unsigned broken_by(const struct call *k)
{
    if (is_barrier(k->name))
        return SIMGPU_UNWAITING;
    if (k->to && !is_hook(k->name))
        return k->to->broken;
    return is_harmless(k->name) ? 0 : PROMISES;
}

static void mark_broken(struct calls *c)
{
    for (int again = 1; again;) {
        again = 0;
        for (size_t i = 0; i < c->ncalls; i++) {
            const struct call *const k = &c->call[i];
            const unsigned more = broken_by(k) & ~k->from->broken;
            k->from->broken |= more;
            again |= more != 0;
        }
    }
}

static void mark_device(struct calls *c)
{
    for (size_t i = 0; i < c->nfunctions; i++)
        c->function[i].is_device = c->function[i].is_kernel;
    for (int again = 1; again;) {
        again = 0;
        for (size_t i = 0; i < c->ncalls; i++) {
            const struct call *const k = &c->call[i];
            if (!k->from->is_device || !k->to || k->to->is_device)
                continue;
            k->to->is_device = again = 1;
        }
    }
}

struct calls *calls_read(const char *assembly)
{
    struct calls *const c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->assembly = assembly;
    add_functions(c, assembly);
    add_calls(c, assembly);
    mark_broken(c);
    mark_device(c);
    return c;
}

void calls_free(struct calls *c)
{
    if (c) {
        free(c->function);
        free(c->call);
    }
    free(c);
}

/* The name, without its quotes, of a file by its number
 * in the assembly; or "". */
static struct name source_name(const struct calls *c, long number)
{
    for (const char *line = c->assembly; *line; line = next_line(line)) {
        const struct name file = behind(line, "\t.file ", "\n");
        if (!file.n || strtol(file.at, NULL, 10) != number)
            continue;
        const char *end = file.at + file.n,
                   *begin = end; // a folder may precede it
        for (int quotes = 0; begin > file.at && quotes < 2;)
            quotes += *--begin == '"';
        return (struct name){begin + 1, (size_t)(end - begin - 2)};
    }
    return (struct name){"", 0};
}

/* Find the source line of a call; place->line stays 0 if unknown. What is
 * inlined from a header counts as the line of its caller, which is the last one
 * before it in the caller's own file. */
static void find_place(const struct calls *c, const struct call *k,
                       struct call_place *place)
{
    const char *from = NULL;
    char *end;
    for (const char *line = c->assembly; line < k->line;
         line = next_line(line)) {
        const struct name loc = behind(line, "\t.loc ", "\n");
        if (loc.n &&
            (!k->from->file || strtol(loc.at, NULL, 10) == k->from->file))
            from = loc.at;
    }
    if (!from)
        return;
    const struct name file = source_name(c, strtol(from, &end, 10));
    place->line = (int)strtol(end, NULL, 10);
    snprintf(place->file, sizeof place->file, "%.*s", (int)file.n, file.at);
}

/* True if a function is the program's, rather than from a
 * header in that folder. */
static int is_own(const struct calls *c, const struct function *f,
                  const char *folder)
{
    char path[PATH_MAX], whole_path[PATH_MAX];
    if (!f)
        return 0;
    const struct name file = source_name(c, f->file);
    snprintf(path, sizeof path, "%.*s", (int)file.n, file.at);
    return !realpath(path, whole_path) ||
           strncmp(whole_path, folder, strlen(folder)) != 0;
}

int calls_not_inlined(const struct calls *c, const char *folder,
                      struct call_place *place)
{
    *place = (struct call_place){0};
    for (size_t i = 0; i < c->ncalls; i++) {
        const struct call *const k = &c->call[i];
        place->by_pointer = *k->name.at == '*';
        if (!k->from->is_device ||
            (!place->by_pointer && !is_own(c, k->to, folder)))
            continue;
        find_place(c, k, place);
        return 1;
    }
    return 0;
}

int calls_outside(const struct calls *c, struct call_place *place)
{
    *place = (struct call_place){0};
    for (size_t i = 0; i < c->ncalls; i++) {
        const struct call *const k = &c->call[i];
        if (!k->from->is_device || k->to || *k->name.at == '*' ||
            callable_is_allowed(k->name.at, k->name.n))
            continue;
        find_place(c, k, place);
        snprintf(place->callee, sizeof place->callee, "%.*s", (int)k->name.n,
                 k->name.at);
        return 1;
    }
    return 0;
}

unsigned calls_promised(const struct calls *c, const char *name, size_t n)
{
    const struct function *const f = find(c, (struct name){name, n});
    return f && f->is_kernel ? PROMISES & ~f->broken : 0;
}
