#include "graph/draw/view.h"

#include <string.h> /* memcmp */

#include "graph/draw/escape.h"
#include "graph/draw/view_files.h"

static void put_part(FILE *f, const char *name, const char *title,
                     const char *data)
{
    if (memcmp(name, "TITLE", 5) == 0)
        escape_xml(f, title);
    else if (memcmp(name, "STYLE", 5) == 0)
        fputs(view_style, f);
    else if (memcmp(name, "SCRIPT", 6) == 0)
        fprintf(f, "%s\n%s\n%s\n%s\n%s", view_run, view_draw, view_memory,
                view_machine, view_script);
    else if (memcmp(name, "DATA", 4) == 0)
        fputs(data, f);
}

/* Write page.html with @TITLE@, @STYLE@, @DATA@ and @SCRIPT@ filled in. It
 * contains no other @. */
int view_page(FILE *f, const char *title, const char *data)
{
    const char *at = view_page_html;
    for (const char *p; (p = strchr(at, '@')) != NULL;) {
        fwrite(at, 1, (size_t)(p - at), f);
        put_part(f, p + 1, title, data);
        at = strchr(p + 1, '@') + 1;
    }
    fputs(at, f);
    return ferror(f) ? -1 : 0;
}
