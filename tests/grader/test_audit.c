/*
 * What of an object depends on its processor: objects for x86-64 and arm64,
 * made here, with a few instructions and one relocation.
 */
#include <check.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>  /* remove */
#include <stdlib.h> /* mkstemp */
#include <string.h> /* strstr */
#include <unistd.h> /* close */

#include "fds.h"
#include "grader/vet/allow.h"
#include "grader/vet/audit.h"
#include "heap.h"
#include "suite.h"

static const char section_names[] =
    "\0.text\0.rela.text\0.symtab\0.strtab\0.shstrtab";
enum { TEXT = 1, RELA = 7, SYMTAB = 18, STRTAB = 26, SHSTRTAB = 34 };

static Elf_Data *contents(Elf_Scn *s, Elf_Type type, const void *p, size_t n)
{
    Elf_Data *const data = elf_newdata(s);
    ck_assert_ptr_nonnull(data);
    data->d_buf = (void *)(uintptr_t)p;
    data->d_size = n;
    data->d_type = type;
    data->d_align = 8;
    return data;
}

/* A section with the header h and n bytes at p. */
static void add_section(Elf *elf, GElf_Shdr h, Elf_Type type, const void *p,
                        size_t n)
{
    Elf_Scn *const s = elf_newscn(elf);
    contents(s, type, p, n);
    ck_assert(gelf_update_shdr(s, &h));
}

static void add_header(Elf *elf, unsigned machine, unsigned names)
{
    GElf_Ehdr e;
    ck_assert_ptr_nonnull(gelf_newehdr(elf, ELFCLASS64));
    ck_assert_ptr_nonnull(gelf_getehdr(elf, &e));
    e.e_ident[EI_DATA] = ELFDATA2LSB;
    e.e_machine = (GElf_Half)machine;
    e.e_type = ET_REL;
    e.e_version = EV_CURRENT;
    e.e_shstrndx = (GElf_Half)names;
    ck_assert(gelf_update_ehdr(elf, &e));
}

/* An object for machine: n bytes of code, one relocation of this type. */
static void make_object(int fd, unsigned machine, const void *code, size_t n,
                        unsigned type)
{
    const Elf64_Rela rela = {.r_info = ELF64_R_INFO(0, type)};
    const Elf64_Sym none = {.st_name = 0};
    elf_version(EV_CURRENT);
    Elf *const elf = elf_begin(fd, ELF_C_WRITE, NULL);
    ck_assert_ptr_nonnull(elf);
    add_header(elf, machine, 5);
    add_section(elf,
                (GElf_Shdr){.sh_name = TEXT,
                            .sh_type = SHT_PROGBITS,
                            .sh_flags = SHF_ALLOC | SHF_EXECINSTR},
                ELF_T_BYTE, code, n);
    add_section(elf,
                (GElf_Shdr){.sh_name = RELA,
                            .sh_type = SHT_RELA,
                            .sh_link = 3,
                            .sh_info = 1,
                            .sh_entsize = sizeof rela},
                ELF_T_RELA, &rela, sizeof rela);
    add_section(elf,
                (GElf_Shdr){.sh_name = SYMTAB,
                            .sh_type = SHT_SYMTAB,
                            .sh_link = 4,
                            .sh_info = 1,
                            .sh_entsize = sizeof none},
                ELF_T_SYM, &none, sizeof none);
    add_section(elf, (GElf_Shdr){.sh_name = STRTAB, .sh_type = SHT_STRTAB},
                ELF_T_BYTE, "", 1);
    add_section(elf, (GElf_Shdr){.sh_name = SHSTRTAB, .sh_type = SHT_STRTAB},
                ELF_T_BYTE, section_names, sizeof section_names);
    ck_assert_msg(elf_update(elf, ELF_C_WRITE) > 0, "%s", elf_errmsg(-1));
    elf_end(elf);
}

/* What the audit says of it; "" if nothing. */
static const char *said(unsigned machine, const void *code, size_t n,
                        unsigned type)
{
    static struct audit a;
    char path[] = "/tmp/audit-XXXXXX";
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    make_object(fd, machine, code, n, type);
    close(fd);
    a = (struct audit){.by_nvcc = 0};
    const int found = audit_object(&a, path);
    remove(path);
    ck_assert_int_ge(found, 0);
    return found ? a.why : "";
}

static const struct {
    unsigned machine, type;
    const char *says;
} relocations[] = {
    {EM_X86_64, R_X86_64_PLT32, ""},
    {EM_X86_64, R_X86_64_REX_GOTPCRELX, ""},
    {EM_X86_64, R_X86_64_IRELATIVE, "relocations of type 37"},
    {EM_X86_64, R_X86_64_COPY, "relocations of type 5"},
    {EM_X86_64, R_AARCH64_CALL26, "relocations of type 283"},
    {EM_AARCH64, R_AARCH64_CALL26, ""},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, ""},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, ""},
    {EM_AARCH64, R_AARCH64_TLSDESC_CALL, ""},
    {EM_AARCH64, R_AARCH64_IRELATIVE, "relocations of type 1032"},
    {EM_AARCH64, R_AARCH64_COPY, "relocations of type 1024"},
    {EM_AARCH64, R_X86_64_PLT32, "relocations of type 4"},
};

START_TEST(only_what_compilers_need_is_relocated)
{
    const uint32_t nop = 0xd503201f;
    for (size_t i = 0; i < sizeof relocations / sizeof *relocations; i++) {
        const char *const what =
            said(relocations[i].machine, &nop, sizeof nop, relocations[i].type);
        ck_assert_msg(*relocations[i].says
                          ? strstr(what, relocations[i].says) != NULL
                          : !*what,
                      "relocation %zu: %s", i, what);
    }
}
END_TEST

/* svc #0 and svc #65535; and hvc, brk, smc, which are others. */
START_TEST(system_calls_of_arm64_are_words)
{
    const uint32_t nop = 0xd503201f, svc[] = {0xd4000001, 0xd41fffe1},
                   other[] = {0xd4000002, 0xd4200000, 0xd4000003};
    for (size_t i = 0; i < 2; i++) {
        const uint32_t code[] = {nop, svc[i]};
        ck_assert_str_eq(said(EM_AARCH64, code, sizeof code, 0),
                         "it makes system calls of its own");
        // Across two words these bytes are no instruction.
        const uint32_t odd[] = {svc[i] << 16, svc[i] >> 16};
        ck_assert_str_eq(said(EM_AARCH64, odd, sizeof odd, 0), "");
    }
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(said(EM_AARCH64, &other[i], sizeof other[i], 0), "");
    const unsigned char x86[] = {0x0f, 0x05, 0x0f, 0x05}; // syscall
    ck_assert_str_eq(said(EM_AARCH64, x86, sizeof x86, 0), "");
}
END_TEST

/* GCC calls them for what x86-64 has instructions for. Nobody writes them: in a
 * kernel, their accesses would go unseen. */
START_TEST(atomics_of_arm64_may_be_functions)
{
    static const char *const names[] = {"__aarch64_cas4_acq_rel",
                                        "__aarch64_swp8_relax",
                                        "__aarch64_ldadd4_acq"};
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(allow_import(names[i], 0), "%s in C", names[i]);
        ck_assert_msg(allow_import(names[i], 1), "%s in CUDA", names[i]);
        ck_assert_msg(!allow_reserved(names[i]), "%s in a source", names[i]);
    }
    ck_assert(!allow_import("__aarch64_have_lse_atomics", 0));
}
END_TEST

/* ---- definitions --------------------------------------------------------- */

#define SYMBOL(at, bind, section)                                              \
    {                                                                          \
        .st_name = at, .st_info = ELF64_ST_INFO(bind, STT_FUNC),               \
        .st_shndx = section                                                    \
    }

/* A local, a global, a weak and a common symbol, and two that are elsewhere. */
static const Elf64_Sym symbols[] = {{.st_name = 0},
                                    SYMBOL(1, STB_LOCAL, 1),
                                    SYMBOL(3, STB_LOCAL, SHN_UNDEF),
                                    SYMBOL(5, STB_GLOBAL, 1),
                                    SYMBOL(7, STB_WEAK, 1),
                                    SYMBOL(9, STB_GLOBAL, SHN_COMMON),
                                    SYMBOL(11, STB_GLOBAL, SHN_UNDEF),
                                    SYMBOL(13, STB_WEAK, SHN_UNDEF)};
static const char symbol_names[] = "\0l\0m\0g\0w\0c\0u\0v";

static void make_symbols(int fd)
{
    elf_version(EV_CURRENT);
    Elf *const elf = elf_begin(fd, ELF_C_WRITE, NULL);
    ck_assert_ptr_nonnull(elf);
    add_header(elf, EM_X86_64, 3);
    add_section(elf,
                (GElf_Shdr){.sh_name = SYMTAB,
                            .sh_type = SHT_SYMTAB,
                            .sh_link = 2,
                            .sh_info = 3,
                            .sh_entsize = sizeof *symbols},
                ELF_T_SYM, symbols, sizeof symbols);
    add_section(elf, (GElf_Shdr){.sh_name = STRTAB, .sh_type = SHT_STRTAB},
                ELF_T_BYTE, symbol_names, sizeof symbol_names);
    add_section(elf, (GElf_Shdr){.sh_name = SHSTRTAB, .sh_type = SHT_STRTAB},
                ELF_T_BYTE, section_names, sizeof section_names);
    ck_assert_msg(elf_update(elf, ELF_C_WRITE) > 0, "%s", elf_errmsg(-1));
    elf_end(elf);
}

/* Only what the other objects can be linked with is theirs to use. */
START_TEST(global_definitions_are_given)
{
    struct audit a = {.by_nvcc = 0};
    char path[] = "/tmp/audit-XXXXXX";
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    make_symbols(fd);
    close(fd);
    ck_assert_int_eq(audit_defined(&a, path), 0);
    remove(path);
    ck_assert_uint_eq(a.given.n, 3);
    ck_assert(names_have(&a.given, "g") && names_have(&a.given, "w") &&
              names_have(&a.given, "c"));
    names_release(&a.given);
    ck_assert_int_eq(audit_defined(&a, path), -1);
    ck_assert_int_eq(audit_defined(&a, "Makefile"), -1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("audit");
    TCase *const t = tcase_create("audit");
    heap_watch(t);
    fds_watch(t);
    tcase_add_test(t, only_what_compilers_need_is_relocated);
    tcase_add_test(t, system_calls_of_arm64_are_words);
    tcase_add_test(t, atomics_of_arm64_may_be_functions);
    tcase_add_test(t, global_definitions_are_given);
    suite_add_tcase(s, t);
    return suite_run(s);
}
