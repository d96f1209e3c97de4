/*
 * ledger_key.c: where a ledger's key is
 *
 * A person who has both the ledger and its key can change grades unnoticed, so
 * the key is in a folder of the user's own, which no copy of the ledger's
 * folder includes. The ledger has a number (user_version, in the header of its
 * file) that names the key there, even when the ledger is renamed or moved.
 * Older ledgers have the number 0 and their key next to them.
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <limits.h>   /* PATH_MAX */
#include <pwd.h>      /* getpwuid */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strerror */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* read */

#include "grader/ledger/ledger_table.h"

static int key_error(struct ledger *l, const char *path, const char *what)
{
    snprintf(l->err, sizeof l->err, "%.400s: %s", path, what);
    return -1;
}

static int read_key(struct ledger *l, const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return key_error(l, path, strerror(errno));
    const ssize_t n = read(fd, l->key, sizeof l->key);
    close(fd);
    if (n != sizeof l->key || st.st_size != n)
        return key_error(l, path, "is not a key of 32 bytes");
    if (st.st_mode & 077)
        return key_error(l, path,
                         "others may read this key: chmod 600 it, and think "
                         "about who has it");
    return 0;
}

/* Write the key under another name first: if this process is killed, the file
 * holds a complete key or none. */
static int write_key(struct ledger *l, const char *path)
{
    char fresh[2 * PATH_MAX];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    const int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int good = fd >= 0 && fchmod(fd, 0600) == 0 &&
                     write(fd, l->key, sizeof l->key) == sizeof l->key &&
                     fsync(fd) == 0;
    if (!good || rename(fresh, path) != 0)
        key_error(l, path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return l->err[0] ? -1 : 0;
}

/* ---- places -------------------------------------------------------------- */

/* The folder of keys; "." puts each key next to its ledger. */
static void find_folder(char out[PATH_MAX])
{
    const char *const keys = getenv("COMMLAB_KEYS"),
                      *const data = getenv("XDG_DATA_HOME"),
                      *home = getenv("HOME");
    const struct passwd *const user = home && *home ? NULL : getpwuid(getuid());
    home = user ? user->pw_dir : home ? home : "";
    if (keys && *keys)
        snprintf(out, PATH_MAX, "%s", keys);
    else if (data && *data == '/')
        snprintf(out, PATH_MAX, "%s/commlab/keys", data);
    else
        snprintf(out, PATH_MAX, "%s/.local/share/commlab/keys", home);
}

/* Make the folder and those above it, for the user alone. */
static int make_folder(struct ledger *l, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", folder);
    for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    return key_error(l, folder, strerror(errno));
}

static int64_t number_of(struct ledger *l)
{
    sqlite3_stmt *const s = ledger_prepare(l, "PRAGMA user_version");
    const int64_t n =
        s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return n;
}

static void name_key(const char *folder, int64_t number, char *out,
                     size_t nbytes)
{
    snprintf(out, nbytes, "%s/%08llx.key", folder, (unsigned long long)number);
}

/* Give the ledger a number that no key in the folder has. */
static int64_t draw_number(struct ledger *l, const char *folder)
{
    char sql[64], path[2 * PATH_MAX];
    int64_t number;
    do {
        number = 1 + randombytes_uniform(INT32_MAX);
        name_key(folder, number, path, sizeof path);
    } while (access(path, F_OK) == 0);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %lld", (long long)number);
    if (sqlite3_exec(l->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return number;
    ledger_fail(l, "ledger");
    return 0;
}

/* Where the key of a ledger with that number is. Returns 1 if that is next to
 * the ledger. */
static int place_of(const char *path, int64_t number, char *out, size_t nbytes)
{
    char folder[PATH_MAX];
    find_folder(folder);
    const int beside = number == 0 || strcmp(folder, ".") == 0;
    if (beside)
        snprintf(out, nbytes, "%s.key", path);
    else
        name_key(folder, number, out, nbytes);
    return beside;
}

static int make_key(struct ledger *l, const char *path, const char *key)
{
    char folder[PATH_MAX], place[2 * PATH_MAX];
    find_folder(folder);
    randombytes_buf(l->key, sizeof l->key);
    if (key)
        return access(key, F_OK) == 0 ? read_key(l, key) : write_key(l, key);
    if (strcmp(folder, ".") != 0) {
        const int64_t number =
            make_folder(l, folder) == 0 ? draw_number(l, folder) : 0;
        if (!number)
            return -1;
        place_of(path, number, place, sizeof place);
        return write_key(l, place);
    }
    place_of(path, 0, place, sizeof place);
    return access(place, F_OK) == 0 ? read_key(l, place) : write_key(l, place);
}

int ledger_open_key(struct ledger *l, const char *path, const char *key,
                    int make)
{
    char place[2 * PATH_MAX], beside[PATH_MAX + 16], folder[PATH_MAX];
    if (make)
        return make_key(l, path, key);
    if (key)
        return read_key(l, key);
    const int is_beside = place_of(path, number_of(l), place, sizeof place);
    snprintf(beside, sizeof beside, "%s.key", path);
    find_folder(folder);
    if (!is_beside && access(place, F_OK) != 0 && access(beside, F_OK) == 0)
        snprintf(place, sizeof place, "%s", beside);
    if (access(place, F_OK) != 0) {
        snprintf(l->err, sizeof l->err,
                 "%.200s: the key of %.200s is not here: give it as --key FILE",
                 place, path);
        return -1;
    }
    l->beside = strcmp(place, beside) == 0 && strcmp(folder, ".") != 0;
    return read_key(l, place);
}

/* ---- for people ---------------------------------------------------------- */

void ledger_key_place(struct ledger *l, const char *path, char *out,
                      size_t nbytes)
{
    place_of(path, number_of(l), out, nbytes);
    if (access(out, F_OK) != 0)
        snprintf(out, nbytes, "%s.key", path);
}

int ledger_move_key(struct ledger *l, const char *path, char *out,
                    size_t nbytes)
{
    char beside[PATH_MAX + 16], folder[PATH_MAX];
    snprintf(beside, sizeof beside, "%s.key", path);
    find_folder(folder);
    if (strcmp(folder, ".") == 0)
        return key_error(l, "COMMLAB_KEYS", "is \".\", next to the ledger");
    if (access(beside, F_OK) != 0)
        return key_error(l, beside, strerror(errno));
    int64_t number = number_of(l);
    if (make_folder(l, folder) != 0)
        return -1;
    if (number == 0 && (number = draw_number(l, folder)) == 0)
        return -1;
    place_of(path, number, out, nbytes);
    if (write_key(l, out) != 0)
        return -1;
    return unlink(beside) == 0 ? 0 : key_error(l, beside, strerror(errno));
}
