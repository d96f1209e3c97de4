#define _GNU_SOURCE
#include "graph/record/site.h"

#include <dwarf.h>            /* DW_TAG_inlined_subroutine */
#include <elfutils/libdw.h>   /* dwarf_haspc */
#include <elfutils/libdwfl.h> /* dwfl_module_getsrc */
#include <link.h>             /* dl_iterate_phdr */
#include <pthread.h>          /* pthread_mutex_t */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* free */
#include <string.h>           /* strrchr */
#include <unistd.h>           /* readlink */

#include "base/map.h"

enum { MAX_SCOPES = 64 }; /* nested functions and blocks */

static pthread_once_t program_once = PTHREAD_ONCE_INIT;
static char program[4096]; /* path of the running program */

static void find_program(void)
{
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        program[0] = 0;
}

struct place { /* an address and where dl_iterate_phdr() finds it */
    uintptr_t address;
    uint64_t offset;
    const char *path; /* "" for the program; NULL: in no module */
};

/* Find the module of an address. dladdr1() would also look for a symbol,
 * which takes time. */
static int is_here(struct dl_phdr_info *info, size_t nbytes, void *arg)
{
    struct place *const p = arg;
    (void)nbytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD ||
            p->address - info->dlpi_addr - h->p_vaddr >= h->p_memsz)
            continue;
        p->path = info->dlpi_name;
        p->offset = p->address - info->dlpi_addr;
        return 1;
    }
    return 0;
}

void site_locate(const void *address, char *module, size_t nbytes,
                 uint64_t *offset)
{
    struct place p = {.address = (uintptr_t)address - 1}; // inside the call
    dl_iterate_phdr(is_here, &p);
    *offset = p.path ? p.offset : p.address;
    if (p.path && !p.path[0])
        pthread_once(&program_once, find_program);
    snprintf(module, nbytes, "%s", !p.path ? "" : *p.path ? p.path : program);
}

struct line { /* the line of a call */
    const char *file;
    int number;
};

/* A module in which lines were looked up. It is kept open, since many lookups
 * follow one another. */
struct module {
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct map known; /* by offset: a struct line * */
    struct module *next;
};

/* Held around calls of libdw, which isn't thread-safe. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* Open a module; one without a file has no lines. NULL if memory runs out. */
static struct module *open_module(const char *path)
{
    for (struct module *m = modules; m; m = m->next)
        if (strcmp(m->path, path) == 0)
            return m;
    struct module *const m = calloc(1, sizeof *m);
    if (!m || !(m->path = strdup(path))) {
        free(m);
        return NULL;
    }
    m->next = modules;
    modules = m;
    m->dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *const found =
        m->dwfl ? dwfl_report_offline(m->dwfl, path, path, -1) : NULL;
    if (found && dwfl_report_end(m->dwfl, NULL, NULL) == 0)
        m->module = found;
    return m;
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* True for CUDA's headers, whose inline functions act for a caller. */
static int is_convenience(const char *path)
{
    return strstr(path, "simgpu/include/") != NULL;
}

/*
 * The functions and blocks of a unit that contain an address, outermost first;
 * inlined ones are inside their callers. Returns their number.
 * dwarf_getscopes() would replace an inlined function by the scopes of its
 * definition, and dwarf_getscopes_die() reads the whole unit to find a parent:
 * each takes milliseconds in a unit that includes the headers of C++. gcc puts
 * all functions at the top level of a unit, clang into their namespaces.
 */
static int scopes_at(Dwarf_Die *within, Dwarf_Addr address,
                     Dwarf_Die scope[MAX_SCOPES], int n)
{
    Dwarf_Die at;
    int all = n;
    int err = n < MAX_SCOPES ? dwarf_child(within, &at) : -1;
    for (; err == 0 && all == n; err = dwarf_siblingof(&at, &at)) {
        if (dwarf_haspc(&at, address) > 0) {
            scope[n] = at;
            all = scopes_at(&scope[n], address, scope, n + 1);
        } else if (dwarf_tag(&at) == DW_TAG_namespace) {
            all = scopes_at(&at, address, scope, n);
        }
    }
    return all;
}

/*
 * CUDA's headers contain C++ wrappers, which are inlined into one another: go
 * from the line of the innermost to that of the program's own call.
 */
static void find_caller(Dwfl_Module *module, Dwarf_Addr address,
                        const char **file, int *line)
{
    Dwarf_Addr bias;
    Dwarf_Die *const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die scope[MAX_SCOPES], cu;
    Dwarf_Attribute attr;
    Dwarf_Word number, file_number;
    Dwarf_Files *files;
    size_t nfiles;
    const int n = unit ? scopes_at(unit, address - bias, scope, 0) : 0;
    for (int i = n - 1; i >= 0 && is_convenience(*file); i--) {
        if (dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_line, &attr),
                            &number) != 0 ||
            dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_file, &attr),
                            &file_number) != 0 ||
            !dwarf_diecu(&scope[i], &cu, NULL, NULL) ||
            dwarf_getsrcfiles(&cu, &files, &nfiles) != 0 ||
            file_number >= nfiles)
            continue;
        *file = dwarf_filesrc(files, file_number, NULL, NULL);
        *line = (int)number;
    }
}

/* True for a source file of the kit or of the system. */
static int is_kit(const char *file)
{
    static const char *const folders[] = {
        "common/base/", "common/cuda/", "common/graph/",  "common/judge/",
        "common/lab/",  "common/nn/",   "common/simgpu/", "common/staff/",
        "common/topo/", "/usr/",        "simgpu/include/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strstr(file, folders[i]))
            return 1;
    return strncmp(file, "../sysdeps", 10) == 0;
}

/* The innermost function at an address, including inlined ones; or NULL. */
static const char *function_at(Dwfl_Module *module, Dwarf_Addr address)
{
    Dwarf_Addr bias;
    Dwarf_Die *const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die scope[MAX_SCOPES];
    const char *name = NULL;
    const int n = unit ? scopes_at(unit, address - bias, scope, 0) : 0;
    for (int i = n - 1; i >= 0 && !name; i--)
        if (dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine ||
            dwarf_tag(&scope[i]) == DW_TAG_subprogram)
            name = dwarf_diename(&scope[i]);
    return name;
}

struct source { /* the source line of an address */
    const char *file, *function;
    int line;
};

/* Look up a call of this program. False if it has no line or
 * belongs to a library. */
static int find_source(const void *address, struct source *s)
{
    char path[4096];
    uint64_t offset;
    Dwarf_Addr bias = 0;
    site_locate(address, path, sizeof path, &offset);
    if (!path[0] || strcmp(path, program) != 0)
        return 0;
    struct module *const m = open_module(path);
    if (!m || !dwfl_module_getelf(m->module, &bias))
        return 0;
    Dwfl_Line *const l = dwfl_module_getsrc(m->module, offset + bias);
    s->file = l ? dwfl_lineinfo(l, NULL, &s->line, NULL, NULL, NULL) : NULL;
    s->function = function_at(m->module, offset + bias);
    return s->file != NULL;
}

int site_student(void *const *address, int n, char *out, size_t nbytes)
{
    struct source s, innermost = {.file = NULL};
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n && !found; i++) {
        if (!find_source(address[i], &s))
            continue;
        if (!innermost.file)
            innermost = s;
        found = !is_kit(s.file);
    }
    if (!found)
        s = innermost;
    if (s.file)
        snprintf(out, nbytes, "%s%s%s:%d", s.function ? s.function : "",
                 s.function ? "() at " : "", base_name(s.file), s.line);
    else
        snprintf(out, nbytes, "an unknown place");
    pthread_mutex_unlock(&lock);
    return found;
}

const char *site_of_student(void *const *address, int n, char *out,
                            size_t nbytes)
{
    site_student(address, n, out, nbytes);
    return out;
}

static struct line read_line(Dwfl_Module *m, uint64_t offset)
{
    struct line line = {NULL, 0};
    Dwarf_Addr bias = 0;
    if (!dwfl_module_getelf(m, &bias))
        return line;
    Dwfl_Line *const l = dwfl_module_getsrc(m, offset + bias);
    if (l)
        line.file = dwfl_lineinfo(l, NULL, &line.number, NULL, NULL, NULL);
    if (line.file && is_convenience(line.file))
        find_caller(m, offset + bias, &line.file, &line.number);
    return line;
}

/*
 * The line of a call, if it has one. The lock must be held. Lines are cached,
 * because the stacks of a program's sites have most of their calls in common.
 */
static struct line find_line(const struct site_call *call)
{
    struct module *const m = call->module[0] ? open_module(call->module) : NULL;
    uint64_t *const known = m ? map_at(&m->known, call->offset) : NULL;
    if (!known)
        return (struct line){NULL, 0};
    if (*known)
        return *(const struct line *)(uintptr_t)*known;
    const struct line found = read_line(m->module, call->offset);
    struct line *const kept = malloc(sizeof *kept);
    if (kept)
        *kept = found;
    *known = (uintptr_t)kept;
    return found;
}

/* True if a file of the kit only counts calls and passes them on. */
static int is_wrapper(const char *file)
{
    return strncmp(base_name(file), "meter", 5) == 0;
}

struct stack {       /* what a stack's calls are; line.file NULL: none */
    struct line at;  /* the call itself */
    struct line own; /* the innermost that is in a student's file; if there is
                        none, the outermost */
    int next;        /* the position of the one behind `own` */
};

/* The lock must be held, also while the result is in use. */
static struct stack read_stack(const struct site_call *call, int n)
{
    struct stack s = {{NULL, 0}, {NULL, 0}, 0};
    int i = 0;
    while (i < n && (s.at = find_line(&call[i])).file &&
           is_wrapper(s.at.file) && i < n - 1)
        i++;
    for (; i < n && s.at.file && (!s.own.file || is_kit(s.own.file)); i++)
        s.own = find_line(&call[i]);
    s.next = i;
    return s;
}

const char *site_stack_text(const struct site_call *call, int n, char *out,
                            size_t nbytes)
{
    char inner[128] = "";
    pthread_mutex_lock(&lock);
    const struct stack s = read_stack(call, n);
    const int is_own = s.at.file && s.own.file && !is_kit(s.own.file);
    if (is_own && is_kit(s.at.file))
        snprintf(inner, sizeof inner, " (in %s:%d)", base_name(s.at.file),
                 s.at.number);
    if (is_own)
        snprintf(out, nbytes, "%s:%d%s", base_name(s.own.file), s.own.number,
                 inner);
    else if (s.at.file)
        snprintf(out, nbytes, "%s:%d", base_name(s.at.file), s.at.number);
    else if (n > 0)
        snprintf(out, nbytes, "%s%s0x%llx", base_name(call[0].module),
                 call[0].module[0] ? "+" : "",
                 (unsigned long long)call[0].offset);
    else
        snprintf(out, nbytes, "?");
    pthread_mutex_unlock(&lock);
    return out;
}

const char *site_stack_from(const struct site_call *call, int n, char *out,
                            size_t nbytes)
{
    out[0] = 0;
    pthread_mutex_lock(&lock);
    const struct stack s = read_stack(call, n);
    for (int i = s.next; i < n && s.own.file && !out[0]; i++) {
        const struct line l = find_line(&call[i]);
        if (l.file && !is_kit(l.file) && !is_kit(s.own.file) &&
            strcmp(base_name(l.file), base_name(s.own.file)) != 0)
            snprintf(out, nbytes, "%s:%d", base_name(l.file), l.number);
    }
    pthread_mutex_unlock(&lock);
    return out;
}

const char *site_text(const char *module, uint64_t offset, char *out,
                      size_t nbytes)
{
    return site_stack_text(&(struct site_call){module, offset}, 1, out, nbytes);
}
