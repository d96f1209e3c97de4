#include "grader/vet/audit_nvcc.h"

#include <string.h> /* strcmp */

static const char registers[] = "_ZL24__sti____cudaRegisterAllv";

/* The next section of a type after s, with its header in *h. */
static Elf_Scn *next(Elf *elf, Elf_Scn *s, GElf_Word type, GElf_Shdr *h)
{
    while ((s = elf_nextscn(elf, s)) != NULL)
        if (gelf_getshdr(s, h) && h->sh_type == type)
            return s;
    return NULL;
}

static size_t entries(const GElf_Shdr *h)
{
    return h->sh_entsize ? h->sh_size / h->sh_entsize : 0;
}

struct nvcc_code nvcc_code_find(Elf *elf)
{
    struct nvcc_code c = {0};
    GElf_Shdr h;
    GElf_Sym sym;
    Elf_Scn *const s = next(elf, NULL, SHT_SYMTAB, &h);
    Elf_Data *const data = s ? elf_getdata(s, NULL) : NULL;
    for (size_t i = 0; data && i < entries(&h); i++) {
        if (!gelf_getsym(data, (int)i, &sym))
            continue;
        const char *const name = elf_strptr(elf, h.sh_link, sym.st_name);
        if (name && strcmp(name, registers) == 0)
            c = (struct nvcc_code){sym.st_shndx, sym.st_value,
                                   sym.st_value + sym.st_size};
    }
    return c;
}

/* True if a relocation leads to the function. */
static int leads_to_begin(Elf *elf, const struct nvcc_code *c,
                          const GElf_Rela *r, size_t symtab)
{
    GElf_Sym sym;
    Elf_Scn *const s = elf_getscn(elf, symtab);
    return gelf_getsym(elf_getdata(s, NULL), (int)GELF_R_SYM(r->r_info),
                       &sym) &&
           sym.st_shndx == c->section &&
           sym.st_value + (GElf_Addr)r->r_addend == c->begin;
}

int nvcc_code_is_listed(Elf *elf, const struct nvcc_code *c, Elf_Scn *list)
{
    GElf_Shdr h, of_list;
    GElf_Rela r;
    int n = 0, ours = 0;
    if (c->begin == c->end || !gelf_getshdr(list, &of_list) ||
        of_list.sh_size != sizeof(void *))
        return 0;
    for (Elf_Scn *s = NULL; (s = next(elf, s, SHT_RELA, &h)) != NULL;) {
        Elf_Data *const data = elf_getdata(s, NULL);
        if (h.sh_info != elf_ndxscn(list))
            continue;
        for (size_t i = 0; data && i < entries(&h); i++, n++)
            ours += gelf_getrela(data, (int)i, &r) &&
                    leads_to_begin(elf, c, &r, h.sh_link);
    }
    return n == 1 && ours == 1;
}

int nvcc_code_calls(Elf *elf, const struct nvcc_code *c, size_t symbol)
{
    GElf_Shdr h;
    GElf_Rela r;
    for (Elf_Scn *s = NULL; (s = next(elf, s, SHT_RELA, &h)) != NULL;) {
        Elf_Data *const data = elf_getdata(s, NULL);
        for (size_t i = 0; data && i < entries(&h); i++) {
            if (!gelf_getrela(data, (int)i, &r) ||
                GELF_R_SYM(r.r_info) != symbol)
                continue;
            if (h.sh_info != c->section || r.r_offset < c->begin ||
                r.r_offset >= c->end)
                return 0;
        }
    }
    return 1;
}
