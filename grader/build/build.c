/*
 * build.c: from a submission's sources to a program
 *
 * The student's files are compiled with the kit's flags (warnings are shown to
 * the student) and linked with objects from the kit's own build: the lab's
 * staff code, the runner, the judge. The student's Makefile is never run.
 */
#define _GNU_SOURCE
#include "grader/build/build.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "grader/base/file.h"
#include "grader/build/compiler.h"
#include "grader/build/objects.h"
#include "grader/build/staff.h"
#include "grader/vet/vet.h"

/* ---- errors -------------------------------------------------------------- */

enum { MOST_ERRORS = 8 };

static const char *next_line(const char *line)
{
    const char *const end = strchrnul(line, '\n');
    return *end ? end + 1 : end;
}

/* Find `what` within the line; NULL if it isn't there. */
static const char *in_line(const char *line, const char *what)
{
    const char *const found = strstr(line, what);
    return found && found < strchrnul(line, '\n') ? found : NULL;
}

static int is_error(const char *line)
{
    if (in_line(line, "ld returned"))
        return 0; // it adds nothing to the lines before it
    return in_line(line, "error: ") || in_line(line, "undefined reference");
}

/* True if a compiler's line starts with a place in a file of the student's,
 * which are compiled in their own folder: "p2p.c:12:5: ". */
static int is_own(const char *line)
{
    const size_t n = strcspn(line, " :\n");
    return line[0] != '/' && line[0] != '.' && line[n] == ':' &&
           line[n + 1] >= '0' && line[n + 1] <= '9';
}

/* The student's line that expands the macro of the kit in which the error is;
 * the error itself if there is no such line. */
static const char *own_line(const char *error)
{
    if (is_own(error))
        return error;
    for (const char *p = next_line(error); *p && !is_error(p); p = next_line(p))
        if (is_own(p) && in_line(p, "note: in expansion of macro"))
            return p;
    return error;
}

/*
 * List all errors, one per line, with the student's own place first:
 *
 *     p2p.c:30:5: expected ';' before 'do' (in the macro LAB_TRY)
 */
static void list_errors(const char *output, char *out, size_t nbytes)
{
    size_t at = 0;
    int n = 0;
    out[0] = 0;
    for (const char *p = output; *p; p = next_line(p)) {
        if (!is_error(p) || n++ >= MOST_ERRORS || at >= nbytes - 1)
            continue;
        if (strncmp(p, "/src/", 5) == 0) // the linker's name of the folder
            p += 5;
        const char *const own = own_line(p);
        const char *const text = own == p ? p : in_line(p, "error: ");
        const char *const macro =
            own == p ? NULL : in_line(own, "note: in expansion of macro");
        at += (size_t)snprintf(out + at, nbytes - at, "%s%.*s%.*s",
                               at ? "\n" : "", macro ? (int)(macro - own) : 0,
                               own, (int)strcspn(text, "\n"), text);
        if (macro && at < nbytes)
            at += (size_t)snprintf(out + at, nbytes - at,
                                   " (%.*s; what stands before it?)",
                                   (int)strcspn(macro + 9, "\n"), macro + 9);
    }
    if (n > MOST_ERRORS && at < nbytes)
        snprintf(out + at, nbytes - at, "\nand %d more", n - MOST_ERRORS);
    if (n == 0)
        snprintf(out, nbytes, "%.*s", (int)strcspn(output, "\n"), output);
}

/* A compiler that fails is the student's fault. */
static int judge_end(const struct sandbox_end *end, struct result *r)
{
    char lines[3000];
    if (result_log(r, "build", end) != 0)
        return -1;
    if (end->timed_out)
        return result_stop(r, OUTCOME_FAIL,
                           "compiling took over %d s, twice, without the "
                           "time that other programs took",
                           COMPILER_SEC);
    if (end->flooded || end->out_of_memory || end->crowded)
        return result_stop(r, OUTCOME_FAIL, "compiling took too %s",
                           end->flooded         ? "much disk"
                           : end->out_of_memory ? "much memory"
                                                : "many processes");
    if (end->status == COMPILER_KILLED)
        return result_stop(r, OUTCOME_INFRA,
                           "a compiler was killed from outside");
    list_errors(end->log.head, lines, sizeof lines);
    if (end->status == COMPILER_CLOSED)
        return result_stop(
            r, OUTCOME_INFRA,
            "the user of the sandbox can't read %s: if it is the "
            "kit's, chmod -R a+rX the kit's folder, and make it "
            "with umask 022",
            lines);
    if (end->status == COMPILER_NO_TOOL)
        return result_stop(r, OUTCOME_INFRA, "cannot compile here: %s", lines);
    if (end->status != 0)
        return result_stop(r, OUTCOME_FAIL, "it does not compile: %s", lines);
    return 0;
}

/* ---- checking what it is made of ----------------------------------------- */

/* Refused code is for the student to fix; a file that can't be read is this
 * machine's fault. */
static int judge_check(const struct vet *c, int found, struct result *r)
{
    if (found == 0)
        return 0;
    return result_stop(r, found > 0 ? OUTCOME_FAIL : OUTCOME_INFRA,
                       found > 0 ? "it does not build: %s" : "%s", c->why);
}

/* The path, in the folder of objects, of a file that belongs to file
 * i of the plan. */
static const char *in_out(const struct compiler *c, int i, const char *suffix,
                          char path[PATH_MAX + 300])
{
    snprintf(path, PATH_MAX + 300, "%s/%s.%s", c->out, c->place->plan->file[i],
             suffix);
    return path;
}

static int check_sources(struct vet *check, const struct compiler *c,
                         struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char path[PATH_MAX + 300];
    int err = 0;
    for (int i = 0; i < plan->nfiles && !err; i++) {
        const char *const dot = strrchr(plan->file[i], '.');
        snprintf(path, sizeof path, "%s/%s", c->src, plan->file[i]);
        if (dot && strcmp(dot, ".txt") != 0)
            err = judge_check(check, vet_source(check, path), r);
    }
    return err;
}

/* Check the preprocessor's output as far as it exists: the compiler may have
 * failed because of what is refused here. */
static int check_texts(struct vet *check, const struct compiler *c,
                       struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char text[PATH_MAX + 300];
    int err = 0;
    for (int i = 0; i < plan->nfiles && !err; i++)
        if (compiler_takes(plan->file[i]) &&
            access(in_out(c, i, "i", text), R_OK) == 0)
            err = judge_check(check, vet_preprocessed(check, text), r);
    return err;
}

static int check_objects(struct vet *check, const struct compiler *c,
                         struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char object[PATH_MAX + 300], text[PATH_MAX + 300];
    int err = 0;
    for (int i = 0; i < plan->nfiles; i++)
        if (compiler_takes(plan->file[i]))
            audit_defined(&check->audit, in_out(c, i, "o", object));
    for (int i = 0; i < plan->nfiles && !err; i++) {
        if (!compiler_takes(plan->file[i]))
            continue;
        in_out(c, i, "i", text);
        in_out(c, i, "o", object);
        err = judge_check(check, vet_object(check, object, text, plan->file[i]),
                          r);
    }
    return err;
}

/* Load the names that the kit's half of the lab offers to the student's
 * half. */
static int load_given(struct vet *check, const struct place *p,
                      struct result *r)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/staff/kit.api", p->work);
    if (names_load(&check->audit.given, path) == 0)
        return 0;
    return result_stop(r, OUTCOME_INFRA, "cannot read %s: %m", path);
}

/* ---- files that do not compile ------------------------------------------- */

/* The lab's own form of a file, with its functions not written. */
static const char *skeleton_of(const struct compiler *c, int i,
                               char path[PATH_MAX + 300])
{
    snprintf(path, PATH_MAX + 300, "%s/labs/%s/%s", c->place->kit,
             c->place->lab, c->place->plan->file[i]);
    return path;
}

static int is_broken(const struct compiler *c, int i)
{
    char object[PATH_MAX + 300];
    return compiler_takes(c->place->plan->file[i]) &&
           access(in_out(c, i, "o", object), F_OK) != 0;
}

/* True if some files compile, and the lab has its own of those that don't. */
static int can_replace(const struct compiler *c)
{
    const struct plan *const plan = c->place->plan;
    char path[PATH_MAX + 300];
    int nbroken = 0, nwell = 0;
    for (int i = 0; i < plan->nfiles; i++)
        if (!is_broken(c, i))
            nwell += compiler_takes(plan->file[i]);
        else if (access(skeleton_of(c, i, path), R_OK) == 0)
            nbroken++;
        else
            return 0;
    return nbroken > 0 && nwell > 0;
}

/* Write the first error of file i to text. */
static void first_error(const struct compiler *c, int i, char *text,
                        size_t nbytes)
{
    char path[PATH_MAX + 300], said[8192];
    FILE *const f = fopen(in_out(c, i, "said", path), "re");
    const size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;
    if (f)
        fclose(f);
    said[n] = 0;
    list_errors(said, text, nbytes);
    text[strcspn(text, "\n")] = 0;
}

/*
 * A file that doesn't compile costs the parts that need it, as one that is
 * missing does: put the lab's own in its place. Sets done[] for the others.
 * Returns 0, or -1 if that isn't possible.
 */
static int replace_broken(const struct compiler *c, char *done,
                          struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char from[PATH_MAX + 300], to[PATH_MAX + 300], error[200];
    if (!can_replace(c))
        return -1;
    for (int i = 0; i < plan->nfiles; i++) {
        const size_t n = strlen(r->broken);
        done[i] = compiler_takes(plan->file[i]) && !is_broken(c, i);
        if (!is_broken(c, i))
            continue;
        snprintf(to, sizeof to, "%s/%s", c->src, plan->file[i]);
        if (file_copy(skeleton_of(c, i, from), to) != 0)
            return -1;
        first_error(c, i, error, sizeof error);
        result_note(r,
                    "%s does not compile: the lab's own was taken, with its "
                    "functions not written (%s)",
                    plan->file[i], error);
        snprintf(r->broken + n, sizeof r->broken - n, "%s%s", n ? "\n" : "",
                 error);
    }
    return 0;
}

/* True if no limit, nor this machine, ended the compilers. */
static int ran_to_end(const struct sandbox_end *end)
{
    return !end->infra && !end->timed_out && !end->flooded &&
           !end->out_of_memory && !end->crowded;
}

/* Compile once more, without the files that do not compile. What was said of
 * them stays in *end if that fails, too. */
static void compile_others(const struct compiler *c, char *done,
                           struct sandbox_end *end, struct result *r)
{
    struct sandbox_end again;
    if (!ran_to_end(end) || end->status == 0 ||
        end->status >= COMPILER_CLOSED || replace_broken(c, done, r) != 0)
        return;
    compiler_compile(c, done, &again);
    if (again.infra || again.status == 0) {
        result_log(r, "build", end);
        *end = again;
    }
}

/* Compile, and check sources before and objects after. */
static int compile(const struct request *q, const struct compiler *c,
                   struct vet *check, struct result *r)
{
    const struct place *const p = c->place;
    char done[PLAN_MAX_FILES] = {0};
    struct sandbox_end end;
    if (load_given(check, p, r) != 0 || check_sources(check, c, r) != 0)
        return -1;
    if (q->objects)
        objects_reuse(q, p, done);
    compiler_compile(c, done, &end);
    if (end.timed_out && !end.infra) // perhaps only among others
        compiler_compile(c, done, &end);
    if (ran_to_end(&end) && end.status != COMPILER_NO_TOOL &&
        end.status != COMPILER_CLOSED && check_texts(check, c, r) != 0)
        return -1;
    compile_others(c, done, &end, r);
    return judge_end(&end, r) == 0 && check_objects(check, c, r) == 0 ? 0 : -1;
}

int build_program(const struct request *q, const struct place *p,
                  struct result *r)
{
    struct compiler c;
    struct sandbox_end end;
    if (staff_give(p, r) != 0)
        return -1;
    if (compiler_init(&c, q, p, p->work) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s: %m", c.out);
    struct vet check = {.folder = {c.src, c.staff},
                        .audit.by_nvcc = machine_is_real(&p->machine)};
    const int err = compile(q, &c, &check, r);
    names_release(&check.audit.given);
    if (err)
        return -1;
    compiler_link(&c, &end);
    return judge_end(&end, r);
}
