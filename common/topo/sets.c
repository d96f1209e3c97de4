/*
 * sets.c: NCCL_ALGO and NCCL_PROTO, parsed as NCCL does since 2.24
 */
#define _GNU_SOURCE
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* free */
#include <string.h>  /* strtok_r, strdup */
#include <strings.h> /* strcasecmp */

#include "topo/topo.h"

struct element { /* a name in a list */
    const char *name;
    int bit;
};

static const struct element algos[] = {
    {"Tree", 1 << TOPO_TREE},
    {"Ring", 1 << TOPO_RING},
    {"CollNetDirect", 1 << TOPO_COLLNET},
    {"CollNetChain", 1 << TOPO_COLLNET},
    {"NVLS", 1 << TOPO_NVLS},
    {"NVLSTree", 1 << TOPO_NVLSTREE},
    {"PAT", 1 << TOPO_PAT},
};
static const struct element protos[] = {{"LL", 1 << TOPO_LL},
                                        {"LL128", 1 << TOPO_LL128},
                                        {"Simple", 1 << TOPO_SIMPLE}};

/* The collectives that NCCL chooses an algorithm for. */
static const struct element functions[] = {
    {"Broadcast", TOPO_OP_BROADCAST}, {"Reduce", TOPO_OP_REDUCE},
    {"AllGather", TOPO_OP_ALLGATHER}, {"ReduceScatter", TOPO_OP_REDUCESCATTER},
    {"AllReduce", TOPO_OP_ALLREDUCE},
};
enum { NFUNCTIONS = sizeof functions / sizeof *functions };

struct reader {
    const char *words; /* the whole value, for messages */
    const struct element *elements;
    int n;
    struct topo_sets *out;
    char *err;
    size_t err_nbytes;
};

static int find(const struct element *e, int n, const char *name)
{
    int i = 0;
    while (i < n && strcasecmp(e[i].name, name) != 0)
        i++;
    return i;
}

/* Write NCCL's message, and the names that it would have accepted. Returns
 * -1. */
static int unknown(const struct reader *r, const char *kind, const char *token,
                   const struct element *known, int n)
{
    int at = snprintf(r->err, r->err_nbytes,
                      "Unrecognized %s token \"%.60s\" when parsing \"%.100s\""
                      ": use",
                      kind, token, r->words);
    for (int i = 0; i < n && at > 0 && (size_t)at < r->err_nbytes; i++)
        at += snprintf(r->err + at, r->err_nbytes - (size_t)at, "%s %s",
                       i == 0       ? ""
                       : i == n - 1 ? " or"
                                    : ",",
                       known[i].name);
    return -1;
}

/* Parse "ring,tree", or "^ring" for all but ring. Writes to `list`. Returns the
 * set, or -1 with a message. */
static int read_list(const struct reader *r, char *list)
{
    const int all_but = *list == '^';
    unsigned named = 0;
    int set = 0;
    char *rest;
    for (char *name = strtok_r(list + all_but, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        const int i = find(r->elements, r->n, name);
        if (i == r->n)
            return unknown(r, "element", name, r->elements, r->n);
        named |= 1U << i;
    }
    for (int i = 0; i < r->n; i++)
        if ((named >> i & 1) != (unsigned)all_but)
            set |= r->elements[i].bit;
    if (set == 0)
        snprintf(r->err, r->err_nbytes, "\"%.100s\" leaves nothing to choose",
                 r->words);
    return set ? set : -1;
}

/* Parse "ring", or "allreduce:ring". Writes to `entry`. Returns 0, or -1 with a
 * message. */
static int read_entry(const struct reader *r, char *entry, int is_first)
{
    char *rest;
    char *const prefix = strtok_r(entry, ":", &rest);
    char *const list = prefix ? strtok_r(NULL, ":", &rest) : NULL;
    if (!list && !is_first) {
        snprintf(r->err, r->err_nbytes,
                 "All entries except the first must have a prefix: \"%.100s\"",
                 r->words);
        return -1;
    }
    const int f = list ? find(functions, NFUNCTIONS, prefix) : 0;
    if (f == NFUNCTIONS)
        return unknown(r, "prefix", prefix, functions, NFUNCTIONS);
    char none[] = "";
    const int set = read_list(r, list ? list : prefix ? prefix : none);
    for (int i = 0; set != -1 && i < NFUNCTIONS; i++)
        if (!list || i == f)
            r->out->of[functions[i].bit] = set;
    return set == -1 ? -1 : 0;
}

static int read_sets(const struct reader *r)
{
    char *const copy = r->words ? strdup(r->words) : NULL;
    char *rest;
    int result = 0;
    for (int op = 0; op < TOPO_OPS; op++)
        r->out->of[op] = TOPO_ANY;
    for (char *entry = copy ? strtok_r(copy, ";", &rest) : NULL;
         entry && result == 0; entry = strtok_r(NULL, ";", &rest))
        result = read_entry(r, entry, entry == copy);
    free(copy);
    return result;
}

int topo_algo_sets(const char *words, struct topo_sets *out, char *err,
                   size_t err_nbytes)
{
    const struct reader r = {words, algos, sizeof algos / sizeof *algos,
                             out,   err,   err_nbytes};
    return read_sets(&r);
}

int topo_proto_sets(const char *words, struct topo_sets *out, char *err,
                    size_t err_nbytes)
{
    const struct reader r = {words, protos, sizeof protos / sizeof *protos,
                             out,   err,    err_nbytes};
    return read_sets(&r);
}
