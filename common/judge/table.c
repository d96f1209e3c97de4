#include "judge/table.h"

#include <math.h> /* isnan */

#include "judge/points.h"

enum { MESSAGE = 3000, INDENT = 8 };

void table_head(FILE *out, const char *title)
{
    fprintf(out, "\n%s\n\n", title);
    fprintf(out, "part  %-30s %-16s %12s  %s\n", "case", "verdict", "time",
            "points");
}

void table_text(FILE *out, const char *text, int most)
{
    for (int i = 0; text[i] && i < most; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            fprintf(out, "\n%*s", INDENT, "");
        else
            fputc(c < 0x20 || c >= 0x7f ? '?' : c, out);
    }
}

/* About three digits, in a suitable unit: "8.42 us", "31.5 ms". */
static void print_time(char *out, size_t nbytes, double us)
{
    const char *const unit = us < 1e3 ? "us" : us < 1e6 ? "ms" : "s";
    const double v = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
    snprintf(out, nbytes, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, unit);
}

static const char *word_for(const struct judge_verdict *v)
{
    return v->answered          ? "answered"
           : v->pass            ? "pass"
           : v->not_implemented ? "NOT IMPLEMENTED"
           : v->suspected       ? "SUSPECTED"
           : v->skipped         ? "SKIPPED"
           : v->score > 0       ? "PARTLY"
                                : "FAIL";
}

void table_row(FILE *out, const struct plan_case *c,
               const struct judge_verdict *v, const char *rerun)
{
    char time[32] = "", times[128], points[32];
    if (!isnan(v->time_us))
        print_time(time, sizeof time, v->time_us);
    if (v->answered)
        snprintf(points, sizeof points, "-");
    else
        snprintf(points, sizeof points, "%g", points_earned(c, v));
    fprintf(out, "%4d  %-30s %-16s %12s  %s/%g\n", c->part, c->name,
            word_for(v), time, points, c->points);
    if (points_text(c, v, times, sizeof times)[0])
        fprintf(out, "%*s%s\n", INDENT, "", times);
    if (v->pass || v->not_implemented)
        return;
    fprintf(out, "%*s", INDENT, "");
    table_text(out, v->message, MESSAGE);
    fputc('\n', out);
    if (rerun && !v->skipped && !v->graders_only)
        fprintf(out, "%*sagain: %s\n", INDENT, "", rerun);
}

void table_total(FILE *out, double points, double most, int nanswered)
{
    fprintf(out, "\ntotal %g of %g points\n", points, most);
    if (nanswered)
        fprintf(out,
                "without %d answered question%s, which the course's grader "
                "judges\n",
                nanswered, nanswered == 1 ? "" : "s");
}
