#include "core/heap/variables.h"

#include <fcntl.h>   /* open */
#include <gelf.h>    /* gelf_getsym */
#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* strcmp */
#include <unistd.h>  /* close */

enum { MAX_MODULES = 64 };

struct variables {
    char *path;
    Elf *elf;
    Elf_Data *names;   /* device variables; a 0 ends each name */
    Elf_Data *symbols; /* NULL: the module is stripped */
    size_t nsymbols, strings;
    uint64_t own; /* address of the list of the devices' own variables */
    size_t own_nbytes;
};

static struct variables *modules[MAX_MODULES];
static int nmodules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Find the sections that matter. */
static void read_sections(struct variables *v)
{
    size_t strings;
    GElf_Shdr h;
    if (elf_getshdrstrndx(v->elf, &strings) != 0)
        return;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(v->elf, s));) {
        if (!gelf_getshdr(s, &h))
            continue;
        const char *const name = elf_strptr(v->elf, strings, h.sh_name);
        if (name && strcmp(name, "simgpu_variables") == 0)
            v->names = elf_getdata(s, NULL);
        if (name && strcmp(name, "simgpu_own") == 0) {
            v->own = h.sh_addr;
            v->own_nbytes = h.sh_size;
        }
        if (h.sh_type == SHT_SYMTAB && h.sh_entsize) {
            v->symbols = elf_getdata(s, NULL);
            v->nsymbols = h.sh_size / h.sh_entsize;
            v->strings = h.sh_link;
        }
    }
}

/* The caller must hold the lock. */
static struct variables *load(const char *path)
{
    struct variables *const v = calloc(1, sizeof *v);
    if (!v || nmodules == MAX_MODULES || !(v->path = strdup(path))) {
        free(v);
        return NULL;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    v->elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    if (v->elf)
        read_sections(v);
    if (fd >= 0)
        close(fd);
    return modules[nmodules++] = v;
}

static struct variables *module_of(const char *path)
{
    struct variables *v = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nmodules && !v; i++)
        if (strcmp(modules[i]->path, path) == 0)
            v = modules[i];
    if (!v)
        v = load(path);
    pthread_mutex_unlock(&lock);
    return v;
}

const struct variables *variables_of(const char *path)
{
    const struct variables *const v = module_of(path);
    return v && v->names ? v : NULL;
}

/* The next name after `name`, or the first; NULL at the end. */
static const char *next_name(const struct variables *v, const char *name)
{
    const char *const begin = v->names->d_buf;
    const char *const end = begin + v->names->d_size;
    const char *const next = name ? name + strlen(name) + 1 : begin;
    return begin && next < end && memchr(next, 0, (size_t)(end - next)) ? next
                                                                        : NULL;
}

int variables_allocate(const struct variables *v)
{
    for (const char *n = NULL; (n = next_name(v, n));)
        if (strcmp(n, "malloc()") == 0)
            return 1;
    return 0;
}

/* True if a symbol, which C++ may have mangled to contain "<length><name>",
 * could be the variable `name`. */
static int may_be(const char *symbol, const char *name)
{
    const size_t n = strlen(name);
    if (strcmp(symbol, name) == 0)
        return 1;
    for (const char *at = symbol; n && (at = strstr(at, name)); at++) {
        size_t digits = 0, length = 0, unit = 1;
        while (at - digits > symbol && at[-1 - (long)digits] >= '0' &&
               at[-1 - (long)digits] <= '9' && digits < 4) {
            length += unit * (size_t)(at[-1 - (long)digits] - '0');
            unit *= 10;
            digits++;
            if (length == n)
                return 1;
        }
    }
    return 0;
}

/* Guards of static variables, and what the implementation reserves. */
static int is_reserved(const char *symbol)
{
    static const char *const prefixes[] = {"_ZGV", "_ZSt", "_ZNSt", "_ZNKSt",
                                           "_ZT",  "__",   "simgpu"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return strstr(symbol, "6simgpu") != NULL;
}

/* True if the symbol could be one of those that are listed with this prefix. */
static int is_listed(const struct variables *v, const char *symbol,
                     const char *prefix)
{
    const size_t length = strlen(prefix);
    for (const char *n = NULL; (n = next_name(v, n));)
        if (strncmp(n, prefix, length) == 0 && may_be(symbol, n + length))
            return 1;
    return 0;
}

static void classify(const struct variables *v, const char *symbol,
                     struct variable *out)
{
    const int reserved = is_reserved(symbol);
    const int listed = reserved || is_listed(v, symbol, "");
    out->is_managed = !reserved && is_listed(v, symbol, "managed ");
    out->is_constant =
        !listed && !out->is_managed && is_listed(v, symbol, "const ");
    out->is_device = listed || out->is_managed || out->is_constant;
}

size_t variables_own(const struct variables *v, uint64_t *address)
{
    *address = v->own;
    return v->own_nbytes;
}

/* The last name in a symbol that C++ has mangled: "x" for _ZL1x, _ZN1a1xE. */
static void unmangle(const char *symbol, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "%s", symbol);
    if (strncmp(symbol, "_Z", 2) != 0)
        return;
    for (const char *at = symbol + 2; *at;) {
        char *behind;
        const size_t n =
            *at >= '1' && *at <= '9' ? strtoul(at, &behind, 10) : 0;
        if (n > 0 && n <= strlen(behind)) {
            snprintf(out, nbytes, "%.*s", (int)n, behind);
            at = behind + n;
        } else {
            at++;
        }
    }
}

int variables_find(const struct variables *v, uint64_t address,
                   struct variable *out)
{
    GElf_Sym s;
    int found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; v->symbols && i < v->nsymbols && !found; i++) {
        found = gelf_getsym(v->symbols, (int)i, &s) &&
                GELF_ST_TYPE(s.st_info) == STT_OBJECT &&
                address >= s.st_value && address - s.st_value < s.st_size;
        const char *const name =
            found ? elf_strptr(v->elf, v->strings, s.st_name) : NULL;
        if (found && !name)
            found = 0;
        if (!found)
            continue;
        *out = (struct variable){.begin = s.st_value,
                                 .end = s.st_value + s.st_size};
        classify(v, name, out);
        unmangle(name, out->name, sizeof out->name);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* True if symbol i is the table of virtual functions of one of the program's
 * classes. */
static int is_table(const struct variables *v, size_t i, GElf_Sym *s,
                    const char **name)
{
    static const char prefix[] = "_ZTV";
    if (!gelf_getsym(v->symbols, (int)i, s) ||
        GELF_ST_TYPE(s->st_info) != STT_OBJECT || s->st_shndx == SHN_UNDEF)
        return 0;
    *name = elf_strptr(v->elf, v->strings, s->st_name);
    return *name && strncmp(*name, prefix, sizeof prefix - 1) == 0 &&
           strncmp(*name, "_ZTVSt", 6) != 0 &&
           strncmp(*name, "_ZTVNSt", 7) != 0 && !strstr(*name, "__cxxabiv1");
}

int variables_tables(const struct variables *v, uint64_t *begin, uint64_t *end)
{
    GElf_Sym s;
    const char *name;
    *begin = UINT64_MAX;
    *end = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; v->symbols && i < v->nsymbols; i++) {
        if (!is_table(v, i, &s, &name))
            continue;
        *begin = s.st_value < *begin ? s.st_value : *begin;
        *end = s.st_value + s.st_size > *end ? s.st_value + s.st_size : *end;
    }
    pthread_mutex_unlock(&lock);
    return *begin < *end;
}

int variables_table(const struct variables *v, uint64_t address,
                    struct variable *out)
{
    GElf_Sym s;
    const char *name = NULL;
    int found = 0;
    *out = (struct variable){.name = ""};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; v->symbols && i < v->nsymbols && !found; i++)
        found = is_table(v, i, &s, &name) && address >= s.st_value &&
                address - s.st_value < s.st_size;
    if (found) {
        out->begin = s.st_value;
        out->end = s.st_value + s.st_size;
        unmangle(name, out->name, sizeof out->name);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Where symbols overlap, that which ends last counts. */
int variables_find_any(const char *path, uint64_t address, struct variable *out)
{
    const struct variables *const v = module_of(path);
    const char *name = NULL;
    GElf_Sym s;
    *out = (struct variable){.name = ""};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; v && v->symbols && i < v->nsymbols; i++) {
        if (!gelf_getsym(v->symbols, (int)i, &s) ||
            GELF_ST_TYPE(s.st_info) != STT_OBJECT || address < s.st_value ||
            address - s.st_value >= s.st_size ||
            s.st_value + s.st_size <= out->end)
            continue;
        name = elf_strptr(v->elf, v->strings, s.st_name);
        out->begin = s.st_value;
        out->end = s.st_value + s.st_size;
    }
    if (name)
        unmangle(name, out->name, sizeof out->name);
    pthread_mutex_unlock(&lock);
    return name != NULL;
}

/* The distance of a symbol from the offset; 0: it contains the offset. */
static uint64_t distance(const GElf_Sym *s, uint64_t offset)
{
    if (offset < s->st_value)
        return s->st_value - offset;
    return offset - s->st_value < s->st_size
               ? 0
               : offset - s->st_value - s->st_size + 1;
}

int variables_find_local(const struct variables *v, uint64_t offset,
                         struct variable *out)
{
    const char *name = NULL;
    uint64_t least = UINT64_MAX;
    GElf_Sym s;
    *out = (struct variable){.name = ""};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; v->symbols && i < v->nsymbols; i++) {
        if (!gelf_getsym(v->symbols, (int)i, &s) ||
            GELF_ST_TYPE(s.st_info) != STT_TLS || s.st_shndx == SHN_UNDEF ||
            !s.st_size || distance(&s, offset) >= least)
            continue;
        least = distance(&s, offset);
        name = elf_strptr(v->elf, v->strings, s.st_name);
        out->begin = s.st_value;
        out->end = s.st_value + s.st_size;
    }
    if (name) {
        out->is_device = is_reserved(name) || strstr(name, "18cooperative_");
        unmangle(name, out->name, sizeof out->name);
    }
    pthread_mutex_unlock(&lock);
    return name && !least;
}

uint64_t variables_local_nbytes(const struct variables *v, const char *prefix)
{
    uint64_t nbytes = 0;
    GElf_Sym s;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; v->symbols && i < v->nsymbols; i++) {
        if (!gelf_getsym(v->symbols, (int)i, &s) ||
            GELF_ST_TYPE(s.st_info) != STT_TLS || s.st_shndx == SHN_UNDEF)
            continue;
        const char *const name = elf_strptr(v->elf, v->strings, s.st_name);
        if (name && strncmp(name, prefix, strlen(prefix)) == 0)
            nbytes += s.st_size;
    }
    pthread_mutex_unlock(&lock);
    return nbytes;
}
