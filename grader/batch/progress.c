#include "grader/batch/progress.h"

#include <string.h> /* memset */
#include <time.h>   /* clock_gettime */
#include <unistd.h> /* isatty */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void progress_begin(struct progress *p, FILE *out, int total)
{
    memset(p, 0, sizeof *p);
    p->out = out;
    p->terminal = isatty(fileno(out));
    p->total = total;
    p->begin_ns = now_ns();
}

/* Submissions per second, over the last ones; 0 if unknown. */
static double rate(const struct progress *p)
{
    // since the oldest known one was done, which itself doesn't count
    const int full = p->done > PROGRESS_LAST;
    const int n = full ? PROGRESS_LAST - 1 : p->done;
    const uint64_t since =
        full ? p->last_ns[p->done % PROGRESS_LAST] : p->begin_ns;
    const double sec = (double)(now_ns() - since) * 1e-9;
    return n && sec > 0 ? n / sec : 0;
}

/* Write "40 s", "12 min" or "3 h 05 min". */
static void duration(double sec, char *out, size_t nbytes)
{
    const int minutes = (int)(sec / 60);
    if (sec < 100)
        snprintf(out, nbytes, "%.0f s", sec);
    else if (minutes < 100)
        snprintf(out, nbytes, "%d min", minutes);
    else
        snprintf(out, nbytes, "%d h %02d min", minutes / 60, minutes % 60);
}

/* Write "57/200  3.1/min  46 min left". */
static void state(const struct progress *p, char *out, size_t nbytes)
{
    const double per_sec = rate(p);
    char left[32] = "?";
    if (per_sec > 0)
        duration((p->total - p->done) / per_sec, left, sizeof left);
    snprintf(out, nbytes, "%d/%d  %.1f/min  %s left", p->done, p->total,
             per_sec * 60, left);
}

void progress_show(const struct progress *p)
{
    enum { WIDTH = 24 };
    char text[96], counts[96], bar[WIDTH + 1] = "";
    if (!p->terminal)
        return;
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i * p->total < p->done * WIDTH ? '#' : '.';
    state(p, text, sizeof text);
    outcome_summary(&p->outcomes, counts, sizeof counts);
    fprintf(p->out, "\r[%s] %s  %s  %d running  ", bar, text, counts,
            p->running);
    fflush(p->out);
}

void progress_done(struct progress *p, enum outcome outcome, double score,
                   const char *line)
{
    char text[96];
    p->last_ns[p->done++ % PROGRESS_LAST] = now_ns();
    outcome_count(&p->outcomes, outcome, score);
    if (p->terminal)
        return progress_show(p);
    state(p, text, sizeof text);
    fprintf(p->out, "%s  (%s)\n", line, text);
    fflush(p->out);
}

void progress_end(struct progress *p)
{
    char took[32], counts[96];
    duration((double)(now_ns() - p->begin_ns) * 1e-9, took, sizeof took);
    fprintf(p->out, "%s%d graded in %s: %s\n", p->terminal ? "\r\033[K" : "",
            p->done, took,
            outcome_summary(&p->outcomes, counts, sizeof counts));
}
