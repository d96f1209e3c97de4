#include "judge/table.h"

#include <math.h> /* isnan */

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
        fputc(c < 0x20 || c == 0x7f ? (c == '\n' ? '\n' : '?') : c, out);
    }
}

void table_row(FILE *out, const struct plan_case *c,
               const struct judge_verdict *v, const char *rerun)
{
    char time[32] = "";
    if (!isnan(v->time_us))
        snprintf(time, sizeof time, v->time_us < 10e3 ? "%.1f us" : "%.1f ms",
                 v->time_us < 10e3 ? v->time_us : v->time_us / 1000);
    fprintf(out, "%4d  %-30s %-16s %12s  %g/%g\n", c->part, c->name,
            v->pass              ? "pass"
            : v->not_implemented ? "NOT IMPLEMENTED"
                                 : "FAIL",
            time, v->pass ? c->points : 0.0, c->points);
    if (v->pass || v->not_implemented)
        return;
    fputs("        ", out);
    table_text(out, v->message, 400);
    fputc('\n', out);
    if (rerun)
        fprintf(out, "        again: %s\n", rerun);
}

void table_total(FILE *out, double points, double most)
{
    fprintf(out, "\ntotal %g of %g points\n", points, most);
}
