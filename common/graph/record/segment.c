#include "graph/record/segment.h"

#include <math.h>   /* isfinite */
#include <stdarg.h> /* va_list */
#include <stddef.h> /* offsetof */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* realloc */
#include <string.h> /* memcmp */

#include "graph/record/site.h"

static int wrong(struct segment *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->wrong, sizeof s->wrong, format, args);
    va_end(args);
    return -1;
}

int segment_init(struct segment *s, const char *bytes, uint64_t nbytes)
{
    const struct format_header *const h = (const void *)bytes;
    *s = (struct segment){.bytes = bytes};
    if (nbytes < FORMAT_DATA)
        return wrong(s, "%llu bytes are no execution graph: its header has %d",
                     (unsigned long long)nbytes, FORMAT_DATA);
    if (memcmp(h->magic, FORMAT_MAGIC, sizeof h->magic) != 0)
        return wrong(s, "not an execution graph: it does not begin with \"%s\"",
                     FORMAT_MAGIC);
    if (h->byte_order != FORMAT_BYTE_ORDER)
        return wrong(s, "written on a machine of another byte order");
    if (h->version != FORMAT_VERSION)
        return wrong(s, "format version %u; this program reads version %d",
                     h->version, FORMAT_VERSION);
    if (h->rank >= h->nranks)
        return wrong(s, "rank %u of %u ranks", h->rank, h->nranks);
    s->rank = h->rank;
    s->nranks = h->nranks;
    s->at = FORMAT_DATA;
    return 0;
}

void segment_release(struct segment *s)
{
    free(s->node);
    free(s->amend);
    free(s->site);
    free(s->string);
    free(s->queue);
    free(s->alloc);
    free(s->alloc_after);
    free(s->fault);
    free(s->harm);
    free(s->broken);
    *s = (struct segment){0};
}

/*
 * Make space for entry `last` of an array that doubles: it is reallocated when
 * `last` is a power of two.
 */
static int make_room(struct segment *s, void *array, uint32_t last,
                     size_t nbytes)
{
    void **const a = array;
    if (*a && (last & (last - 1)) != 0)
        return 0;
    void *const larger = realloc(*a, 2 * (size_t)last * nbytes);
    if (!larger)
        return wrong(s, "no memory for entry %u", last);
    *a = larger;
    return 0;
}

/* Append a pointer to an array of these, numbered from 1. */
static int append(struct segment *s, void *array, uint32_t *n, const void *p)
{
    const uint32_t number = *n + 1;
    if (make_room(s, array, number, sizeof p) != 0)
        return -1;
    const void **const a = *(const void ***)array;
    a[number] = p;
    *n = number;
    return 0;
}

/* ---- records ------------------------------------------------------------- */

static const char *wrong_node(const struct segment *s,
                              const struct graph_node *n)
{
    if (n->rank != s->rank || n->index != s->nnodes + 1)
        return "its number is not the next one of this rank";
    if (n->kind >= GRAPH_KINDS || n->match_kind > GRAPH_MATCH_MESSAGE ||
        n->op >= TOPO_OPS || n->math >= TOPO_MATHS)
        return "unknown kind of operation";
    if (n->match && n->match_rank >= n->match_size)
        return "its rank in its match is not below the match's size";
    if (!(n->flops >= 0) || !isfinite(n->flops))
        return "its flops are not a number of operations";
    if (n->name > s->nstrings || n->span > s->nstrings)
        return "its name is unknown";
    if (n->site > s->nsites)
        return "its call site is unknown";
    const struct graph_ref *const deps = (const void *)(n + 1);
    for (int i = 0; i < n->ndeps; i++)
        if (deps[i].rank >= s->nranks || deps[i].index == 0 ||
            (deps[i].rank == s->rank && deps[i].index >= n->index))
            return "it depends on an operation that can't be before it";
    return NULL;
}

static int add_node(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct graph_node *const n = (const void *)body;
    const uint32_t number = s->nnodes + 1;
    if (nbytes < sizeof *n ||
        nbytes != sizeof *n + n->ndeps * sizeof(struct graph_ref) +
                      n->nmoves * sizeof(struct graph_move) +
                      n->naccesses * sizeof(struct graph_access))
        return wrong(s, "operation %u: %u bytes don't hold it", number, nbytes);
    const char *const why = wrong_node(s, n);
    if (why)
        return wrong(s, "operation %u: %s", number, why);
    if (make_room(s, &s->node, number, sizeof *s->node) != 0)
        return -1;
    s->node[number] = (struct segment_node){.node = n, .nparts = 1};
    s->nnodes = number;
    return 0;
}

/* Append an amendment or a part to those of node `index`. */
static int append_to(struct segment *s, uint32_t index,
                     struct segment_amend what)
{
    struct segment_node *const n = &s->node[index];
    const uint32_t number = s->namends + 1;
    if (make_room(s, &s->amend, number, sizeof *s->amend) != 0)
        return -1;
    s->amend[number] = what;
    s->namends = number;
    if (n->last)
        s->amend[n->last].next = number;
    else
        n->amend = number;
    n->last = number;
    return 0;
}

static int add_amend(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_amend *const a = (const void *)body;
    if (nbytes < sizeof *a ||
        nbytes != sizeof *a + (uint64_t)a->nmoves * sizeof(struct graph_move) +
                      (uint64_t)a->naccesses * sizeof(struct graph_access))
        return wrong(s, "an amendment: %u bytes don't hold it", nbytes);
    if (a->index == 0 || a->index > s->nnodes)
        return wrong(s, "an amendment of operation %u, of %u", a->index,
                     s->nnodes);
    if (!(a->flops >= 0) || !isfinite(a->flops))
        return wrong(s, "an amendment: its flops are not a number");
    return append_to(s, a->index, (struct segment_amend){.amend = a});
}

/* Append part p; its points fill the rest of its nbytes. */
static int append_part(struct segment *s, const struct format_part *p,
                       uint32_t nbytes, const struct format_aside *aside)
{
    const struct graph_point *const after = (const void *)(p + 1);
    if (nbytes != sizeof *p + (uint64_t)p->nafter * sizeof *after ||
        p->nafter > UINT16_MAX)
        return wrong(s, "a part: %u bytes don't hold it", nbytes);
    if (p->index == 0 || p->index > s->nnodes)
        return wrong(s, "a part of operation %u, of %u", p->index, s->nnodes);
    for (uint32_t i = 0; i < p->nafter; i++)
        if (after[i].rank >= s->nranks || after[i].index == 0)
            return wrong(s, "a part of operation %u follows none", p->index);
    if (append_to(s, p->index,
                  (struct segment_amend){.part = p, .aside = aside}) != 0)
        return -1;
    s->node[p->index].nparts++;
    return 0;
}

static int add_part(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_part *const p = (const void *)body;
    return nbytes < sizeof *p
               ? wrong(s, "a part: %u bytes don't hold it", nbytes)
               : append_part(s, p, nbytes, NULL);
}

static int add_aside(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_aside *const a = (const void *)body;
    const uint32_t before = (uint32_t)offsetof(struct format_aside, part);
    if (nbytes < sizeof *a || a->queue == 0 || a->name > s->nstrings)
        return wrong(s, "a part aside: %u bytes don't hold it", nbytes);
    return append_part(s, &a->part, nbytes - before, a);
}

/* The text after a head of head_nbytes; NULL unless it ends at
 * the right place. */
static const char *text_of(const char *body, uint32_t nbytes,
                           size_t head_nbytes, uint32_t text_nbytes)
{
    if (nbytes != head_nbytes + text_nbytes + 1 || body[nbytes - 1] != 0)
        return NULL;
    return body + head_nbytes;
}

static int add_string(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_text *const t = (const void *)body;
    const uint32_t number = s->nstrings + 1;
    const char *const text =
        nbytes > sizeof *t ? text_of(body, nbytes, sizeof *t, t->nbytes) : NULL;
    if (!text || t->id != number)
        return wrong(s, "string %u is damaged", number);
    return append(s, &s->string, &s->nstrings, text);
}

static int add_site(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_site *const site = (const void *)body;
    const uint32_t number = s->nsites + 1;
    if (nbytes != sizeof *site || site->id != number ||
        site->module > s->nstrings || site->caller >= number)
        return wrong(s, "call site %u is damaged", number);
    if (make_room(s, &s->site, number, sizeof *s->site) != 0)
        return -1;
    s->site[number] = (struct segment_site){.site = site};
    s->nsites = number;
    return 0;
}

/* The text of a call site, which *site gets; NULL if the record is damaged. */
static const char *site_text_in(struct segment *s, const char *body,
                                uint32_t nbytes, struct segment_site **site)
{
    const struct format_text *const t = (const void *)body;
    const char *const text =
        nbytes > sizeof *t ? text_of(body, nbytes, sizeof *t, t->nbytes) : NULL;
    if (!text || t->id == 0 || t->id > s->nsites) {
        wrong(s, "the text of a call site is damaged");
        return NULL;
    }
    *site = &s->site[t->id];
    return text;
}

static int add_site_text(struct segment *s, const char *body, uint32_t nbytes)
{
    struct segment_site *site;
    const char *const text = site_text_in(s, body, nbytes, &site);
    if (text)
        site->text = text;
    return text ? 0 : -1;
}

static int add_site_from(struct segment *s, const char *body, uint32_t nbytes)
{
    struct segment_site *site;
    const char *const text = site_text_in(s, body, nbytes, &site);
    if (text)
        site->from = text;
    return text ? 0 : -1;
}

static int add_alloc(struct segment *s, const char *body, uint32_t nbytes)
{
    if (nbytes != sizeof(struct format_alloc))
        return wrong(s, "an allocation's note is damaged");
    if (make_room(s, &s->alloc_after, s->nallocs + 1, sizeof *s->alloc_after) !=
            0 ||
        append(s, &s->alloc, &s->nallocs, body) != 0)
        return -1;
    s->alloc_after[s->nallocs] = s->nnodes;
    return 0;
}

static int add_queue(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_queue *const q = (const void *)body;
    if (nbytes <= sizeof *q || !text_of(body, nbytes, sizeof *q, q->nbytes))
        return wrong(s, "a queue's note is damaged");
    return append(s, &s->queue, &s->nqueues, q);
}

static int add_fault(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_fault *const f = (const void *)body;
    if (nbytes <= sizeof *f || !text_of(body, nbytes, sizeof *f, f->nbytes))
        return wrong(s, "the note of a mistake is damaged");
    return append(s, &s->fault, &s->nfaults, f);
}

static int harm_only_slows(const struct graph_harm *h)
{
    return h->kind == GRAPH_SLOW   ? h->factor >= 1 && h->factor <= 1e9
           : h->kind == GRAPH_LINK ? h->factor >= 0 && h->factor <= 1
                                   : 1;
}

static int add_harm(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct graph_harm *const h = (const void *)body;
    if (nbytes <= sizeof *h || !text_of(body, nbytes, sizeof *h, h->nbytes) ||
        h->kind >= GRAPH_HARMS || h->span > s->nstrings || !harm_only_slows(h))
        return wrong(s, "the note of a planted fault is damaged");
    return append(s, &s->harm, &s->nharms, h);
}

static int add_broken(struct segment *s, const char *body, uint32_t nbytes)
{
    const uint32_t *const index = (const void *)body;
    if (nbytes != sizeof *index || *index == 0 || *index > s->nnodes)
        return wrong(s, "the note of a broken operation is damaged");
    const uint32_t number = s->nbroken + 1;
    if (make_room(s, &s->broken, number, sizeof *s->broken) != 0)
        return -1;
    s->node[*index].broken = 1;
    s->broken[number] = *index;
    s->nbroken = number;
    return 0;
}

static int add_begun(struct segment *s, const char *body, uint32_t nbytes)
{
    const uint32_t *const index = (const void *)body;
    if (nbytes % sizeof *index)
        return wrong(s, "the list of what has begun is damaged");
    for (uint32_t i = 0; i < nbytes / sizeof *index; i++) {
        if (index[i] == 0 || index[i] > s->nnodes)
            return wrong(s, "operation %u has begun, of %u", index[i],
                         s->nnodes);
        s->node[index[i]].begun = 1;
    }
    s->is_witnessed = 1;
    return 0;
}

static int note_machine(struct segment *s, const char *body, uint32_t nbytes)
{
    const struct format_text *const t = (const void *)body;
    s->machine =
        nbytes > sizeof *t ? text_of(body, nbytes, sizeof *t, t->nbytes) : NULL;
    return s->machine ? 0 : wrong(s, "the machine's name is damaged");
}

typedef int add_record(struct segment *s, const char *body, uint32_t nbytes);

static add_record *const add[] = {
    [FORMAT_NODE] = add_node,           [FORMAT_AMEND] = add_amend,
    [FORMAT_STRING] = add_string,       [FORMAT_SITE] = add_site,
    [FORMAT_SITE_TEXT] = add_site_text, [FORMAT_ALLOC] = add_alloc,
    [FORMAT_QUEUE] = add_queue,         [FORMAT_MACHINE] = note_machine,
    [FORMAT_PART] = add_part,           [FORMAT_FAULT] = add_fault,
    [FORMAT_ASIDE] = add_aside,         [FORMAT_BEGUN] = add_begun,
    [FORMAT_HARM] = add_harm,           [FORMAT_BROKEN] = add_broken,
    [FORMAT_SITE_FROM] = add_site_from,
};

int segment_advance(struct segment *s, uint64_t used)
{
    while (s->at < used) {
        const struct format_record *const r = (const void *)(s->bytes + s->at);
        if (used - s->at < sizeof *r ||
            used - s->at < sizeof *r + format_padded(r->nbytes))
            return wrong(s, "the segment ends inside a record");
        if (r->kind < sizeof add / sizeof *add && add[r->kind] &&
            add[r->kind](s, (const char *)(r + 1), r->nbytes) != 0)
            return -1;
        s->at += sizeof *r + format_padded(r->nbytes);
    }
    return 0;
}

const char *segment_string(const struct segment *s, uint32_t id)
{
    return id && id <= s->nstrings ? s->string[id] : "";
}

/* The calls of a site, innermost first; returns their number. */
static int calls_of(const struct segment *s, uint32_t id,
                    struct site_call call[SITE_DEPTH])
{
    int n = 0;
    for (; id && n < SITE_DEPTH; id = s->site[id].site->caller)
        call[n++] =
            (struct site_call){segment_string(s, s->site[id].site->module),
                               s->site[id].site->offset};
    return n;
}

const char *segment_site(const struct segment *s, uint32_t id, char *out,
                         size_t nbytes)
{
    const struct segment_site *const site =
        id && id <= s->nsites ? &s->site[id] : NULL;
    struct site_call call[SITE_DEPTH];
    if (site && !site->text)
        return site_stack_text(call, calls_of(s, id, call), out, nbytes);
    snprintf(out, nbytes, "%s", site ? site->text : "?");
    return out;
}

const char *segment_site_from(const struct segment *s, uint32_t id, char *out,
                              size_t nbytes)
{
    const struct segment_site *const site =
        id && id <= s->nsites ? &s->site[id] : NULL;
    struct site_call call[SITE_DEPTH];
    if (site && !site->text)
        return site_stack_from(call, calls_of(s, id, call), out, nbytes);
    snprintf(out, nbytes, "%s", site && site->from ? site->from : "");
    return out;
}
