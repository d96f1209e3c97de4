#define _GNU_SOURCE
#include "graph/site.h"

#include <dlfcn.h>            /* dladdr1 */
#include <dwarf.h>            /* DW_TAG_inlined_subroutine */
#include <elfutils/libdw.h>   /* dwarf_getscopes */
#include <elfutils/libdwfl.h> /* dwfl_module_getsrc */
#include <link.h>             /* struct link_map */
#include <pthread.h>          /* pthread_mutex_t */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* free */
#include <string.h>           /* strrchr */
#include <unistd.h>           /* readlink */

static pthread_once_t program_once = PTHREAD_ONCE_INIT;
static char program[4096]; /* the running one's path */

static void find_program(void)
{
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
}

void site_locate(const void *address, char *module, size_t nbytes,
                 uint64_t *offset)
{
    const char *const call = (const char *)address - 1; // inside the call
    Dl_info info;
    struct link_map *map = NULL;
    module[0] = 0;
    *offset = (uintptr_t)call;
    if (!dladdr1(call, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return;
    *offset = (uintptr_t)call - map->l_addr;
    if (map->l_name[0]) {
        snprintf(module, nbytes, "%s", map->l_name);
        return;
    }
    pthread_once(&program_once, find_program);
    snprintf(module, nbytes, "%s", program);
}

/*
 * The last module, kept open: lookups come in bulk, mostly for one program.
 * libdw isn't thread-safe, hence the lock.
 */
static struct {
    pthread_mutex_t lock;
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module;
} last = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static Dwfl_Module *open_module(const char *path)
{
    if (last.path && strcmp(last.path, path) == 0)
        return last.module;
    dwfl_end(last.dwfl);
    free(last.path);
    last.module = NULL;
    last.path = strdup(path);
    last.dwfl = dwfl_begin(&callbacks);
    if (!last.path || !last.dwfl)
        return NULL;
    Dwfl_Module *const m = dwfl_report_offline(last.dwfl, path, path, -1);
    if (dwfl_report_end(last.dwfl, NULL, NULL) == 0)
        last.module = m;
    return last.module;
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* True for the headers of CUDA, whose inline functions work for a caller. */
static int is_convenience(const char *path)
{
    return strstr(path, "simgpu/include/") != NULL;
}

/*
 * The C++ wrappers in CUDA's headers are inlined, one in the other: go from the
 * line of the innermost to that of the call that the program makes.
 */
static void find_caller(Dwfl_Module *module, Dwarf_Addr address,
                        const char **file, int *line)
{
    Dwarf_Addr bias;
    Dwarf_Die *const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die *at = NULL, *scopes = NULL, cu;
    Dwarf_Attribute attr;
    Dwarf_Word number, file_number;
    Dwarf_Files *files;
    size_t nfiles;
    // dwarf_getscopes() goes on with the place of the inlined function's
    // definition, dwarf_getscopes_die() with that of its call.
    const int n = unit && dwarf_getscopes(unit, address - bias, &at) > 0
                      ? dwarf_getscopes_die(&at[0], &scopes)
                      : 0;
    for (int i = 0; i < n && is_convenience(*file); i++) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attr),
                            &number) != 0 ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attr),
                            &file_number) != 0 ||
            !dwarf_diecu(&scopes[i], &cu, NULL, NULL) ||
            dwarf_getsrcfiles(&cu, &files, &nfiles) != 0 ||
            file_number >= nfiles)
            continue;
        *file = dwarf_filesrc(files, file_number, NULL, NULL);
        *line = (int)number;
    }
    free(at);
    free(scopes);
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

/* The innermost function at an address, inlined ones included; or NULL. */
static const char *function_at(Dwfl_Module *module, Dwarf_Addr address)
{
    Dwarf_Addr bias;
    Dwarf_Die *const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die *scopes = NULL;
    const char *name = NULL;
    const int n = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    for (int i = 0; i < n && !name; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine ||
            dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
            name = dwarf_diename(&scopes[i]);
    free(scopes);
    return name;
}

struct source { /* the line that belongs to an address */
    const char *file, *function;
    int line;
};

/* Look up a call of this program. False if it has no line, or is a
 * library's. */
static int find_source(const void *address, struct source *s)
{
    char module[4096];
    uint64_t offset;
    Dl_info info;
    struct link_map *map = NULL;
    Dwarf_Addr bias = 0;
    if (!dladdr1((const char *)address - 1, &info, (void **)&map,
                 RTLD_DL_LINKMAP) ||
        !map || map->l_name[0])
        return 0;
    site_locate(address, module, sizeof module, &offset);
    Dwfl_Module *const m = open_module(module);
    if (!m || !dwfl_module_getelf(m, &bias))
        return 0;
    Dwfl_Line *const l = dwfl_module_getsrc(m, offset + bias);
    s->file = l ? dwfl_lineinfo(l, NULL, &s->line, NULL, NULL, NULL) : NULL;
    s->function = function_at(m, offset + bias);
    return s->file != NULL;
}

const char *site_of_student(void *const *address, int n, char *out,
                            size_t nbytes)
{
    struct source s, innermost = {.file = NULL};
    int found = 0;
    pthread_mutex_lock(&last.lock);
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
    pthread_mutex_unlock(&last.lock);
    return out;
}

/* The line of an offset in a module. With the lock held. */
static int find_line(const char *module, uint64_t offset, const char **file,
                     int *line)
{
    Dwfl_Module *const m = module[0] ? open_module(module) : NULL;
    Dwarf_Addr bias = 0;
    *file = NULL;
    if (m && dwfl_module_getelf(m, &bias)) {
        Dwfl_Line *const l = dwfl_module_getsrc(m, offset + bias);
        *file = l ? dwfl_lineinfo(l, NULL, line, NULL, NULL, NULL) : NULL;
        if (*file && is_convenience(*file))
            find_caller(m, offset + bias, file, line);
    }
    return *file != NULL;
}

/* True if a file of the kit only counts calls, and passes them on. */
static int is_wrapper(const char *file)
{
    return strncmp(base_name(file), "meter", 5) == 0;
}

const char *site_stack_text(const struct site_call *call, int n, char *out,
                            size_t nbytes)
{
    const char *file = NULL, *own = NULL;
    char inner[128] = "";
    int line = 0, own_line = 0, i = 0;
    pthread_mutex_lock(&last.lock);
    while (i < n && find_line(call[i].module, call[i].offset, &file, &line) &&
           is_wrapper(file) && i < n - 1)
        i++;
    for (int k = i; k < n && file && (!own || is_kit(own)); k++)
        if (!find_line(call[k].module, call[k].offset, &own, &own_line))
            own = NULL;
    if (file && own && !is_kit(own) && is_kit(file))
        snprintf(inner, sizeof inner, " (in %s:%d)", base_name(file), line);
    if (file && own && !is_kit(own))
        snprintf(out, nbytes, "%s:%d%s", base_name(own), own_line, inner);
    else if (file)
        snprintf(out, nbytes, "%s:%d", base_name(file), line);
    else if (n > 0)
        snprintf(out, nbytes, "%s%s0x%llx", base_name(call[0].module),
                 call[0].module[0] ? "+" : "",
                 (unsigned long long)call[0].offset);
    else
        snprintf(out, nbytes, "?");
    pthread_mutex_unlock(&last.lock);
    return out;
}

const char *site_text(const char *module, uint64_t offset, char *out,
                      size_t nbytes)
{
    return site_stack_text(&(struct site_call){module, offset}, 1, out, nbytes);
}
