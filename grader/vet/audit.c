#include "grader/vet/audit.h"

#include <ctype.h>   /* isdigit */
#include <fcntl.h>   /* open */
#include <fnmatch.h> /* fnmatch */
#include <gelf.h>    /* elf_begin */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* strtol */
#include <string.h>  /* strcmp */
#include <unistd.h>  /* close */

#include "grader/vet/allow.h"
#include "grader/vet/audit_machine.h"
#include "grader/vet/audit_nvcc.h"

/*
 * Names that belong to the kit's program, MPI, NCCL and CUDA. A definition
 * would not be called in place of theirs, although its author would expect it.
 */
static const char *const owned[] = {"main",  "MPI_*",    "PMPI_*",  "nccl*",
                                    "cuda*", "cu[A-Z]*", "cublas*", "__*",
                                    "_init", "_fini",    "_start",  NULL};
static const char *const compilers_own[] = {"__clang_*", "__cuda*", "__nv*",
                                            "__fatbin*", NULL};

/* Sections that compilers make from C and C++. */
static const char *const sections[] = {"",
                                       ".text",
                                       ".text.*",
                                       ".rodata",
                                       ".rodata.*",
                                       ".data",
                                       ".data.*",
                                       ".bss",
                                       ".bss.*",
                                       ".tdata",
                                       ".tdata.*",
                                       ".tbss",
                                       ".tbss.*",
                                       ".eh_frame",
                                       ".eh_frame_*",
                                       ".gcc_except_table*",
                                       ".comment",
                                       ".debug_*",
                                       ".group",
                                       ".rela.*",
                                       ".symtab",
                                       ".strtab",
                                       ".shstrtab",
                                       ".symtab_shndx",
                                       ".llvm_addrsig",
                                       ".note.GNU-stack",
                                       ".note.gnu.property",
                                       NULL};
static const char *const sections_nvcc[] = {".nv*", "__nv*", NULL};
/* In device code: simnvcc's table of its kernels (simgpu/kernel.h), and its
 * lists of device variables: of their names, and of their addresses. */
static const char *const sections_device[] = {
    "simgpu_kernels", ".relasimgpu_kernels", "simgpu_variables",
    "simgpu_own",     ".relasimgpu_own",     NULL};
static const char *const running[] = {".init_array*", ".preinit_array*",
                                      ".ctors*", NULL};

struct object {
    Elf *elf;
    GElf_Ehdr header;
    struct audit *audit;
    int is_device; /* 1 for the object of a .cu file */
    struct nvcc_code nvcc;
};

static int refuse(struct audit *a, const char *name, const char *what)
{
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->why, sizeof a->why, "%s", what);
    return 1;
}

static int refuse_name(struct audit *a, const char *verb, const char *name)
{
    char what[AUDIT_NAME + 64];
    snprintf(what, sizeof what, "it %s %.200s", verb, name);
    return refuse(a, name, what);
}

void audit_source_name(const char *symbol, char out[AUDIT_NAME])
{
    snprintf(out, AUDIT_NAME, "%s", symbol);
    if (strncmp(symbol, "_Z", 2) != 0)
        return;
    for (const char *p = symbol + 2; *p; p++) {
        // the last LENGTH NAME in the symbol
        char *rest;
        const long n = isdigit((unsigned char)*p) ? strtol(p, &rest, 10) : 0;
        if (n <= 0 || n >= AUDIT_NAME || (size_t)n > strlen(rest))
            continue;
        snprintf(out, AUDIT_NAME, "%.*s", (int)n, rest);
        p = rest + n - 1;
    }
}

/* ---- symbols ------------------------------------------------------------- */

static int may_import(const struct object *o, const char *name, size_t symbol)
{
    if (allow_import(name, o->is_device) || names_have(&o->audit->given, name))
        return 1;
    return o->nvcc.end && strcmp(name, "atexit") == 0 &&
           nvcc_code_calls(o->elf, &o->nvcc, symbol);
}

static int may_define(const char *name)
{
    return !allow_matches(name, owned) || allow_matches(name, compilers_own);
}

static int audit_symbol(const struct object *o, const char *name,
                        const GElf_Sym *sym, size_t i)
{
    struct audit *const a = o->audit;
    if (GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC)
        return refuse_name(a, "runs code before main:", name);
    if (strchr(name, '@'))
        return refuse_name(a, "asks for a version of", name);
    if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
        return 0;
    if (sym->st_shndx == SHN_UNDEF)
        return may_import(o, name, i) ? 0 : refuse_name(a, "uses", name);
    a->defines = !may_define(name);
    return a->defines ? refuse_name(a, "defines", name) : 0;
}

static size_t entries(const GElf_Shdr *h)
{
    return h->sh_entsize ? h->sh_size / h->sh_entsize : 0;
}

static int audit_symbols(const struct object *o, Elf_Scn *scn,
                         const GElf_Shdr *header)
{
    Elf_Data *const data = elf_getdata(scn, NULL);
    for (size_t i = 0; data && i < entries(header); i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym))
            return -1;
        const char *const name =
            elf_strptr(o->elf, header->sh_link, sym.st_name);
        const int found = name && *name ? audit_symbol(o, name, &sym, i) : 0;
        if (found)
            return found;
    }
    return 0;
}

/* ---- sections ------------------------------------------------------------ */

static int audit_relocations(const struct object *o, Elf_Scn *scn,
                             const GElf_Shdr *header)
{
    Elf_Data *const data = elf_getdata(scn, NULL);
    char type[32];
    for (size_t i = 0; data && i < entries(header); i++) {
        GElf_Rela r;
        if (!gelf_getrela(data, (int)i, &r))
            return -1;
        if (!audit_machine_relocates(o->header.e_machine,
                                     (unsigned)GELF_R_TYPE(r.r_info))) {
            snprintf(type, sizeof type, "type %u",
                     (unsigned)GELF_R_TYPE(r.r_info));
            return refuse_name(o->audit, "has relocations of", type);
        }
    }
    return 0;
}

static int audit_section(const struct object *o, Elf_Scn *s, const char *name,
                         const GElf_Shdr *h)
{
    struct audit *const a = o->audit;
    const GElf_Xword both = SHF_WRITE | SHF_EXECINSTR;
    if (strcmp(name, ".note.GNU-stack") == 0 && h->sh_flags & SHF_EXECINSTR)
        return refuse(a, "trampoline",
                      "it needs an executable stack (a nested function whose "
                      "address is taken)");
    if (h->sh_size == 0)
        return 0;
    if (allow_matches(name, running) || h->sh_type == SHT_INIT_ARRAY ||
        h->sh_type == SHT_PREINIT_ARRAY)
        return nvcc_code_is_listed(o->elf, &o->nvcc, s)
                   ? 0
                   : refuse(a, "std::object",
                            "it runs code before main (a global object with a "
                            "constructor, or <iostream>)");
    if ((h->sh_flags & both) == both ||
        !(allow_matches(name, sections) ||
          (strncmp(name, ".rela.init_array", 16) == 0) ||
          (a->by_nvcc && allow_matches(name, sections_nvcc)) ||
          (o->is_device && allow_matches(name, sections_device))))
        return refuse_name(a, "has a section", name);
    if (h->sh_type == SHT_SYMTAB)
        return audit_symbols(o, s, h);
    if (h->sh_type == SHT_RELA)
        return audit_relocations(o, s, h);
    return h->sh_type == SHT_REL || h->sh_type == SHT_DYNAMIC ||
                   h->sh_type == SHT_FINI_ARRAY
               ? refuse_name(a, "has a section", name)
               : 0;
}

static int audit_sections(const struct object *o)
{
    size_t names;
    if (elf_getshdrstrndx(o->elf, &names) != 0)
        return -1;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(o->elf, s)) != NULL;) {
        GElf_Shdr header;
        const char *const name = gelf_getshdr(s, &header)
                                     ? elf_strptr(o->elf, names, header.sh_name)
                                     : NULL;
        const int found = name ? audit_section(o, s, name, &header) : -1;
        if (found)
            return found;
    }
    return 0;
}

/* ---- an object ----------------------------------------------------------- */

/* Open the object file at path; NULL on failure. The caller closes *fd. */
static Elf *open_object(const char *path, int *fd)
{
    elf_version(EV_CURRENT);
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *const elf = *fd >= 0 ? elf_begin(*fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        return elf;
    if (elf)
        elf_end(elf);
    if (*fd >= 0)
        close(*fd);
    return NULL;
}

static void add_defined(struct audit *a, Elf *elf, Elf_Scn *s,
                        const GElf_Shdr *h)
{
    Elf_Data *const data = elf_getdata(s, NULL);
    GElf_Sym sym;
    for (size_t i = 0; data && i < entries(h); i++) {
        const char *const name = gelf_getsym(data, (int)i, &sym)
                                     ? elf_strptr(elf, h->sh_link, sym.st_name)
                                     : NULL;
        if (name && sym.st_shndx != SHN_UNDEF &&
            GELF_ST_BIND(sym.st_info) != STB_LOCAL)
            names_add(&a->given, name);
    }
}

int audit_defined(struct audit *a, const char *path)
{
    int fd;
    GElf_Shdr h;
    Elf *const elf = open_object(path, &fd);
    if (!elf)
        return -1;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;)
        if (gelf_getshdr(s, &h) && h.sh_type == SHT_SYMTAB)
            add_defined(a, elf, s, &h);
    elf_end(elf);
    close(fd);
    return 0;
}

int audit_object(struct audit *a, const char *path)
{
    int fd, found = -1;
    struct object o = {.elf = open_object(path, &fd),
                       .audit = a,
                       .is_device =
                           a->is_device || fnmatch("*.cu.o", path, 0) == 0};
    a->name[0] = 0;
    a->defines = 0;
    snprintf(a->why, sizeof a->why, "%.300s is not an object file", path);
    if (!o.elf)
        return -1;
    if (a->by_nvcc && o.is_device)
        o.nvcc = nvcc_code_find(o.elf);
    if (gelf_getehdr(o.elf, &o.header) && o.header.e_type == ET_REL)
        found = audit_sections(&o);
    if (found == 0 && audit_machine_calls_kernel(o.elf, path))
        found = refuse(a, "syscall", "it makes system calls of its own");
    elf_end(o.elf);
    close(fd);
    return found;
}
