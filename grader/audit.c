#include "audit.h"

#include <fcntl.h>   /* open */
#include <fnmatch.h> /* fnmatch */
#include <gelf.h>    /* elf_begin */
#include <limits.h>  /* PATH_MAX */
#include <stdio.h>   /* snprintf */
#include <string.h>  /* strcmp */
#include <unistd.h>  /* close */

#include "audit_nvcc.h"

/* Names that the kit, MPI, NCCL, CUDA, the linker and libc own: what is defined
 * under one of them is called in place of the real one. */
static const char *const reserved[] = {
    "main",     "MPI_*",         "PMPI_*",       "nccl*",
    "pnccl*",   "cuda*",         "cu[A-Z]*",     "cublas*",
    "simgpu*",  "lab",           "lab_*",        "job_*",
    "run_*",    "judge_*",       "evidence_*",   "plan_*",
    "data_*",   "table_*",       "must_*",       "meter",
    "graph_*",  "chain_*",       "points_*",     "spans_*",
    "map_at",   "map_get",       "map_release",  "__wrap_*",
    "__real_*", "__tsan_*",      "__asan_*",     "malloc",
    "calloc",   "realloc",       "free",         "memcpy",
    "memmove",  "memset",        "memcmp",       "strcmp",
    "strlen",   "snprintf",      "fprintf",      "printf",
    "puts",     "fopen*",        "fwrite",       "fflush",
    "fclose",   "open",          "open64",       "read",
    "write",    "close",         "exit",         "_exit",
    "abort",    "getenv",        "mmap*",        "pthread_*",
    "dlsym",    "clock_gettime", "gettimeofday", "time",
    "clock",    "nanosleep",     "usleep",       "_init",
    "_fini",    "_start",        "environ",      NULL};

/* What no lab needs: processes, files, the network, other code. */
static const char *const refused[] = {
    "system",       "popen",        "fork",         "vfork",
    "clone",        "exec*",        "ptrace",       "syscall",
    "dlopen",       "dlsym",        "dlmopen",      "socket",
    "connect",      "open",         "open64",       "openat*",
    "fopen*",       "freopen*",     "creat*",       "unlink*",
    "remove",       "rename",       "kill",         "raise",
    "signal",       "sigaction",    "mprotect",     "mmap*",
    "memfd_create", "process_vm_*", "setenv",       "putenv",
    "getenv",       "prctl",        "longjmp",      "_longjmp",
    "siglongjmp",   "exit",         "_exit",        "quick_exit",
    "abort",        "atexit",       "__cxa_atexit", "write",
    "writev",       "pwrite*",      "dup",          "dup2",
    "dup3",         "fdopen",       "ftruncate*",   "sendfile*",
    "shm_*",        "sem_open",     "mq_*",         "unshare",
    "mount",        "daemon",       "posix_spawn*", "wordexp",
    "evidence_*",   "simgpu_*",     "graph_*",      NULL};

/* But device code is made of these: simgpu/kernel.h. */
static const char *const device_code[] = {
    "simgpu_register_kernel", "simgpu_knows_kernel",   "simgpu_thread_idx",
    "simgpu_block_idx",       "simgpu_block_dim",      "simgpu_grid_dim",
    "simgpu_syncthreads",     "simgpu_dynamic_shared", "simgpu_atomic_*",
    "simgpu_sync_*",          "simgpu_fence_system",   "simgpu_trap",
    "simgpu_leave",           "simgpu_nanosleep",      "simgpu_clock",
    "simgpu_shuffle",         "simgpu_ballot",         NULL};

/* Sections whose contents run before or after main. */
static const char *const running[] = {
    ".init_array*", ".fini_array*", ".preinit_array*", ".ctors*",
    ".dtors*",      ".init",        ".fini",           NULL};

static int matches(const char *name, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return 1;
    return 0;
}

struct object {
    Elf *elf;
    int is_device; /* it is of a .cu file */
    struct nvcc_code nvcc;
};

static int may_call(const struct object *o, const char *name, size_t symbol)
{
    if (!matches(name, refused) || (o->is_device && matches(name, device_code)))
        return 1;
    return o->nvcc.end && strcmp(name, "atexit") == 0 &&
           nvcc_code_calls(o->elf, &o->nvcc, symbol);
}

static int audit_symbols(const struct object *o, Elf_Scn *scn,
                         const GElf_Shdr *header, char *why, size_t nbytes)
{
    Elf_Data *const data = elf_getdata(scn, NULL);
    const size_t n =
        header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < n; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym))
            continue;
        const char *const name =
            elf_strptr(o->elf, header->sh_link, sym.st_name);
        if (!name || !*name || GELF_ST_BIND(sym.st_info) == STB_LOCAL)
            continue;
        const int defined = sym.st_shndx != SHN_UNDEF;
        if (GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC) {
            snprintf(why, nbytes, "%.100s runs code before main", name);
            return 1;
        }
        if (defined ? matches(name, reserved) : !may_call(o, name, i)) {
            snprintf(why, nbytes, "it %s %.100s", defined ? "defines" : "calls",
                     name);
            return 1;
        }
    }
    return 0;
}

static int audit_sections(const struct object *o, char *why, size_t nbytes)
{
    size_t names;
    Elf *const elf = o->elf;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return -1;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(s, &header))
            return -1;
        const char *const name = elf_strptr(elf, names, header.sh_name);
        if (name && header.sh_size > 0 && matches(name, running) &&
            !nvcc_code_is_listed(elf, &o->nvcc, s)) {
            snprintf(why, nbytes, "it runs code before or after main (%.60s)",
                     name);
            return 1;
        }
        const int found = header.sh_type == SHT_SYMTAB
                              ? audit_symbols(o, s, &header, why, nbytes)
                              : 0;
        if (found)
            return found;
    }
    return 0;
}

/* ---- system calls without a function ------------------------------------- */

/* The instructions' bytes: where they are in no place, nothing is
 * disassembled. */
static int has_bytes(Elf *elf)
{
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
        GElf_Shdr header;
        const Elf_Data *const data = elf_getdata(s, NULL);
        if (!gelf_getshdr(s, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            !data || !data->d_buf)
            continue;
        const unsigned char *const p = data->d_buf;
        for (size_t i = 0; i + 1 < data->d_size; i++)
            if ((p[i] == 0x0F && (p[i + 1] == 0x05 || p[i + 1] == 0x34)) ||
                (p[i] == 0xCD && p[i + 1] == 0x80))
                return 1; // syscall, sysenter, int $0x80
    }
    return 0;
}

/*
 * The same two bytes are often part of a number; objdump tells. Who hides the
 * instruction inside of another one is left to the sandbox.
 */
static int audit_code(const char *path, char *why, size_t nbytes)
{
    char command[PATH_MAX + 64], line[256];
    if (strchr(path, '\''))
        return 0; // our own paths have none
    snprintf(command, sizeof command,
             "objdump -d --no-show-raw-insn '%s' 2>/dev/null", path);
    FILE *const f = popen(command, "re");
    int found = 0;
    while (f && fgets(line, sizeof line, f)) {
        const char *const code = strrchr(line, '\t');
        found |= code && (strncmp(code + 1, "syscall", 7) == 0 ||
                          strncmp(code + 1, "sysenter", 8) == 0 ||
                          strncmp(code + 1, "int    $0x80", 12) == 0);
    }
    if (f)
        pclose(f);
    if (found)
        snprintf(why, nbytes, "it makes system calls of its own");
    return found;
}

int audit_object(const char *path, int by_nvcc, char *why, size_t nbytes)
{
    int found = -1;
    snprintf(why, nbytes, "%s is not an object file", path);
    elf_version(EV_CURRENT);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *const elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        struct object o = {.elf = elf,
                           .is_device = fnmatch("*.cu.o", path, 0) == 0};
        if (by_nvcc && o.is_device)
            o.nvcc = nvcc_code_find(elf);
        found = audit_sections(&o, why, nbytes);
    }
    if (found == 0 && has_bytes(elf))
        found = audit_code(path, why, nbytes);
    if (elf)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return found;
}
