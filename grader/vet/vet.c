#define _GNU_SOURCE
#include "grader/vet/vet.h"

#include <errno.h>    /* errno */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strrchr */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* access */

#include "grader/vet/allow.h"
#include "grader/vet/tokens.h"

enum { MOST = 256 << 20 }; /* bytes of a preprocessed file */

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * The text of a file, which the caller frees; or NULL with c->why and *found
 * set as vet.h says. Files with a NUL, which would end the text early, are
 * refused.
 */
static char *read_text(struct vet *c, const char *path, int *found)
{
    struct stat st;
    FILE *const f = fopen(path, "re");
    char *text = NULL;
    *found = -1;
    if (!f || fstat(fileno(f), &st) != 0) {
        snprintf(c->why, sizeof c->why, "cannot read %.300s: %s", path,
                 strerror(errno));
    } else if (st.st_size > MOST) {
        snprintf(c->why, sizeof c->why, "%.300s is too large", path);
    } else if ((text = calloc(1, (size_t)st.st_size + 1)) != NULL) {
        const size_t n = fread(text, 1, (size_t)st.st_size, f);
        if (strlen(text) != n) {
            snprintf(c->why, sizeof c->why,
                     "%.300s: it has a zero byte in it: save it as plain text, "
                     "in UTF-8",
                     last_part(path));
            free(text);
            text = NULL;
            *found = 1;
        }
    }
    if (f)
        fclose(f);
    return text;
}

/* True if a header is next to the student's files or the lab's. */
static int is_own(const char *header, void *arg)
{
    const struct vet *const c = arg;
    char path[PATH_MAX];
    for (int i = 0; i < VET_FOLDERS && c->folder[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", c->folder[i], header);
        if (!strchr(header, '/') && access(path, R_OK) == 0)
            return 1;
    }
    return 0;
}

int vet_source(struct vet *c, const char *source)
{
    int found;
    char *const text = read_text(c, source, &found);
    if (text)
        found =
            tokens_check_source(source, text, is_own, c, c->why, sizeof c->why);
    free(text);
    return found;
}

int vet_preprocessed(struct vet *c, const char *preprocessed)
{
    int found;
    char *const text = read_text(c, preprocessed, &found);
    if (text)
        found = tokens_check(text, c->why, sizeof c->why);
    free(text);
    return found;
}

/* Say what is refused, and where the source names it. */
static void explain(struct vet *c, const char *preprocessed, const char *name)
{
    const struct audit *const a = &c->audit;
    char word[AUDIT_NAME], where[AUDIT_NAME] = "";
    const char *instead = allow_instead(a->name);
    audit_source_name(a->name, word);
    if (!*instead)
        instead = allow_instead(word);
    int found;
    char *const text = read_text(c, preprocessed, &found);
    if (text)
        tokens_find(text, word, where, sizeof where);
    free(text);
    if (a->defines) // a definition would not be called in place of theirs
        snprintf(c->why, sizeof c->why,
                 "%s: %s, a name of the kit's or a library's: rename it",
                 where[0] ? where : name, a->why);
    else
        snprintf(
            c->why, sizeof c->why, "%s: %s, which is not available in labs%s%s",
            where[0] ? where : name, a->why, *instead ? ": " : "", instead);
}

int vet_object(struct vet *c, const char *object, const char *preprocessed,
               const char *name)
{
    const char *const dot = strrchr(name, '.');
    c->audit.is_device = dot && strcmp(dot, ".cu") == 0;
    const int found = audit_object(&c->audit, object);
    if (found > 0)
        explain(c, preprocessed, name);
    else if (found < 0)
        snprintf(c->why, sizeof c->why, "%s", c->audit.why);
    return found;
}
