/*
 * build.c: compiling a submission, in the sandbox
 *
 * The student's files are compiled with the kit's flags (warnings are theirs to
 * read) and linked with objects that the kit's own build has made: the lab's
 * staff code, the runner, the judge. Their Makefile never runs.
 */
#define _GNU_SOURCE
#include <dirent.h>   /* opendir */
#include <stdio.h>    /* snprintf */
#include <string.h>   /* strlen */
#include <sys/stat.h> /* mkdir */

#include "audit.h"
#include "grade.h"
#include "sandbox.h"

enum {
    BUILD_SEC = 300, /* at most: many compilers may share a busy machine */
    MAX_COMMAND = 16384,
    NO_TOOLS = 99,           /* what the script says, not a compiler */
    MAX_OBJECTS = 256 << 20, /* bytes that compilers may write */
};

static int is_student_file(const struct grade *g, const char *name)
{
    for (int i = 0; i < g->plan->nfiles; i++)
        if (strcmp(g->plan->file[i], name) == 0)
            return 1;
    return 0;
}

/* Copy a file of the kit into this grading's staff folder. */
static int give(struct grade *g, const char *from, const char *name)
{
    char to[PATH_MAX + 300], chunk[65536];
    snprintf(to, sizeof to, "%s/staff/%s", g->work, name);
    FILE *const in = fopen(from, "re"), *const out = fopen(to, "we");
    size_t n;
    int ok = in && out;
    while (ok && (n = fread(chunk, 1, sizeof chunk, in)) > 0)
        ok = fwrite(chunk, 1, n, out) == n;
    if (in)
        fclose(in);
    if (out && fclose(out) != 0)
        ok = 0;
    return ok ? 0
              : grade_stop(g, OUTCOME_INFRA,
                           "the kit is not built: cannot copy %s (run make)",
                           from);
}

/*
 * What a submission is compiled and linked with, and nothing else of the kit:
 * the lab's headers, the objects of its staff code, the runner, the judge. The
 * solution must not be in sight, in no form.
 */
static int give_staff(struct grade *g)
{
    char from[2 * PATH_MAX], name[300];
    const struct backend *const b = g->machine.backend;
    const char *const home =
        strstr(g->staff, "/solutions/") ? "solutions" : "labs";
    snprintf(from, sizeof from, "%s/staff", g->work);
    DIR *const dir = opendir(g->staff);
    if (mkdir(from, 0755) != 0 || !dir)
        return grade_stop(g, OUTCOME_INFRA, "cannot read %s", g->staff);
    int err = 0;
    for (struct dirent *d; !err && (d = readdir(dir)) != NULL;) {
        const char *const dot = strrchr(d->d_name, '.');
        if (!dot || d->d_name[0] == '.' || is_student_file(g, d->d_name))
            continue;
        if (strcmp(dot, ".h") == 0) {
            snprintf(from, sizeof from, "%s/%s", g->staff, d->d_name);
            err = give(g, from, d->d_name);
        } else if (strcmp(dot, ".c") == 0 || strcmp(dot, ".cu") == 0) {
            snprintf(name, sizeof name, "%.*s.o", (int)(dot - d->d_name),
                     d->d_name);
            snprintf(from, sizeof from, "%s/%s/obj/%s/%s/%s", g->build, b->name,
                     home, g->lab, name);
            err = give(g, from, name);
        }
    }
    closedir(dir);
    static const char *const archives[] = {"libnn.a", "liblab.a", "libnnref.a",
                                           "libjudge.a", "libgraph.a"};
    enum { ARCHIVES = sizeof archives / sizeof *archives };
    for (int i = 0; i < ARCHIVES && !err; i++) {
        snprintf(from, sizeof from, "%s/%s/%s", g->build, b->name, archives[i]);
        err = give(g, from, archives[i]);
    }
    if (b->object && !err) {
        snprintf(from, sizeof from, "%s/%s/obj/%s", g->build, b->name,
                 b->object);
        err = give(g, from, strrchr(b->object, '/') + 1);
    }
    return err;
}

/* Is it code? What else a lab may ask for is read, not compiled. */
static int is_code(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".cu") == 0);
}

/*
 * Compile all files side by side, with the kit's flags; what each compiler says
 * is printed in their order. SRC, OUT ... are folders, set by the sandbox.
 */
static const char compile_begin[] =
    "for tool in gcc g++ objcopy pkg-config cat; do command -v $tool > "
    "/dev/null ||\n"
    "  { echo \"there is no $tool\"; exit 99; }; done\n"
    "cd \"$SRC\"; bad=0; running=; mpi=$(pkg-config --cflags mpich)\n"
    "start() {\n"
    "  case $1 in\n"
    "  *.cu) cc=\"$cu -Xcompiler -Wall,-Wextra\" ;;\n"
    "  *) cc='gcc -std=gnu11 -Wall -Wextra -fno-omit-frame-pointer -pthread' "
    ";;\n"
    "  esac\n"
    "  $cc -O2 -g -I$COMMON $headers -I$STAFF $mpi -MD -MF $OUT/$1.d "
    "\\\n"
    "    -c $1 -o $OUT/$1.o > $OUT/$1.said 2>&1 & running=\"$running $1:$!\"\n"
    "}\n"
    "finish() {\n"
    "  for r in $running; do\n"
    "    wait ${r#*:} || bad=1; cat $OUT/${r%%:*}.said; done\n"
    "  exit $bad\n"
    "}\n";

static int compile_script(const struct grade *g, char *out, size_t nbytes)
{
    const struct backend *const b = g->machine.backend;
    int n = snprintf(out, nbytes, "cu=\"%s\" headers=\"%s\"\n%s", b->cu,
                     b->headers, compile_begin);
    for (int i = 0; i < g->plan->nfiles && n < (int)nbytes; i++)
        if (is_code(g->plan->file[i]))
            n += snprintf(out + n, nbytes - (size_t)n, "start %s\n",
                          g->plan->file[i]);
    n += snprintf(out + n, nbytes - (size_t)n, "finish");
    return n < (int)nbytes ? 0 : -1;
}

static const char link_format[] =
    "cd \"$STAFF\"; g++ -o \"$OUT\"/program \"$OUT\"/*.o *.o "
    "libnn.a liblab.a libnnref.a libjudge.a libgraph.a "
    "-Wl,@\"$COMMON\"/lab/meter.wrap %s "
    "-Wl,--push-state,--as-needed -lcublas -lcuda -Wl,--pop-state -lnccl "
    "-lcudart $(pkg-config --libs mpich) -lyaml "
    "-ljansson -lexpat -ldw -lelf -lm -pthread";

/* The first line that says "error", or the first at all. */
static void first_error(const char *output, char *line, size_t nbytes)
{
    const char *at = output;
    for (const char *p = output; p && *p; p = strchr(p, '\n')) {
        p += *p == '\n';
        const char *const end = strchrnul(p, '\n');
        const char *const error = strstr(p, "error");
        const char *const undefined = strstr(p, "undefined reference");
        if ((error && error < end) || (undefined && undefined < end)) {
            at = p;
            break;
        }
    }
    snprintf(line, nbytes, "%.*s", (int)(strchrnul(at, '\n') - at), at);
}

/* Run a script in the sandbox; what goes wrong there is the student's. */
static int run_script(struct grade *g, const struct sandbox *s,
                      const char *script)
{
    static struct sandbox_end end;
    char line[512];
    const char *const argv[] = {"sh", "-c", script, NULL};
    sandbox_run(s, argv, &end);
    if (grade_ran(g, "build", &end) != 0)
        return -1;
    if (end.timed_out)
        return grade_stop(g, OUTCOME_FAIL, "compiling took over %d s",
                          BUILD_SEC);
    if (end.flooded || end.out_of_memory)
        return grade_stop(g, OUTCOME_FAIL, "compiling took too much %s",
                          end.flooded ? "disk" : "memory");
    first_error(end.log.head, line, sizeof line);
    if (end.status == NO_TOOLS)
        return grade_stop(g, OUTCOME_INFRA, "cannot compile here: %s", line);
    if (end.status != 0)
        return grade_stop(g, OUTCOME_FAIL, "it does not compile: %s", line);
    return 0;
}

/*
 * Did the compiler read what is not the student's, the kit's or the system's?
 * The sandbox has nothing else in it from level 2 on; below, this is what stands
 * between a submission and the solution.
 */
static int check_dependencies(struct grade *g, const struct sandbox *s,
                              const char *file)
{
    char path[PATH_MAX + 300], name[PATH_MAX];
    const char *const places[] = {"/common", g->machine.seen, "/staff"};
    snprintf(path, sizeof path, "%s/out/%s.d", g->work, file);
    FILE *const f = fopen(path, "re");
    int outside = 0;
    // "out/file.o:" is where the list begins; nvcc writes "out/file.o :"
    while (f && fscanf(f, "%4095s", name) == 1 && name[strlen(name) - 1] != ':')
        ;
    while (f && !outside && fscanf(f, "%4095s", name) == 1) {
        outside = name[0] == '/' ? strncmp(name, "/usr/", 5) != 0
                                 : strncmp(name, "../", 3) == 0;
        for (int i = 0; i < 3 && outside; i++) {
            const char *const place = sandbox_path(s, places[i]);
            outside = strncmp(name, place, strlen(place)) != 0;
        }
        outside |=
            strstr(name, "/../") != NULL && strncmp(name, "/usr/", 5) != 0;
    }
    if (f)
        fclose(f);
    return outside ? grade_stop(g, OUTCOME_SUSPECTED,
                                "%s includes %.300s, which is not the kit's; a "
                                "person will look at it",
                                file, name)
                   : 0;
}

/* What the objects define and ask for, before they are linked. */
static int audit(struct grade *g, const struct sandbox *s)
{
    char path[PATH_MAX + 300], why[256];
    for (int i = 0; i < g->plan->nfiles; i++) {
        const char *const file = g->plan->file[i];
        if (!is_code(file))
            continue;
        if (check_dependencies(g, s, file) != 0)
            return -1;
        snprintf(path, sizeof path, "%s/out/%s.o", g->work, file);
        if (audit_object(path, machine_is_real(&g->machine), why, sizeof why) !=
            0)
            return grade_stop(g, OUTCOME_SUSPECTED,
                              "%s: %s, which no solution needs; a person will "
                              "look at it",
                              file, why);
    }
    return 0;
}

int grade_build(struct grade *g)
{
    static char text[MAX_COMMAND];
    char src[PATH_MAX + 16], out[PATH_MAX + 16], common[PATH_MAX + 16],
        staff[PATH_MAX + 16];
    snprintf(src, sizeof src, "%s/src", g->work);
    snprintf(out, sizeof out, "%s/out", g->work);
    snprintf(staff, sizeof staff, "%s/staff", g->work);
    snprintf(common, sizeof common, "%s/common", g->kit);
    if (give_staff(g) != 0)
        return -1;
    if (mkdir(out, 0755) != 0 || compile_script(g, text, sizeof text) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot prepare %s", out);
    struct sandbox s = {
        .level = g->isolation,
        .tmp = g->tmp,
        .bind = {{common, "/common", 0},
                 {g->machine.home, g->machine.seen, 0},
                 {staff, "/staff", 0},
                 {src, "/src", 0},
                 {out, "/out", 1}},
        .nbinds = 5,
        .limit_sec = BUILD_SEC,
        .watch = out,
        .idle_sec = BUILD_SEC,
        .most_bytes = MAX_OBJECTS,
    };
    const char *const names[] = {"COMMON", "GPU", "STAFF", "SRC", "OUT"};
    for (int i = 0; i < s.nbinds; i++)
        sandbox_env(&s, names[i], sandbox_path(&s, s.bind[i].to));
    sandbox_env(&s, "ARCH", g->machine.arch);
    if (run_script(g, &s, text) != 0 || audit(g, &s) != 0)
        return -1;
    snprintf(text, sizeof text, link_format, g->machine.backend->libs);
    return run_script(g, &s, text);
}
