#include <inttypes.h> /* PRId64 */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strcspn */

#include "graph/draw/escape.h"
#include "graph/draw/view_writer.h"
#include "graph/explain/steps.h"
#include "graph/hazard/hazard.h"

/* ---- hazards ------------------------------------------------------------- */

/* The number of operation i of the hazard; -1 if the graph lacks it, -2 if
 * it is not shown. */
static int64_t position(const struct view_writer *w, const struct hazard *h,
                        int i)
{
    const uint32_t at = i < h->nops && h->op[i].node.index
                            ? graph_find(w->g, h->op[i].node)
                            : GRAPH_NOWHERE;
    return at == GRAPH_NOWHERE ? -1 : view_number(w, at, -2);
}

/* False for a hazard with an operation that is not shown. */
static int is_shown(const struct view_writer *w, const struct hazard *h)
{
    return position(w, h, 0) != -2 && position(w, h, 1) != -2;
}

/* Write a report of several lines as one string. */
static void put_lines(FILE *f, char *text)
{
    for (char *line = text; *line;) {
        char *const end = line + strcspn(line, "\n");
        const int more = *end == '\n';
        *end = '\0';
        escape_json(f, line);
        fputs(more ? "\\n" : "", f);
        line = end + more;
    }
}

/* List planted faults like warnings, after nput hazards. */
static void put_faults(struct view_writer *w, int nput)
{
    for (size_t i = 0; i < w->g->nharms; i++) {
        const struct graph_harm_note *const h = &w->g->harms[i];
        const struct graph_ref ref = {h->rank, h->harm->index};
        const uint32_t at = graph_find(w->g, ref);
        fprintf(w->f, "%s[\"rank %u: planted fault: ", nput++ ? "," : "",
                h->rank);
        escape_json(w->f, h->text);
        fprintf(w->f, "\",%" PRId64 ",-1,1]",
                at == GRAPH_NOWHERE ? -1 : view_number(w, at, -1));
    }
}

static void put_hazards(struct view_writer *w)
{
    char text[4096], err[200];
    struct hazards found = {0};
    int nput = 0;
    // The shown operations are one section, so a call also made in others is
    // reported for this one.
    uint32_t *const section = calloc((size_t)w->g->nnodes + 1, sizeof *section);
    for (uint32_t i = 0; section && i < w->n; i++)
        section[w->shown[i]] = 1;
    if (!section || hazards_find(w->g, section, &found, err, sizeof err) != 0)
        w->failed = 1;
    free(section);
    fputs(",\n\"hazards\":[", w->f);
    for (size_t i = 0; i < found.n; i++) {
        const struct hazard *const h = &found.hazard[i];
        if (!is_shown(w, h))
            continue;
        hazard_text(h, text, sizeof text);
        fputs(nput++ ? ",[\"" : "[\"", w->f);
        put_lines(w->f, text);
        fprintf(w->f, "\",%" PRId64 ",%" PRId64 ",%d]", position(w, h, 0),
                position(w, h, 1), h->warning);
    }
    put_faults(w, nput);
    fputc(']', w->f);
    hazards_release(&found);
}

/* ---- steps --------------------------------------------------------------- */

static void put_steps_of(struct view_writer *w, const struct steps *s,
                         int64_t span, int is_first)
{
    fprintf(w->f,
            "%s{\"span\":%" PRId64 ",\"byRank\":%d,\"steps\":%u,\"pieces\":[",
            is_first ? "" : ",\n", span, s->by_rank, s->nsteps);
    for (uint32_t p = 0; p < s->npieces; p++)
        fprintf(w->f, "%s[%u,%" PRIu64 ",%" PRIu64 "]", p ? "," : "",
                s->piece[p].rank, s->piece[p].begin, s->piece[p].end);
    fputs("],\"ends\":[", w->f);
    for (uint32_t i = 0; i < s->nsteps; i++)
        fprintf(w->f, "%s%" PRId64, i ? "," : "",
                i ? view_since(w, s->end_ps[i]) : 0);
    fputs("],\"masks\":[", w->f);
    const size_t n = (size_t)s->nsteps * s->nranks * s->npieces;
    for (size_t i = 0; i < n; i++)
        fprintf(w->f, "%s\"%" PRIx64 "\"", i ? "," : "", s->mask[i]);
    fputs("]}", w->f);
}

/* Write the steps of each span in which messages were sent: the
 * first MOST_SPANS. */
static void put_steps(struct view_writer *w)
{
    enum { MOST_SPANS = 32 };
    int64_t done[MOST_SPANS];
    int ndone = 0, nput = 0;
    fputs(",\n\"steps\":[", w->f);
    for (uint32_t k = 0; k < w->n && ndone < MOST_SPANS; k++) {
        const uint32_t at = w->shown[k];
        const int64_t span = view_string(w, w->g->nodes[at].span);
        int known = span == 0 || w->g->nodes[at].node.match_size != 2 ||
                    w->g->nodes[at].node.kind == GRAPH_COLL;
        for (int i = 0; i < ndone; i++)
            known |= done[i] == span;
        if (known)
            continue;
        done[ndone++] = span;
        struct steps s;
        if (steps_find(w->g, w->time, w->g->nodes[at].span, &s) != 0)
            w->failed = 1;
        if (s.npieces)
            put_steps_of(w, &s, span, nput++ == 0);
        steps_release(&s);
    }
    fputc(']', w->f);
}

void view_put_found(struct view_writer *w)
{
    put_hazards(w);
    put_steps(w);
}
