/*
 * verb_data.c: grade key, backup and delete: what a course keeps of people
 *
 * Apart from exports, all that the grader keeps is LEDGER, its key, and next to
 * it what a batch or a preview has left (LEDGER.spool, LEDGER.regrade).
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* printf */
#include <string.h> /* strerror */
#include <unistd.h> /* access */

#include "grader/base/folder.h"
#include "grader/ledger/ledger.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *ledger, *key, *out;
    int away, yes, keep_key;
};

#define AT(member) offsetof(struct options, member)
#define LEDGER_OPTIONS                                                         \
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),                       \
                "what grade batch has written", .required = 1),                \
        VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),                         \
                    "the ledger's key, if it is elsewhere")

static struct ledger *open_ledger(const char *verb, const struct options *o,
                                  enum ledger_mode mode)
{
    char err[512];
    struct ledger *l = NULL;
    if (access(o->ledger, F_OK) != 0) // LEDGER_WRITE would create it
        verb_wrong(verb, "%s: %s", o->ledger, strerror(errno));
    else if (!(l = ledger_open(o->ledger, o->key, mode, err, sizeof err)))
        verb_wrong(verb, "%s", err);
    return l;
}

static void find_key(const struct options *o, struct ledger *l,
                     char out[2 * PATH_MAX])
{
    if (o->key)
        snprintf(out, 2 * PATH_MAX, "%s", o->key);
    else
        ledger_key_place(l, o->ledger, out, 2 * PATH_MAX);
}

/* ---- key ----------------------------------------------------------------- */

static const struct verb_option key_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_FLAG, "away", NULL, AT(away),
                "move a key that is beside its ledger to the folder of keys"),
    {.name = NULL}};
static const struct verb key_verb = {
    .name = "key",
    .intro = "Print where the key of a ledger is. Without it, the ledger "
             "cannot be read,\nwritten or verified.",
    .options = key_options,
    .outro = "The folder of keys is $COMMLAB_KEYS, or commlab/keys in "
             "$XDG_DATA_HOME or\n~/.local/share.\n"
             "Exit status: 0 done, 2 usage, 3 this machine's fault."};

int verb_key(int argc, char **argv)
{
    struct options o = {.ledger = NULL};
    char place[2 * PATH_MAX];
    int status;
    if (verb_parse(&key_verb, argc, argv, &o, &status) < 0)
        return status;
    struct ledger *const l =
        open_ledger("key", &o, o.away ? LEDGER_WRITE : LEDGER_READ);
    if (!l)
        return EXIT_USAGE;
    status = EXIT_FULL;
    if (!o.away) {
        find_key(&o, l, place);
    } else if (ledger_move_key(l, o.ledger, place, sizeof place) != 0) {
        verb_wrong("key", "%s", ledger_error(l));
        status = EXIT_INFRA;
    }
    if (status == EXIT_FULL)
        printf("%s\n", place);
    ledger_close(l);
    return status;
}

/* ---- backup -------------------------------------------------------------- */

static const struct verb_option backup_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_TEXT, "out", "FILE", AT(out),
                "the copy, which must not exist", .required = 1, .letter = 'o'),
    {.name = NULL}};
static const struct verb backup_verb = {
    .name = "backup",
    .intro = "Copy a ledger as it is at one moment, even while a batch writes "
             "to it, and\nverify the copy. The key is not copied: its place is "
             "printed.",
    .options = backup_options,
    .outro = "Exit status: 0 done, 1 the ledger was tampered with, 2 usage, 3 "
             "this machine's\nfault."};

/* Verify a copy with the same key. */
static int verify(const struct options *o, const char *key)
{
    char err[512], head[LEDGER_DIGEST];
    struct ledger *const copy =
        ledger_open(o->out, key, LEDGER_READ, err, sizeof err);
    if (!copy) {
        verb_wrong("backup", "%s", err);
        return EXIT_INFRA;
    }
    const int faults = ledger_verify(copy, stdout, head);
    ledger_close(copy);
    if (!faults)
        printf("%s: whole; head %s\nIts key is the ledger's, which is not "
               "copied: %s\nCopy the key to a place other than the backup's: "
               "without it, no one can read the\nbackup.\n",
               o->out, head, key);
    return faults ? EXIT_NOT_FULL : EXIT_FULL;
}

int verb_backup(int argc, char **argv)
{
    struct options o = {.ledger = NULL};
    char place[2 * PATH_MAX];
    int status;
    if (verb_parse(&backup_verb, argc, argv, &o, &status) < 0)
        return status;
    if (access(o.out, F_OK) == 0)
        return verb_wrong("backup", "%s is there already", o.out);
    struct ledger *const l = open_ledger("backup", &o, LEDGER_READ);
    if (!l)
        return EXIT_USAGE;
    find_key(&o, l, place);
    if (ledger_copy(l, o.out) == 0) {
        status = verify(&o, place);
    } else {
        verb_wrong("backup", "%s", ledger_error(l));
        status = EXIT_INFRA;
    }
    ledger_close(l);
    return status;
}

/* ---- delete -------------------------------------------------------------- */

static const struct verb_option delete_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_FLAG, "yes", NULL, AT(yes), "delete what is listed"),
    VERB_OPTION(VERB_FLAG, "keep-key", NULL, AT(keep_key),
                "not the key: copies of the ledger need it"),
    {.name = NULL}};
static const struct verb delete_verb = {
    .name = "delete",
    .intro = "List all that the grader keeps of a ledger's people, and with "
             "--yes delete it:\nsubmissions, grades, rosters, and the key. "
             "Exports and copies stay. Of a copy made\nby grade backup, the "
             "key stays, too: it is the ledger's.",
    .options = delete_options,
    .outro = "Exit status: 0 done, 2 usage, 3 this machine's fault."};

/* List a file or a folder if it is there, and delete it if that is wanted. */
static int list(const char *path, int yes)
{
    if (access(path, F_OK) != 0)
        return 0;
    printf("%s%s\n", yes ? "deleted " : "", path);
    if (!yes)
        return 0;
    folder_remove(path);
    return access(path, F_OK) == 0;
}

/* List or delete the key. Deleting a copy leaves the key of the original, and
 * deletes only a key that is next to the copy. */
static int list_key(const struct options *o, const char *key, int is_copy)
{
    char beside[2 * PATH_MAX];
    snprintf(beside, sizeof beside, "%s.key", o->ledger);
    if (o->keep_key || (is_copy && strcmp(key, beside) != 0)) {
        printf("the key stays: %s%s\n", key,
               o->keep_key ? "" : ": the ledger that was copied needs it");
        return 0;
    }
    const int left = list(key, o->yes);
    if (!o->yes)
        printf("  (no copy of the ledger can be read without this key: "
               "--keep-key keeps it)\n");
    return left;
}

int verb_delete(int argc, char **argv)
{
    static const char *const suffixes[] = {".spool", ".regrade", "-journal",
                                           ".key", ""};
    struct options o = {.ledger = NULL};
    char key[2 * PATH_MAX], path[2 * PATH_MAX];
    int status, left = 0;
    if (verb_parse(&delete_verb, argc, argv, &o, &status) < 0)
        return status;
    struct ledger *const l = open_ledger("delete", &o, LEDGER_READ);
    if (!l)
        return EXIT_USAGE;
    find_key(&o, l, key);
    const int is_copy = ledger_is_copy(l);
    ledger_close(l);
    // the key first: without it, what may be left says nothing of its owner
    left += list_key(&o, key, is_copy);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s%s", o.ledger, suffixes[i]);
        if (strcmp(path, key) != 0)
            left += list(path, o.yes);
    }
    if (!o.yes)
        printf("--yes deletes this\n");
    if (left)
        verb_wrong("delete", "not all of it could be deleted: %s",
                   strerror(errno));
    return left ? EXIT_INFRA : EXIT_FULL;
}
