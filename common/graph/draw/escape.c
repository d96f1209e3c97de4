#include "graph/draw/escape.h"

static char printable(char c)
{
    return c >= 0x20 && c < 0x7f ? c : '?';
}

void escape_json(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        if (*text == '<') // JSON in a page must not end the page's <script>
            fputs("\\u003c", f);
        else
            fputc(printable(*text), f);
    }
}

void escape_xml(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(printable(*text), f);
        }
}
