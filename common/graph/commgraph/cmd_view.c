#include <errno.h>  /* errno */
#include <string.h> /* strcmp */

#include "command.h"
#include "graph/escape.h"
#include "view_data.h"
#include "view_files.h"

static int put_part(FILE *f, const struct command_run *r, const char *title,
                    const char *name, size_t n)
{
    if (n == 5 && memcmp(name, "TITLE", n) == 0)
        escape_xml(f, title);
    else if (n == 5 && memcmp(name, "STYLE", n) == 0)
        fputs(view_style, f);
    else if (n == 6 && memcmp(name, "SCRIPT", n) == 0)
        fprintf(f, "%s\n%s\n%s\n%s\n%s", view_run, view_draw, view_memory,
                view_machine, view_script);
    else if (n == 4 && memcmp(name, "DATA", n) == 0)
        return view_data(f, r, title);
    return 0;
}

/* page.html, with @TITLE@, @STYLE@, @DATA@ and @SCRIPT@ filled in. */
static int write_page(FILE *f, const struct command_run *r, const char *title)
{
    const char *at = view_page;
    for (const char *p; (p = strchr(at, '@')) != NULL;) {
        const size_t n = strspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        fwrite(at, 1, (size_t)(p - at), f);
        if (n && p[1 + n] == '@') {
            if (put_part(f, r, title, p + 1, n) != 0)
                return -1;
            at = p + n + 2;
        } else {
            fputc('@', f);
            at = p + 1;
        }
    }
    fputs(at, f);
    return ferror(f) ? -1 : 0;
}

static int write_view(const struct command_run *r, const char *dir,
                      const char *path)
{
    char title[512];
    snprintf(title, sizeof title, "%s on %s: %u ranks, %.3f us", dir,
             topo_name(r->topo), r->graph->nranks,
             (double)replay_end_ps(r->replay) * 1e-6);
    FILE *const f = fopen(path, "w");
    if (!f)
        return command_failed("%s: %s", path, strerror(errno));
    errno = ENOMEM;
    int err = write_page(f, r, title);
    if (fclose(f) != 0)
        err = -1;
    return err ? command_failed("%s: %s", path, strerror(errno)) : 0;
}

int cmd_view(int argc, char **argv)
{
    const char *dir = NULL, *topo = NULL, *path = NULL;
    for (int i = 1; i < argc; i++) {
        const char **const value = strcmp(argv[i], "-o") == 0       ? &path
                                   : strcmp(argv[i], "--topo") == 0 ? &topo
                                                                    : NULL;
        if (value && i + 1 == argc)
            return command_usage("view", "%s needs a value", argv[i]);
        if (value)
            *value = argv[++i];
        else if (argv[i][0] == '-' || dir)
            return command_usage("view", "unexpected argument '%s'", argv[i]);
        else
            dir = argv[i];
    }
    if (!dir || !path)
        return command_usage("view", "give the directory of a saved run, and "
                                     "-o FILE.html");
    struct command_run r;
    int status = command_run_init(&r, dir, topo);
    if (status == 0)
        status = write_view(&r, dir, path);
    command_run_release(&r);
    return status;
}
