#define _GNU_SOURCE
#include "cudart/kernels/linked.h"

#include <dlfcn.h>    /* dladdr1 */
#include <elf.h>      /* Elf64_Ehdr */
#include <fcntl.h>    /* open */
#include <link.h>     /* struct link_map */
#include <string.h>   /* strdup */
#include <sys/mman.h> /* mmap */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* close */

struct file {
    const char *at;
    size_t nbytes;
};

/* A file's contents; at is NULL if it can't be read. */
static struct file map_file(const char *path)
{
    struct file f = {0};
    struct stat s;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_size > 0) {
        f.nbytes = (size_t)s.st_size;
        void *const at = mmap(NULL, f.nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
        f.at = at == MAP_FAILED ? NULL : at;
    }
    if (fd >= 0)
        close(fd);
    return f;
}

/* A section's bytes in its file, or NULL if some are missing. */
static const void *contents(struct file f, const Elf64_Shdr *s)
{
    return s->sh_offset <= f.nbytes && s->sh_size <= f.nbytes - s->sh_offset
               ? f.at + s->sh_offset
               : NULL;
}

/* Find the name of the symbol with the value `at` in one table of symbols. */
static const char *find_in(struct file f, const Elf64_Shdr *table,
                           const Elf64_Shdr *texts, Elf64_Addr at,
                           size_t *nbytes)
{
    const Elf64_Sym *const symbols = contents(f, table);
    const char *const text = contents(f, texts);
    for (size_t i = 0; symbols && text && i < table->sh_size / sizeof *symbols;
         i++) {
        const Elf64_Sym *const s = &symbols[i];
        const int type = ELF64_ST_TYPE(s->st_info);
        if ((type == STT_FUNC || type == STT_OBJECT) && s->st_value == at &&
            s->st_shndx != SHN_UNDEF && s->st_name < texts->sh_size &&
            !strchr(text + s->st_name, '.')) { // not a compiler's alias
            *nbytes = s->st_size;
            return text + s->st_name;
        }
    }
    return NULL;
}

static const char *find(struct file f, Elf64_Addr at, size_t *nbytes)
{
    const Elf64_Ehdr *const h = (const Elf64_Ehdr *)f.at;
    if (f.nbytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_shoff > f.nbytes ||
        h->e_shnum > (f.nbytes - h->e_shoff) / sizeof(Elf64_Shdr))
        return NULL;
    const Elf64_Shdr *const s = (const Elf64_Shdr *)(f.at + h->e_shoff);
    const char *name = NULL;
    for (int i = 0; i < h->e_shnum && !name; i++)
        if (s[i].sh_type == SHT_SYMTAB && s[i].sh_link < h->e_shnum)
            name = find_in(f, &s[i], &s[s[i].sh_link], at, nbytes);
    return name;
}

const char *linked_module(const void *p, uintptr_t *base)
{
    Dl_info info;
    struct link_map *in;
    if (!dladdr1(p, &info, (void **)&in, RTLD_DL_LINKMAP))
        return NULL;
    *base = (uintptr_t)in->l_addr;
    // the name of the program itself is empty
    return in->l_name && *in->l_name ? in->l_name : "/proc/self/exe";
}

char *linked_name(const void *p, size_t *nbytes)
{
    uintptr_t base;
    const char *const path = linked_module(p, &base);
    const struct file f = path ? map_file(path) : (struct file){0};
    if (!f.at)
        return NULL;
    const char *const name = find(f, (uintptr_t)p - base, nbytes);
    char *const copy = name ? strdup(name) : NULL;
    munmap((void *)(uintptr_t)f.at, f.nbytes);
    return copy;
}
