/*
 * format.h: the bytes of a segment, in memory and in a saved file
 *
 *     segment := header (one page) record*
 *     record  := struct format_record, body, zeros up to a multiple of 8
 *
 * Records follow each other from FORMAT_DATA on. They are complete up to
 * header.used, which is stored last (release): a reader that loads it first
 * (acquire) never sees half a record. A saved file has the same bytes up to
 * `used`, with a SITE_TEXT for each SITE.
 *
 * Bodies:
 *   NODE       struct graph_node, then its deps, moves and accesses; nodes
 *              are numbered by their position, from 1
 *   AMEND      struct format_amend, moves, accesses: adds to an earlier node
 *   PART       struct format_part, points: an earlier node's next part, to
 *              which its later AMENDs belong
 *   ASIDE      struct format_aside, points: likewise, a part in a queue of its
 *              own
 *   STRING     struct format_text, text, NUL; ids count from 1
 *   SITE       struct format_site: where in which module; ids count from 1
 *   SITE_TEXT  struct format_text, text, NUL: "file:line" of an earlier SITE
 *   SITE_FROM  the same: "file:line" of the call that led to that one, if
 *              segment_site_from() gives one
 *   ALLOC      struct format_alloc
 *   QUEUE      struct format_queue, name, NUL
 *   MACHINE    struct format_text with id 0, text, NUL
 *   FAULT      struct format_fault, text, NUL
 *   HARM       struct graph_harm, text, NUL
 *   BROKEN     uint32_t[1]: the number of a node: graph_note_broken()
 *   BEGUN      uint32_t[]: numbers of nodes. Only in files that a recorder
 *              wrote, as the last record: see graph_view.begun
 *
 * Integers and doubles have the byte order of the machine that wrote the file;
 * a file with the other byte order is refused. Readers skip unknown kinds; any
 * other change of the format increments FORMAT_VERSION.
 */
#ifndef COMMLAB_GRAPH_FORMAT_H
#define COMMLAB_GRAPH_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#include "graph/record/record.h"

#define FORMAT_MAGIC      "commgrph" /* 8 bytes, no NUL */
#define FORMAT_BYTE_ORDER UINT32_C(0x01020304)

enum { FORMAT_VERSION = 3, FORMAT_DATA = 4096, FORMAT_ALIGN = 8 };

/* Size of a live segment's address space; pages are allocated on use. */
#define FORMAT_CAPACITY (UINT64_C(16) << 30)

enum format_kind {
    FORMAT_NODE = 1,
    FORMAT_AMEND,
    FORMAT_STRING,
    FORMAT_SITE,
    FORMAT_SITE_TEXT,
    FORMAT_ALLOC,
    FORMAT_QUEUE,
    FORMAT_MACHINE,
    FORMAT_PART,
    FORMAT_FAULT,
    FORMAT_END, /* ends a recorder's stream and asks for a reply; in no
                   segment */
    FORMAT_ASIDE,
    FORMAT_BEGUN, /* written by a recorder, not by a rank */
    FORMAT_HARM,
    FORMAT_BROKEN,
    FORMAT_SITE_FROM,
};

struct format_header {
    char magic[8];
    uint32_t version, byte_order;
    uint32_t rank, nranks;
    _Atomic uint64_t used; /* bytes from the start of the segment */
};

struct format_record {
    uint32_t nbytes; /* bytes of the body, without padding */
    uint32_t kind;   /* enum format_kind */
};

struct format_amend {
    uint32_t index; /* the node */
    uint32_t nmoves, naccesses, zero;
    double flops;
};

struct format_part {
    uint32_t index, nafter; /* the node; number of graph_points that follow */
    uint64_t latency_ps;
};

struct format_aside { /* a part in another queue: graph_aside() */
    uint32_t queue, name;
    struct format_part part; /* must be last: points follow it */
};

struct format_text {
    uint32_t id, nbytes; /* nbytes: length without the NUL */
};

struct format_site {
    uint32_t id, module;   /* module: STRING, path of the ELF file */
    uint64_t offset;       /* address of the call in that file */
    uint32_t caller, zero; /* caller: SITE of the call that contains this
                              one, or 0 */
};

#define FORMAT_NO_DEVICE UINT32_MAX /* memory that belongs to no device */

struct format_alloc {
    uint64_t alloc, nbytes;
    int32_t place;
    uint32_t site;
    uint64_t offset; /* in the memory of the process's device of this number: */
    uint32_t device, zero;
};

struct format_queue {
    uint32_t queue;
    int32_t place;
    uint32_t nbytes, zero; /* nbytes: length of the name, without the NUL */
};

struct format_fault {
    uint32_t index, site;
    uint32_t warning, nbytes; /* nbytes: length of the text, without the NUL */
};

/* Structs are written as they are, so they must not have padding. */
_Static_assert(sizeof(struct graph_node) == 112, "graph_node");
_Static_assert(sizeof(struct graph_ref) == 8, "graph_ref");
_Static_assert(sizeof(struct graph_point) == 12, "graph_point");
_Static_assert(sizeof(struct graph_move) == 16, "graph_move");
_Static_assert(sizeof(struct graph_access) == 32, "graph_access");
_Static_assert(sizeof(struct graph_harm) == 48, "graph_harm");
_Static_assert(sizeof(struct format_header) == 32, "format_header");
_Static_assert(sizeof(struct format_alloc) == 40, "format_alloc");
_Static_assert(sizeof(struct format_aside) == 24, "format_aside");

static inline uint64_t format_padded(uint64_t nbytes)
{
    return (nbytes + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
}

#endif
