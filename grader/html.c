#include "html.h"

#include <sodium.h> /* crypto_hash_sha256 */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "text.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d6dae0;"
    "--soft:#f4f6f8;--dim:#5b6672;--pass:#1a7f4b;--part:#8a5d00;--fail:#b3261e;"
    "--none:#9aa4af;--link:#0b57d0}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#15181c;"
    "--line:#363c44;--soft:#1e2329;--dim:#9aa4af;--pass:#4cc38a;--part:#e0a83a;"
    "--fail:#ff8078;--none:#5b6672;--link:#8ab4f8}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:68rem;padding:1rem;"
    "font:16px/1.5 system-ui,sans-serif;color:var(--ink);"
    "background:var(--paper);overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:2rem 0 "
    ".5rem}a{color:var(--link)}p{margin:.5rem 0}.dim{color:var(--dim)}\n"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;"
    "padding:.4rem .5rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}th{font-weight:600;color:var(--dim)}thead th,.w{"
    "white-space:nowrap}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".c{overflow-wrap:break-word}code{font:.85em/1.4 ui-monospace,monospace;"
    "background:var(--soft);padding:.1em .3em;border-radius:3px}\n"
    ".o{font-weight:600;white-space:nowrap}.pass{color:var(--pass)}.fail,"
    ".suspected{color:var(--fail)}.infra,.missing{color:var(--part)}\n"
    ".tiles{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0}.tiles div{"
    "background:var(--soft);border-radius:6px;padding:.5rem .9rem}.tiles b{"
    "display:block;font-size:1.4rem}\n"
    "svg{display:block;max-width:100%}.bar{width:100%;min-width:4rem;"
    "height:.9rem}.p0{fill:var(--pass)}.p1{fill:var(--part)}.p2{"
    "fill:var(--fail)}.p3{fill:var(--none)}svg text{fill:var(--dim);"
    "font:12px system-ui,sans-serif}.axis{stroke:var(--line)}\n"
    ".key i{display:inline-block;width:.8em;height:.8em;border-radius:2px;"
    "margin:0 .3em 0 1em}.wide{overflow-x:auto}\n"
    "@media(min-width:36.01rem){.cards tbody th{white-space:nowrap}.cards "
    "td:last-child{width:99%}}\n"
    ".scores{overflow:visible}@media(max-width:36rem){.scores text{"
    "font-size:19px}th,td{padding:.4rem .3rem}.bar{min-width:3rem}.cards "
    "thead{display:none}.cards tr{display:block;"
    "border-bottom:1px solid var(--line);padding:.6rem 0}.cards td,"
    ".cards tbody th{display:inline-block;border:0;padding:0 .6em 0 0}.cards "
    "td.t{display:block}"
    ".hide{display:none}}\n"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;background:"
    "var(--paper);padding:.5rem}caption{text-align:left;color:var(--dim);"
    "padding:.3rem 0}th button{all:unset;cursor:pointer;text-decoration:"
    "underline dotted}th[aria-sort=ascending] button:after{content:' \\25B2'}"
    "th[aria-sort=descending] button:after{content:' \\25BC'}:focus-visible{"
    "outline:2px solid var(--link);outline-offset:2px}\n"
    "form{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end}label{"
    "display:block;color:var(--dim)}input,select{font:inherit;color:inherit;"
    "background:var(--soft);border:1px solid var(--none);border-radius:4px;"
    "padding:.3rem .5rem;height:2.25rem;max-width:100%}tbody "
    "th{font-weight:400;color:"
    "inherit}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:.85rem/1.4 "
    "ui-monospace,monospace}pre .add{color:var(--pass)}pre .del{"
    "color:var(--fail)}pre .at{color:var(--dim)}.two{display:grid;gap:1rem;"
    "grid-template-columns:1fr 1fr}@media(max-width:48rem){.two{"
    "grid-template-columns:1fr}}.two>*{min-width:0}mark{background:var(--soft);"
    "color:var(--fail)}.excused,.given{color:var(--dim)}\n";

/* The hash by which a policy names a script, in base64. */
static void script_hash(const char *script, char out[64])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, (const unsigned char *)script, strlen(script));
    sodium_bin2base64(out, 64, hash, sizeof hash,
                      sodium_base64_VARIANT_ORIGINAL);
}

void html_begin(FILE *f, const char *title, const char *script, int refresh)
{
    char hash[64] = "";
    if (script)
        script_hash(script, hash);
    fprintf(f,
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, "
            "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
            "'self' data:%s%s%s\">\n",
            script ? "; script-src 'sha256-" : "", hash, script ? "'" : "");
    if (refresh)
        fprintf(f, "<meta http-equiv=\"refresh\" content=\"%d\">\n", refresh);
    fprintf(f, "<title>");
    html_text(f, title);
    fprintf(f,
            "</title>\n<style>\n%s</style>\n<body>\n<a class=\"skip\" "
            "href=\"#main\">Skip to the content</a>\n<main id=\"main\">\n",
            style);
}

void html_end(FILE *f, const char *script)
{
    fprintf(f, "</main>\n");
    if (script)
        fprintf(f, "<script>%s</script>\n", script);
    fprintf(f, "</body>\n</html>\n");
}

void html_table(FILE *f, const char *more, const char *caption,
                const char *columns)
{
    fprintf(f, "<table %s><caption>%s</caption><thead><tr>", more, caption);
    while (*columns) {
        const size_t n = strcspn(columns, "|");
        const int number = *columns == '#';
        fprintf(f, "<th scope=\"col\"%s>%.*s</th>",
                number ? " class=\"n\"" : "", (int)n - number,
                columns + number);
        columns += n + (columns[n] == '|');
    }
    fprintf(f, "</tr></thead><tbody>\n");
}

void html_text(FILE *f, const char *text)
{
    enum { MOST = 20000 }; // a whole diagnosis
    char *const clean = text_clean(text, MOST);
    text_xml(f, clean);
    free(clean);
}

void html_outcome(FILE *f, const char *outcome)
{
    fprintf(f, "<span class=\"o %s\">%s</span>", outcome, outcome);
}

void html_points(FILE *f, double points)
{
    const double cents = points * 100;
    const long whole = (long)(cents < 0 ? cents - .5 : cents + .5);
    fprintf(f, whole % 100 ? "%.2f" : "%.0f", (double)whole / 100);
}

void html_bar(FILE *f, const int count[4])
{
    static const char *const names[] = {"pass", "partial", "fail",
                                        "not written"};
    const int total = count[0] + count[1] + count[2] + count[3];
    double x = 0;
    fprintf(f, "<svg class=\"bar\" viewBox=\"0 0 100 10\" "
               "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"");
    for (int i = 0; i < 4; i++)
        fprintf(f, "%s%d %s", i ? ", " : "", count[i], names[i]);
    fprintf(f, "\">");
    for (int i = 0; i < 4 && total; i++) {
        const double width = 100.0 * count[i] / total;
        if (count[i])
            fprintf(f,
                    "<rect class=\"p%d\" x=\"%.3f\" width=\"%.3f\" "
                    "height=\"10\"><title>%d %s</title></rect>",
                    i, x, width, count[i], names[i]);
        x += width;
    }
    fprintf(f, "</svg>");
}

void html_histogram(FILE *f, const struct export *e)
{
    enum { BINS = 20, WIDTH = 600, HEIGHT = 120, BASE = 20 };
    int count[BINS] = {0}, most = 1;
    for (int i = 0; i < e->nrows; i++) {
        if (!e->row[i].has_score)
            continue;
        int bin =
            e->max_score > 0 ? (int)(BINS * e->row[i].final / e->max_score) : 0;
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        if (++count[bin] > most)
            most = count[bin];
    }
    fprintf(
        f,
        "<svg class=\"scores\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
        "aria-label=\"how many students have how many points\">\n",
        WIDTH, HEIGHT + BASE + 14, WIDTH);
    for (int i = 0; i < BINS; i++) {
        const double width = (double)WIDTH / BINS,
                     height = (double)HEIGHT * count[i] / most;
        if (count[i])
            fprintf(f,
                    "<rect class=\"p0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                    "height=\"%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                    "text-anchor=\"middle\">%d</text>\n",
                    i * width + 1, 14 + HEIGHT - height, width - 2, height,
                    (i + .5) * width, 10 + HEIGHT - height, count[i]);
    }
    fprintf(f, "<path class=\"axis\" d=\"M0 %dH%d\"/>\n", 14 + HEIGHT, WIDTH);
    for (int i = 0; i <= 4; i++)
        fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%g</text>\n",
                i * WIDTH / 4, 14 + HEIGHT + 16,
                i == 0   ? "start"
                : i == 4 ? "end"
                         : "middle",
                e->max_score * i / 4);
    fprintf(f, "</svg>\n");
}
