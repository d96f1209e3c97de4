/*
 * view_writer.h: shared by the files that write the fields of view_data()
 */
#ifndef COMMLAB_GRAPH_VIEW_WRITER_H
#define COMMLAB_GRAPH_VIEW_WRITER_H

#include "graph/draw/view.h"
#include "graph/record/intern.h"

struct view_writer {
    FILE *f;
    const struct graph *g;
    const struct topo *topo;
    const struct replay_time *time;
    const struct replay_options *options; /* may be NULL */
    struct intern strings, uses;
    uint32_t *shown;  /* positions of the n operations that are shown */
    uint32_t *number; /* by position: its index in `shown`, or GRAPH_NOWHERE */
    uint32_t n;
    uint64_t begin_ps, end_ps; /* start of the page, and end of what it shows */
    char *used;                /* by resource: 1 if an operation uses it */
    int *row; /* by row: its number in the page; -1: it is empty */
    int failed;
    uint32_t piece_of; /* position whose pieces are being written */
    int npieces;
};

/* A time relative to the start of the page. */
static inline int64_t view_since(const struct view_writer *w, uint64_t ps)
{
    return (int64_t)(ps - w->begin_ps);
}

/* The number of a position, or not_shown if it isn't shown. */
static inline int64_t view_number(const struct view_writer *w, uint32_t at,
                                  int not_shown)
{
    return w->number[at] == GRAPH_NOWHERE ? not_shown : (int64_t)w->number[at];
}

/* The number of a text, 0 for "". */
int64_t view_string(struct view_writer *w, const char *text);

/* The number of the first shown member of its match; -1 if there is none. */
int64_t view_match(struct view_writer *w, uint32_t at);

/* Each function writes some of the fields, or sets w->failed. */
void view_put_rows(struct view_writer *w);    /* rows, pieces, path */
void view_put_machine(struct view_writer *w); /* use, uses, resources, drawing,
                                                 memory */
void view_put_found(struct view_writer *w);   /* hazards, steps */

#endif
