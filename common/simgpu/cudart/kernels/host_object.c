#define _GNU_SOURCE
#include "cudart/kernels/host_object.h"

#include <cuda_runtime_api.h> /* cudaErrorIllegalAddress */
#include <link.h>             /* dl_iterate_phdr */
#include <pthread.h>          /* pthread_mutex_t */
#include <string.h>           /* memcpy */

#include "core/heap/variables.h"
#include "core/site.h"
#include "device/block.h" /* block_live */
#include "device/failure.h"

#if defined(__x86_64__)

/* Tables beyond these limits are passed as they are. */
enum { MAX_TABLES = 64, MAX_WORDS = 2048, MAX_STUBS = 256 };

static struct table { /* one class has it */
    uintptr_t begin, end;
    uintptr_t *second; /* NULL: it is passed as it is */
    char name[64];
} tables[MAX_TABLES];
static int ntables;
static uintptr_t words[MAX_WORDS]; /* all second tables */
static size_t nwords;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- stubs --------------------------------------------------------------- */

/* The function that each stub stands for, and its class. */
__attribute__((used)) static const void *host_object_function[MAX_STUBS];
static const char *class_of[MAX_STUBS];
static int nstubs;

__attribute__((used)) static _Noreturn void host_object_called(int stub,
                                                               const void *pc)
{
    char where[256];
    failure_report(
        block_live->launch, cudaErrorIllegalAddress, pc,
        "calls a virtual function of an object that host code has built",
        "of class %s, by its function at %s. Such an object points to the "
        "host's table of virtual\nfunctions, which a GPU cannot reach: build "
        "it "
        "in a kernel, by new (p) %s(...).",
        class_of[stub],
        simgpu_site_text(
            simgpu_site((const char *)host_object_function[stub] + 1), where,
            sizeof where),
        class_of[stub]);
}

/* Each stub pushes its number. In a kernel that is then the first argument of
 * host_object_called(), elsewhere the function's index. */
extern const char host_object_stubs[];
__asm__(".text\n\t"
        ".balign 16\n"
        "host_object_stubs:\n\t"
        ".set host_object_i, 0\n\t"
        ".rept 256\n\t"
        ".balign 16\n\t"
        "pushq $host_object_i\n\t"
        "jmp host_object_stub\n\t"
        ".set host_object_i, host_object_i + 1\n\t"
        ".endr\n"
        "host_object_stub:\n\t"
        "movq simgpu_access_live@gottpoff(%rip), %r11\n\t"
        "cmpq $0, %fs:(%r11)\n\t"
        "popq %r11\n\t"
        "jne 1f\n\t"
        "leaq host_object_function(%rip), %rax\n\t"
        "jmp *(%rax,%r11,8)\n"
        "1:\tmovq %r11, %rdi\n\t"
        "movq (%rsp), %rsi\n\t"
        "jmp host_object_called\n\t");

static uintptr_t stub_of(uintptr_t function, const char *class)
{
    enum { SIZE = 16 };
    if (nstubs == MAX_STUBS)
        return function;
    host_object_function[nstubs] = (const void *)function;
    class_of[nstubs] = class;
    return (uintptr_t)host_object_stubs + SIZE * (size_t)nstubs++;
}

/* ---- tables -------------------------------------------------------------- */

static struct program {
    uintptr_t base;
    uintptr_t code, code_end;     /* its instructions */
    uintptr_t tables, tables_end; /* where its tables are; 0: it has none */
    const struct variables *of;
} program;

static int note_program(struct dl_phdr_info *m, size_t nbytes, void *unused)
{
    (void)nbytes;
    (void)unused;
    program.base = m->dlpi_addr;
    for (int i = 0; i < m->dlpi_phnum; i++) {
        const ElfW(Phdr) *const h = &m->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
            continue;
        program.code = m->dlpi_addr + h->p_vaddr;
        program.code_end = program.code + h->p_memsz;
    }
    return 1; // the first module is the program
}

static void find_program(void)
{
    uint64_t begin, end;
    dl_iterate_phdr(note_program, NULL);
    program.of = variables_of("/proc/self/exe");
    if (!program.of || !variables_tables(program.of, &begin, &end))
        return;
    program.tables = program.base + begin;
    program.tables_end = program.base + end;
}

/* The bytes that can be looked at for tables: none if the program has none. */
static size_t worth(size_t nbytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_program);
    return program.tables ? nbytes : 0;
}

static int may_be_table(uintptr_t word)
{
    return word - program.tables < program.tables_end - program.tables;
}

static void make_second(struct table *t)
{
    const size_t n = (t->end - t->begin) / sizeof *words;
    if (nwords + n > MAX_WORDS)
        return;
    t->second = words + nwords;
    nwords += n;
    memcpy(t->second, (const void *)t->begin, n * sizeof *words);
    for (size_t i = 0; i < n; i++)
        if (t->second[i] >= program.code && t->second[i] < program.code_end)
            t->second[i] = stub_of(t->second[i], t->name);
}

/* The table that contains an address, or NULL. The caller has the lock. */
static struct table *table_at(uintptr_t word)
{
    struct variable v;
    for (int i = 0; i < ntables; i++)
        if (word >= tables[i].begin && word < tables[i].end)
            return &tables[i];
    if (ntables == MAX_TABLES ||
        !variables_table(program.of, word - program.base, &v))
        return NULL;
    struct table *const t = &tables[ntables++];
    t->begin = program.base + v.begin;
    t->end = program.base + v.end;
    memcpy(t->name, v.name, sizeof t->name);
    make_second(t);
    return t;
}

void host_object_told(const void *bytes, size_t nbytes)
{
    const size_t n = worth(nbytes);
    uintptr_t word;
    for (size_t i = 0; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, (const char *)bytes + i, sizeof word);
        if (!may_be_table(word))
            continue;
        pthread_mutex_lock(&lock);
        struct table *const t = table_at(word);
        if (t)
            t->second = NULL;
        pthread_mutex_unlock(&lock);
    }
}

void host_object_replace(void *bytes, size_t nbytes)
{
    const size_t n = worth(nbytes);
    uintptr_t word;
    for (size_t i = 0; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, (char *)bytes + i, sizeof word);
        if (!may_be_table(word))
            continue;
        pthread_mutex_lock(&lock);
        const struct table *const t = table_at(word);
        if (t && t->second) {
            word = (uintptr_t)t->second + word - t->begin;
            memcpy((char *)bytes + i, &word, sizeof word);
        }
        pthread_mutex_unlock(&lock);
    }
}

#else

void host_object_told(const void *bytes, size_t nbytes)
{
    (void)bytes;
    (void)nbytes;
}

void host_object_replace(void *bytes, size_t nbytes)
{
    (void)bytes;
    (void)nbytes;
}

#endif
