/*
 * format.h: the bytes of a segment, in memory and in a saved file
 *
 *     segment := header (one page) record*
 *     record  := {u32 nbytes, u16 kind, u16 zero} body, padded to 8 bytes
 *
 * Records lie one behind the other from FORMAT_DATA; header.used says up to
 * where they are complete, and is stored last (release), so a reader that
 * loads it first (acquire) never sees half a record. A saved file is the same
 * bytes, up to `used`, with every call site's text resolved.
 *
 * Bodies:
 *   NODE    struct graph_node, deps, moves, accesses (counts are in the node)
 *   AMEND   struct format_amend, moves, accesses: adds to an earlier node
 *   STRING  u32 id, u32 length, text
 *   SITE    u32 id, u32 length, u64 address, text ("file:line"; empty while
 *           the process lives)
 *   ALLOC   struct format_alloc
 *   QUEUE   struct format_queue, name
 */
#ifndef COMMLAB_GRAPH_FORMAT_H
#define COMMLAB_GRAPH_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#include "graph/record.h"

#define FORMAT_MAGIC 0x676c6d6d6f63u /* "commlg", little-endian */

enum { FORMAT_VERSION = 1, FORMAT_DATA = 4096, FORMAT_ALIGN = 8 };

/* Room of a live segment: address space, not memory; pages come when used. */
#define FORMAT_CAPACITY (UINT64_C(16) << 30)

enum format_kind {
    FORMAT_NODE = 1,
    FORMAT_AMEND,
    FORMAT_STRING,
    FORMAT_SITE,
    FORMAT_ALLOC,
    FORMAT_QUEUE,
    FORMAT_KINDS
};

struct format_header {
    uint64_t magic;
    uint32_t version;
    uint32_t rank, nranks;
    uint32_t pid;
    _Atomic uint64_t used;   /* bytes from the segment's beginning */
    _Atomic uint32_t nnodes; /* nodes published */
};

struct format_record {
    uint32_t nbytes; /* of the body, without padding */
    uint16_t kind;
    uint16_t zero;
};

struct format_amend {
    uint32_t index;
    uint16_t nmoves, zero;
    uint32_t naccesses, zero2;
    double flops;
};

struct format_text { /* STRING; SITE has an address before the text */
    uint32_t id, length;
};

struct format_alloc {
    uint64_t alloc, nbytes;
    int32_t place;
    uint32_t site;
};

struct format_queue {
    uint32_t queue;
    int32_t place;
    uint32_t length, zero;
};

#endif
