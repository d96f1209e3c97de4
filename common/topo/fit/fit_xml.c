/*
 * fit_xml.c: a fitted machine as a file
 *
 * The file is a copy of the node's own, with a <calibration> of all speeds and
 * curves that count inserted before the last </system>. It comes last, so it
 * overrides any other in the file.
 */
#include <errno.h>  /* errno */
#include <math.h>   /* exp */
#include <stdlib.h> /* malloc */
#include <string.h> /* strerror */

#include "topo/fit/fit.h"
#include "topo/machine.h"

/* The contents of a file; the caller frees them. */
static char *read_all(const char *path)
{
    FILE *const f = fopen(path, "re");
    char *text = NULL;
    size_t n = 0, got = 1;
    while (f && got > 0) {
        char *const more = realloc(text, n + 65537);
        if (!more)
            break;
        text = more;
        got = fread(text + n, 1, 65536, f);
        n += got;
        text[n] = 0;
    }
    if (f)
        fclose(f);
    return text;
}

static char *last(char *text, const char *what)
{
    char *found = NULL;
    for (char *at = strstr(text, what); at; at = strstr(at + 1, what))
        found = at;
    return found;
}

/* Write text, escaping what an attribute's value can't contain. */
static void put_text(FILE *f, const char *text)
{
    for (; *text; text++)
        if (strchr("\"<>&", *text) || (unsigned char)*text < ' ')
            fprintf(f, "&#%d;", *text == '\n' ? ' ' : *text);
        else
            fputc(*text, f);
}

static void put_source(const struct fit *f, FILE *out)
{
    const double in = fit_error(f, -1, 0, offsetof(struct fit_row, fitted));
    const double held =
        fit_error(f, -1, 0, offsetof(struct fit_row, without_file));
    fprintf(out, " source=\"commgraph fit:");
    for (int i = 0; i < f->ntables; i++)
        if (i == 0 || strcmp(f->table[i].file, f->table[i - 1].file) != 0) {
            const char *const slash = strrchr(f->table[i].file, '/');
            fputc(' ', out);
            put_text(out, slash ? slash + 1 : f->table[i].file);
        }
    fprintf(out, "; error %.1f %%, left out %.1f %%\"", 100 * (exp(in) - 1),
            100 * (exp(held) - 1));
}

int fit_write(const struct fit *f, FILE *out, char *err, size_t err_nbytes)
{
    char *const text = read_all(f->topo->file);
    char *const end = text ? last(text, "</system>") : NULL;
    if (!end) {
        snprintf(err, err_nbytes, "%s: %s", f->topo->file,
                 text ? "no </system>" : strerror(errno));
        free(text);
        return -1;
    }
    struct calibration c = f->topo->cal;
    struct fit_settings s;
    fit_settings(f, f->value, f->nvalues, &s);
    for (int i = 0; i < s.n; i++)
        if (calibration_read(&c, s.at[i].element, s.at[i].atts, err,
                             err_nbytes) != 0) {
            free(text);
            return -1;
        }
    fprintf(out, "%.*s  <calibration", (int)(end - text), text);
    put_source(f, out);
    fprintf(out, ">\n");
    calibration_write(&c, out);
    fprintf(out, "  </calibration>\n%s", end);
    free(text);
    if (!ferror(out))
        return 0;
    snprintf(err, err_nbytes, "%s", strerror(errno));
    return -1;
}
