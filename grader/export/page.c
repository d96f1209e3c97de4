#define _GNU_SOURCE
#include "grader/export/page.h"

#include <sodium.h> /* crypto_hash_sha256 */
#include <stdlib.h> /* free */
#include <string.h> /* strchr */

#include "grader/base/text.h"
#include "grader/export/page_files.h"

static const char *const scripts[] = {
    [PAGE_LIVE] = page_live,       [PAGE_CLASS] = page_class,
    [PAGE_STUDENT] = page_student, [PAGE_DIFF] = page_diff,
    [PAGE_SIMILAR] = page_similar, [PAGE_PAIR] = page_pair,
};

/* What replaces the @NAMES@ in page.html. */
struct blank {
    enum page page;
    const char *title;
    int refresh;
    const json_t *data;
};

/* The hash by which a policy names the script, in base64. */
static void put_hash(FILE *f, const struct blank *b)
{
    crypto_hash_sha256_state state;
    unsigned char hash[crypto_hash_sha256_BYTES];
    char text[64];
    crypto_hash_sha256_init(&state);
    for (int i = 0; i < 2; i++) {
        const char *const part = i ? scripts[b->page] : page_script;
        crypto_hash_sha256_update(&state, (const unsigned char *)part,
                                  strlen(part));
    }
    crypto_hash_sha256_final(&state, hash);
    fputs(sodium_bin2base64(text, sizeof text, hash, sizeof hash,
                            sodium_base64_VARIANT_ORIGINAL),
          f);
}

/* A < in a string could end the script element, or begin a comment in it. */
static int put_json(const char *text, size_t nbytes, void *file)
{
    FILE *const f = file;
    for (size_t i = 0; i < nbytes; i++)
        if (text[i] == '<')
            fputs("\\u003c", f);
        else
            fputc(text[i], f);
    return ferror(f) ? -1 : 0;
}

static void put_blank(FILE *f, const char *name, const struct blank *b)
{
    if (strncmp(name, "TITLE", 5) == 0) {
        text_xml(f, b->title);
    } else if (strncmp(name, "STYLE", 5) == 0) {
        fputs(page_style, f);
    } else if (strncmp(name, "HASH", 4) == 0) {
        put_hash(f, b);
    } else if (strncmp(name, "REFRESH", 7) == 0 && b->refresh) {
        fprintf(f, "<meta http-equiv=\"refresh\" content=\"%d\">\n",
                b->refresh);
    } else if (strncmp(name, "DATA", 4) == 0) {
        json_dump_callback(b->data, put_json, f, JSON_COMPACT);
    } else if (strncmp(name, "SCRIPT", 6) == 0) {
        fputs(page_script, f);
        fputs(scripts[b->page], f);
    }
}

void page_write(FILE *f, enum page page, const char *title, int refresh,
                json_t *data)
{
    char *const clean = text_clean(title, TEXT_MESSAGE);
    const struct blank b = {page, clean, refresh, data};
    const char *at = page_html;
    if (!data)
        abort();
    for (const char *p; (p = strchr(at, '@')) != NULL;) {
        fwrite(at, 1, (size_t)(p - at), f);
        put_blank(f, p + 1, &b);
        at = strchr(p + 1, '@') + 1;
    }
    fputs(at, f);
    free(clean);
    json_decref(data);
}

json_t *page_text(const char *text)
{
    enum { MOST = 20000 }; // a whole diagnosis
    char *const clean = text_clean(text, MOST);
    json_t *const j = json_string(clean);
    free(clean);
    return j;
}

json_t *page_scores(const struct export *e)
{
    enum { BINS = 20 };
    int count[BINS] = {0};
    json_t *const j = json_array();
    for (int i = 0; i < e->nrows; i++) {
        if (!e->row[i].has_score)
            continue;
        const int bin =
            e->max_score > 0 ? (int)(BINS * e->row[i].final / e->max_score) : 0;
        count[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
    }
    for (int i = 0; i < BINS; i++)
        json_array_append_new(j, json_integer(count[i]));
    return j;
}
