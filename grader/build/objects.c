#define _GNU_SOURCE
#include "grader/build/objects.h"

#include <errno.h>    /* ENOTEMPTY */
#include <fcntl.h>    /* open */
#include <sodium.h>   /* crypto_generichash */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* stat */
#include <unistd.h>   /* read */

#include "grader/base/file.h"
#include "grader/base/folder.h"
#include "grader/build/compiler.h"

enum { NAME = PATH_MAX + 300, DIGEST = 65 };

/* For a file of the plan, F.o, F.d, F.i and F.said are kept, in one folder with
 * `inputs`, the digest of everything that they depend on. */
static const char *const parts[] = {"o", "d", "i", "said"};
enum { PARTS = sizeof parts / sizeof *parts };

struct kept {
    const struct request *request;
    const struct place *place;
    char pristine[PATH_MAX]; /* the kit's folder with the files */
    char folder[PATH_MAX];   /* where their objects are kept */
};

/* ---- what an object depends on ------------------------------------------- */

static void add(crypto_generichash_state *s, const void *data, size_t nbytes)
{
    crypto_generichash_update(s, data, nbytes);
}

/* Hash a file's bytes and their number. A missing file differs
 * from all others. */
static void add_file(crypto_generichash_state *s, const char *path)
{
    unsigned char chunk[65536];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    uint64_t total = 0;
    for (; fd >= 0 && (n = read(fd, chunk, sizeof chunk)) > 0;
         total += (size_t)n)
        add(s, chunk, (size_t)n);
    if (fd >= 0)
        close(fd);
    total = n < 0 ? UINT64_MAX : total;
    add(s, &total, sizeof total);
}

/* Hash the program that a variable of the toolchain starts with, by its file's
 * size and time, as package managers tell versions apart. */
static void add_program(crypto_generichash_state *s, const struct machine *m,
                        const char *variable)
{
    char value[BACKEND_TOOLCHAIN], path[2 * PATH_MAX];
    struct stat st = {.st_size = -1};
    machine_toolchain(m, variable, value);
    value[strcspn(value, " ")] = 0;
    if (strncmp(value, "$GPU", 4) == 0)
        snprintf(path, sizeof path, "%s%s", m->home, value + 4);
    else
        snprintf(path, sizeof path, "%s%s", value[0] == '/' ? "" : "/usr/bin/",
                 value);
    stat(path, &st);
    add(s, path, strlen(path) + 1);
    add(s, &st.st_size, sizeof st.st_size);
    add(s, &st.st_mtim, sizeof st.st_mtim);
}

struct includes {
    const struct kept *kept;
    crypto_generichash_state *digest;
};

/* Map "/common/x.h" to KIT/common/x.h if `inside` is "/common". */
static int map(const char *path, const char *inside, const char *outside,
               char out[NAME])
{
    const size_t n = strlen(inside);
    if (strncmp(path, inside, n) != 0 || path[n] != '/')
        return 0;
    snprintf(out, NAME, "%s%s", outside, path + n);
    return 1;
}

static int add_include(const char *path, void *arg)
{
    struct includes *const i = arg;
    const struct place *const p = i->kept->place;
    char common[PATH_MAX + 16], staff[PATH_MAX + 16], out[NAME];
    snprintf(common, sizeof common, "%s/common", p->kit);
    snprintf(staff, sizeof staff, "%s/staff", p->work);
    add(i->digest, path, strlen(path) + 1);
    if (path[0] != '/')
        snprintf(out, sizeof out, "%s/%s", i->kept->pristine, path);
    else if (!map(path, "/common", common, out) &&
             !map(path, "/staff", staff, out) &&
             !map(path, p->machine.seen, p->machine.home, out))
        snprintf(out, sizeof out, "%s", path);
    add_file(i->digest, out);
    return 0;
}

/* The digest of all inputs of the objects in a folder; -1 if not all of
 * them are known. */
static int inputs(const struct kept *k, const char *script, const char *folder,
                  char hex[DIGEST])
{
    const struct plan *const plan = k->place->plan;
    const struct machine *const m = &k->place->machine;
    unsigned char hash[DIGEST / 2];
    crypto_generichash_state s;
    struct includes each = {k, &s};
    crypto_generichash_init(&s, NULL, 0, sizeof hash);
    add(&s, script, strlen(script));
    add_program(&s, m, "cc");
    add_program(&s, m, "cxx");
    add_program(&s, m, "cu");
    for (int i = 0; i < plan->nfiles; i++)
        if (compiler_takes(plan->file[i]) &&
            compiler_includes(folder, plan->file[i], add_include, &each) != 0)
            return -1;
    crypto_generichash_final(&s, hash, sizeof hash);
    sodium_bin2hex(hex, DIGEST, hash, sizeof hash);
    return 0;
}

/* ---- keeping ------------------------------------------------------------- */

/* True if the kept objects were made from the present inputs. */
static int is_current(const struct kept *k, const char *script)
{
    char path[NAME], now[DIGEST], then[DIGEST] = "";
    snprintf(path, sizeof path, "%s/inputs", k->folder);
    FILE *const f = fopen(path, "re");
    const int known = f && fscanf(f, "%64s", then) == 1;
    if (f)
        fclose(f);
    return known && inputs(k, script, k->folder, now) == 0 &&
           strcmp(now, then) == 0;
}

/* Compile the kit's files in WORK/kit. */
static int compile(const struct kept *k, struct compiler *c)
{
    const struct place *const p = k->place;
    const char done[PLAN_MAX_FILES] = {0};
    char folder[NAME], from[NAME], to[NAME + 300];
    struct sandbox_end end;
    snprintf(folder, sizeof folder, "%s/kit", p->work);
    folder_remove(folder);
    if (mkdir(folder, 0755) != 0 ||
        compiler_init(c, k->request, p, folder) != 0 ||
        mkdir(c->src, 0755) != 0)
        return -1;
    for (int i = 0; i < p->plan->nfiles; i++) {
        snprintf(from, sizeof from, "%s/%s", k->pristine, p->plan->file[i]);
        snprintf(to, sizeof to, "%s/%s", c->src, p->plan->file[i]);
        if (file_copy(from, to) != 0 && compiler_takes(p->plan->file[i]))
            return -1;
    }
    compiler_compile(c, done, &end);
    return end.infra || end.status != 0 ? -1 : 0;
}

/* Copy all parts of file i of the plan from one folder to another. */
static int copy_parts(const struct plan *plan, int i, const char *from,
                      const char *to)
{
    char a[NAME], b[NAME];
    int err = 0;
    for (int k = 0; k < PARTS && !err; k++) {
        snprintf(a, sizeof a, "%s/%s.%s", from, plan->file[i], parts[k]);
        snprintf(b, sizeof b, "%s/%s.%s", to, plan->file[i], parts[k]);
        err = file_copy(a, b);
    }
    return err;
}

/* Fill a folder with a compiler's output. The folder is complete before it
 * gets its name. */
static int fill(const struct kept *k, const char *script,
                const struct compiler *c, const char *folder)
{
    const struct plan *const plan = k->place->plan;
    char path[NAME], hex[DIGEST];
    if (inputs(k, script, c->out, hex) != 0)
        return -1;
    for (int i = 0; i < plan->nfiles; i++)
        if (compiler_takes(plan->file[i]) &&
            copy_parts(plan, i, c->out, folder) != 0)
            return -1;
    snprintf(path, sizeof path, "%s/inputs", folder);
    FILE *const f = fopen(path, "we");
    const int written = f && fprintf(f, "%s\n", hex) > 0;
    return f && fclose(f) == 0 && written ? 0 : -1;
}

/* Give `fresh` its final name, replacing a folder with that name. Another
 * grading may do the same at the same time; then one of the two stays. */
static int put(const struct kept *k, const char *fresh)
{
    char old[PATH_MAX + 32];
    snprintf(old, sizeof old, "%s/old-XXXXXX", k->request->objects);
    if (rename(fresh, k->folder) == 0)
        return 0;
    if ((errno != ENOTEMPTY && errno != EEXIST) || !mkdtemp(old))
        return -1;
    rename(k->folder, old);
    folder_remove(old);
    return rename(fresh, k->folder);
}

/* Compile the kit's files, and keep their objects. */
static int make(const struct kept *k, const char *script)
{
    struct compiler c;
    char fresh[PATH_MAX + 32];
    if (compile(k, &c) != 0)
        return -1;
    snprintf(fresh, sizeof fresh, "%s/new-XXXXXX", k->request->objects);
    if (!mkdtemp(fresh))
        return -1;
    const int err = fill(k, script, &c, fresh) != 0 || put(k, fresh) != 0;
    folder_remove(fresh);
    return err ? -1 : 0;
}

/* ---- using --------------------------------------------------------------- */

/* True if a file of the submission is identical to the kit's. */
static int is_pristine(const struct kept *k, const char *name)
{
    char ours[NAME], theirs[NAME];
    snprintf(ours, sizeof ours, "%s/%s", k->pristine, name);
    snprintf(theirs, sizeof theirs, "%s/src/%s", k->place->work, name);
    return file_same(ours, theirs);
}

/* Callback of compiler_includes(): 1 if a file was included from the submission
 * and differs from the kit's. */
static int differs(const char *path, void *arg)
{
    return path[0] != '/' && !is_pristine(arg, path);
}

static int is_usable(struct kept *k, int i)
{
    return is_pristine(k, k->place->plan->file[i]) &&
           compiler_includes(k->folder, k->place->plan->file[i], differs, k) ==
               0;
}

/* Reuse objects for files that are not done yet and equal this
 * kind of the kit's. */
static void reuse(struct kept *k, const char *script, char *done)
{
    const struct plan *const plan = k->place->plan;
    char out[NAME];
    int n = 0;
    for (int i = 0; i < plan->nfiles; i++)
        n += !done[i] && compiler_takes(plan->file[i]) &&
             is_pristine(k, plan->file[i]);
    if (n == 0 || (!is_current(k, script) && make(k, script) != 0))
        return;
    snprintf(out, sizeof out, "%s/out", k->place->work);
    for (int i = 0; i < plan->nfiles; i++)
        if (!done[i] && compiler_takes(plan->file[i]) && is_usable(k, i))
            done[i] = copy_parts(plan, i, k->folder, out) == 0;
}

int objects_is_folder(const char *path)
{
    struct stat st;
    return folder_make(path) == 0 && stat(path, &st) == 0 &&
           st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

void objects_reuse(const struct request *q, const struct place *p, char *done)
{
    static const char *const homes[] = {"solutions", "labs"};
    const char none[PLAN_MAX_FILES] = {0};
    char script[COMPILER_SCRIPT];
    compiler_script(p, none, script);
    for (int i = 0; i < 2 && q->isolation >= 2; i++) {
        struct kept k = {.request = q, .place = p};
        if (snprintf(k.pristine, sizeof k.pristine, "%s/%s/%s", p->kit,
                     homes[i], p->lab) < (int)sizeof k.pristine &&
            snprintf(k.folder, sizeof k.folder, "%s/%s.%s.%s", q->objects,
                     p->lab, homes[i],
                     p->machine.backend->name) < (int)sizeof k.folder)
            reuse(&k, script, done);
    }
}
