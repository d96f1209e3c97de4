#define _GNU_SOURCE
#include "grader/intake/download.h"

#include <dirent.h>   /* scandir */
#include <errno.h>    /* errno */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* asprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strcmp */
#include <strings.h>  /* strcasecmp */
#include <sys/stat.h> /* stat */
#include <yaml.h>     /* yaml_parser_load */

#include "grader/intake/match.h"

const char *const download_format_name[] = {
    "auto", "canvas", "moodle", "gradescope", "classroom", "pattern", NULL};

enum { MOST_PATTERNS = 8 };
#define METADATA "submission_metadata.yml"

/* In order: the first pattern that fits counts. */
static const char *const patterns[][MOST_PATTERNS] = {
    [DOWNLOAD_CANVAS] = {"{any}_LATE_{id}_{any}_{file}",
                         "{any}_{id}_{any}_{file}",
                         "{name}_LATE_{any}_{any}_{file}",
                         "{name}_{any}_{any}_{file}"},
    [DOWNLOAD_MOODLE] = {"{name}_{any}_assignsubmission_file_{file}",
                         "{name}_{any}_assignsubmission_file_",
                         "{name}_{any}_assignsubmission_file",
                         "{student}_{any}_assignsubmission_file*",
                         "{sis_id}_{any}_assignsubmission_file*"},
    [DOWNLOAD_CLASSROOM] = {"*-{github}", "*-{student}", "{github}"},
    [DOWNLOAD_PATTERN] = {NULL},
};

/* ---- names --------------------------------------------------------------- */

/* Find the student to whom an item belongs by one pattern: of those who fit,
 * the one with the longest text, since one account may end with another. Two
 * students with equally long texts who do not hand in together make it
 * ambiguous. */
static void try_pattern(struct item *it, const struct roster *r,
                        const char *pattern)
{
    size_t best = 0;
    for (int i = 0; i < r->n; i++) {
        const struct student *const s = &r->student[i];
        struct match m;
        if (!match_name(pattern, it->name, s, &m))
            continue;
        if (it->student && m.nbytes == best && !roster_together(it->student, s))
            it->ambiguous = 1;
        if (it->student && m.nbytes <= best)
            continue;
        best = m.nbytes;
        free(it->file);
        it->ambiguous = 0;
        it->student = s;
        it->attempt = m.attempt;
        it->file = m.file ? strdup(m.file) : NULL;
    }
    if (it->ambiguous)
        it->student = NULL;
}

static void identify(struct item *it, const struct roster *r,
                     enum download_format format, const char *pattern)
{
    free(it->file);
    it->file = NULL;
    it->student = NULL;
    it->ambiguous = 0;
    for (int i = 0; i < MOST_PATTERNS && !it->student && !it->ambiguous; i++) {
        const char *const p = format != DOWNLOAD_PATTERN ? patterns[format][i]
                              : i == 0                   ? pattern
                                                         : NULL;
        if (p)
            try_pattern(it, r, p);
    }
    it->late = format == DOWNLOAD_CANVAS && it->student &&
               strstr(it->name, "_LATE_") != NULL;
}

static int identify_all(struct download *d, const struct roster *r,
                        enum download_format format, const char *pattern)
{
    int found = 0;
    d->format = format;
    for (int i = 0; i < d->n; i++) {
        identify(&d->item[i], r, format, pattern);
        found += d->item[i].student != NULL;
    }
    return found;
}

/* ---- Gradescope's list --------------------------------------------------- */

struct metadata {
    yaml_document_t *doc;
    struct download *d;
    const struct roster *r;
};

static const char *scalar(const yaml_node_t *n)
{
    return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value
                                            : "";
}

/* The value of a key, which may be written ":key". */
static const yaml_node_t *value_of(struct metadata *m, const yaml_node_t *map,
                                   const char *key)
{
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
         map->type == YAML_MAPPING_NODE && p < map->data.mapping.pairs.top;
         p++) {
        const char *have = scalar(yaml_document_get_node(m->doc, p->key));
        have += *have == ':';
        if (strcmp(have, key) == 0)
            return yaml_document_get_node(m->doc, p->value);
    }
    return NULL;
}

/* The student with that address, number or name. */
static const struct student *find_person(struct metadata *m,
                                         const yaml_node_t *who)
{
    const char *const email = scalar(value_of(m, who, "email")),
                      *const sid = scalar(value_of(m, who, "sid")),
                      *const name = scalar(value_of(m, who, "name"));
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < m->r->n; i++) {
            const struct student *const s = &m->r->student[i];
            if (pass == 0 && *email && strcasecmp(s->email, email) == 0)
                return s;
            if (pass == 1 && *sid &&
                (strcmp(s->sis_id, sid) == 0 || strcmp(s->id, sid) == 0 ||
                 strcasecmp(s->key, sid) == 0))
                return s;
            if (pass == 2 && *name && match_same_name(name, s->name))
                return s;
        }
    return NULL;
}

/* Parse "2026-02-14 13:55:11.173530000 -08:00", without the fraction. */
static int64_t created(const char *text)
{
    char plain[64];
    int64_t t = ROSTER_NEVER;
    size_t n = 0;
    for (const char *p = text; *p && n + 1 < sizeof plain; p++) {
        if (*p == '.')
            p += strspn(p + 1, "0123456789") + 1;
        if (*p == ' ' && n > 10)
            continue;
        if (!*p)
            break;
        plain[n++] = *p;
    }
    plain[n] = 0;
    return roster_time(plain, &t) == 0 ? t : ROSTER_NEVER;
}

static void take_entry(struct metadata *m, const char *name,
                       const yaml_node_t *entry)
{
    const yaml_node_t *const people = value_of(m, entry, "submitters");
    struct item *it = NULL;
    for (int i = 0; i < m->d->n; i++)
        if (strcmp(m->d->item[i].name, name) == 0)
            it = &m->d->item[i];
    if (!it)
        return;
    it->submitted = created(scalar(value_of(m, entry, "created_at")));
    it->attempt = 1;
    for (const yaml_node_item_t *p =
             people && people->type == YAML_SEQUENCE_NODE
                 ? people->data.sequence.items.start
                 : NULL;
         p && p < people->data.sequence.items.top && !it->student; p++)
        it->student = find_person(m, yaml_document_get_node(m->doc, *p));
}

static int take_metadata(const char *path, struct download *d,
                         const struct roster *r, char *err, size_t err_nbytes)
{
    yaml_parser_t parser;
    yaml_document_t doc;
    FILE *const f = fopen(path, "re");
    int failed = -1;
    if (!f || !yaml_parser_initialize(&parser)) {
        snprintf(err, err_nbytes,
                 "%s: %s: Gradescope's \"export submissions\" has it", path,
                 strerror(errno));
        return -1;
    }
    yaml_parser_set_input_file(&parser, f);
    if (yaml_parser_load(&parser, &doc)) {
        const yaml_node_t *const root = yaml_document_get_root_node(&doc);
        struct metadata m = {&doc, d, r};
        failed = 0;
        for (const yaml_node_pair_t *p = root && root->type == YAML_MAPPING_NODE
                                             ? root->data.mapping.pairs.start
                                             : NULL;
             p && p < root->data.mapping.pairs.top; p++)
            take_entry(&m, scalar(yaml_document_get_node(&doc, p->key)),
                       yaml_document_get_node(&doc, p->value));
        yaml_document_delete(&doc);
    } else {
        snprintf(err, err_nbytes, "%s:%lu: %s", path,
                 (unsigned long)parser.problem_mark.line + 1, parser.problem);
    }
    yaml_parser_delete(&parser);
    fclose(f);
    return failed;
}

/* ---- a folder ------------------------------------------------------------ */

static int is_visible(const struct dirent *d)
{
    return d->d_name[0] != '.' && strcmp(d->d_name, "__MACOSX") != 0 &&
           strcmp(d->d_name, METADATA) != 0 &&
           strcasecmp(d->d_name, "index.html") != 0 &&
           !strstr(d->d_name, "_assignsubmission_onlinetext");
}

static int is_folder(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int list(struct download *d, const char *dir)
{
    struct dirent **entry = NULL;
    const int n = scandir(dir, &entry, is_visible, alphasort);
    if (n < 0)
        return -1;
    d->item = calloc((size_t)n + 1, sizeof *d->item);
    if (!d->item)
        abort();
    for (d->n = 0; d->n < n; d->n++) {
        struct item *const it = &d->item[d->n];
        *it = (struct item){.attempt = 1, .submitted = ROSTER_NEVER};
        it->name = strdup(entry[d->n]->d_name);
        if (!it->name || asprintf(&it->path, "%s/%s", dir, it->name) < 0)
            abort();
        free(entry[d->n]);
    }
    free(entry);
    return 0;
}

static void clear(struct download *d)
{
    for (int i = 0; i < d->n; i++) {
        free(d->item[i].path);
        free(d->item[i].name);
        free(d->item[i].file);
    }
    free(d->item);
    *d = (struct download){.n = 0};
}

void download_free(struct download *d)
{
    if (d)
        clear(d);
    free(d);
}

/* Guess the format from the names: the one that explains most of them. */
static void guess(struct download *d, const struct roster *r)
{
    // Moodle first: its names would also pass for Canvas' names, which say
    // less.
    static const enum download_format formats[] = {
        DOWNLOAD_MOODLE, DOWNLOAD_CANVAS, DOWNLOAD_CLASSROOM};
    enum download_format best = DOWNLOAD_MOODLE;
    int most = -1;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const int found = identify_all(d, r, formats[i], NULL);
        best = found > most ? formats[i] : best;
        most = found > most ? found : most;
    }
    identify_all(d, r, best, NULL);
}

/* True if there is only one folder, and it belongs to no student. */
static int is_wrapped(struct download *d, const struct roster *r,
                      enum download_format format, const char *pattern)
{
    if (d->n != 1 || !is_folder(d->item[0].path))
        return 0;
    if (format == DOWNLOAD_GRADESCOPE)
        return 1;
    if (format != DOWNLOAD_AUTO)
        return !identify_all(d, r, format, pattern);
    return !identify_all(d, r, DOWNLOAD_MOODLE, NULL) &&
           !identify_all(d, r, DOWNLOAD_CLASSROOM, NULL);
}

struct download *download_list(const char *dir, const struct roster *r,
                               enum download_format format, const char *pattern,
                               char *err, size_t err_nbytes)
{
    struct download *const d = calloc(1, sizeof *d);
    char inner[PATH_MAX], metadata[PATH_MAX + 64];
    if (!d)
        abort();
    snprintf(inner, sizeof inner, "%s", dir);
    int failed = list(d, inner);
    // Archives often consist of one folder that contains everything.
    for (int i = 0; i < 3 && !failed && is_wrapped(d, r, format, pattern);
         i++) {
        snprintf(inner, sizeof inner, "%s", d->item[0].path);
        clear(d);
        failed = list(d, inner);
    }
    snprintf(metadata, sizeof metadata, "%s/%s", inner, METADATA);
    struct stat st;
    if (failed)
        snprintf(err, err_nbytes, "%s: %s", inner, strerror(errno));
    else if (format == DOWNLOAD_GRADESCOPE ||
             (format == DOWNLOAD_AUTO && stat(metadata, &st) == 0)) {
        d->format = DOWNLOAD_GRADESCOPE;
        failed = take_metadata(metadata, d, r, err, err_nbytes);
    } else if (format == DOWNLOAD_AUTO)
        guess(d, r);
    else
        identify_all(d, r, format, pattern);
    if (!failed)
        return d;
    download_free(d);
    return NULL;
}
