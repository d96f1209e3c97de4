/* What libcudart exports of PMIx, as an MPICH that was built for it calls it:
 * the ranks of mpirun find each other without MPI. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <dlfcn.h> /* dlsym */
#include <stdint.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcmp */

#include "rule.h"

struct proc_name {
    char nspace[256];
    uint32_t rank;
};

struct value {
    uint16_t type;
    union {
        char *string;
        uint32_t uint32;
        struct {
            char *bytes;
            size_t nbytes;
        } bo;
    } data;
    char rest[64];
};

enum { STRING = 3, UINT32 = 14, BYTES = 27, NOT_FOUND = -46, GLOBAL = 3 };

/* A line of PMI-1 has at most 1024 characters: values of a part of a line, of a
 * piece as it is cut and near it, of several. */
static const size_t sizes[] = {1, 249, 250, 251, 5000};
enum { SIZES = sizeof sizes / sizeof *sizes };

#define FIND(name) (*(void **)(&name) = dlsym(RTLD_DEFAULT, #name))
static int (*PMIx_Init)(struct proc_name *, void *, size_t);
static int (*PMIx_Put)(uint8_t, const char *, struct value *);
static int (*PMIx_Commit)(void);
static int (*PMIx_Fence)(const struct proc_name *, size_t, void *, size_t);
static int (*PMIx_Get)(const struct proc_name *, const char *, void *, size_t,
                       struct value **);
static int (*PMIx_Finalize)(void *, size_t);

static char byte(uint32_t rank, int i, size_t at)
{
    return (char)(41 * rank + (uint32_t)i + 7 * at);
}

static void key_of(char key[64], uint32_t rank, const char *of)
{
    snprintf(key, 64, "-of-%u-%s", rank, of);
}

static int put_all(uint32_t rank)
{
    char key[64], number[16];
    struct value v = {.type = STRING, .data.string = ""};
    key_of(key, rank, "nothing");
    int ok = PMIx_Put(GLOBAL, key, &v) == 0;
    key_of(key, rank, "text");
    v.data.string = "two words; an = sign\nand a line";
    ok &= PMIx_Put(GLOBAL, key, &v) == 0;
    for (int i = 0; i < SIZES; i++) {
        struct value b = {.type = BYTES};
        b.data.bo.nbytes = sizes[i];
        b.data.bo.bytes = malloc(sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            b.data.bo.bytes[j] = byte(rank, i, j);
        snprintf(number, sizeof number, "%d", i);
        key_of(key, rank, number);
        ok &= PMIx_Put(GLOBAL, key, &b) == 0 && PMIx_Commit() == 0;
        free(b.data.bo.bytes);
    }
    return ok;
}

static int text_is(const struct proc_name *peer, const char *of,
                   const char *text)
{
    char key[64];
    struct value *v;
    key_of(key, peer->rank, of);
    return PMIx_Get(peer, key, NULL, 0, &v) == 0 && v->type == STRING &&
           strcmp(v->data.string, text) == 0;
}

static int bytes_are(const struct proc_name *peer, int i)
{
    char key[64], number[16];
    struct value *v;
    snprintf(number, sizeof number, "%d", i);
    key_of(key, peer->rank, number);
    if (PMIx_Get(peer, key, NULL, 0, &v) != 0 || v->type != BYTES ||
        v->data.bo.nbytes != sizes[i])
        return 0;
    for (size_t j = 0; j < sizes[i]; j++)
        if (v->data.bo.bytes[j] != byte(peer->rank, i, j))
            return 0;
    return 1;
}

int main(void)
{
    cudaSetDevice(0); // what libcudart is linked for
    RULE(FIND(PMIx_Init) && FIND(PMIx_Put) && FIND(PMIx_Commit) &&
             FIND(PMIx_Fence) && FIND(PMIx_Get) && FIND(PMIx_Finalize),
         "libcudart has what MPICH calls");
    struct proc_name self;
    memset(&self, 0x55, sizeof self);
    RULE(PMIx_Init(&self, NULL, 0) == 0 && *self.nspace &&
             self.nspace[sizeof self.nspace - 1] == 0,
         "Hydra answers");
    struct proc_name all = self;
    all.rank = UINT32_MAX - 1;
    struct value *v;
    RULE(PMIx_Get(&all, "pmix.job.size", NULL, 0, &v) == 0 &&
             v->type == UINT32 &&
             v->data.uint32 == (uint32_t)atoi(getenv("PMI_SIZE")) &&
             self.rank == (uint32_t)atoi(getenv("PMI_RANK")),
         "size and rank are mpirun's");
    const uint32_t nranks = v->data.uint32;
    RULE(PMIx_Get(&all, "pmix.appnum", NULL, 0, &v) == 0 && v->type == UINT32 &&
             v->data.uint32 == 0,
         "there is one program, the first");
    RULE(PMIx_Get(&self, "pmix.parent", NULL, 0, &v) == NOT_FOUND &&
             PMIx_Get(&all, "PMI_nobody_put_this", NULL, 0, &v) == NOT_FOUND,
         "what nobody put is not found");
    RULE(put_all(self.rank), "values are taken");
    RULE(PMIx_Fence(&all, 1, NULL, 0) == 0, "ranks wait for each other");
    int texts = 1, bytes = 1;
    for (struct proc_name peer = self; peer.rank < nranks + self.rank;
         peer.rank++) {
        struct proc_name p = peer;
        p.rank %= nranks;
        texts &= text_is(&p, "nothing", "") &&
                 text_is(&p, "text", "two words; an = sign\nand a line");
        for (int i = 0; i < SIZES; i++)
            bytes &= bytes_are(&p, i);
    }
    RULE(texts, "each rank's texts are what it put");
    RULE(bytes, "each rank's bytes are what it put, of any length");
    RULE(PMIx_Finalize(NULL, 0) == 0, "Hydra lets the rank go");
    return rule_status();
}
