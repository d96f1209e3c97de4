#define _GNU_SOURCE
#include "grader/build/compiler.h"

#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* abort */
#include <string.h>   /* strrchr */
#include <sys/stat.h> /* mkdir */

enum { MAX_OBJECTS = 256 << 20 }; /* bytes that compilers may write */

/*
 * First, the sandbox's user must be able to read what the grader and the kit
 * put there. Compilers report an unreadable file like a missing one, which
 * would look like the student's mistake.
 *
 * All files are compiled in parallel, and the compilers' output is printed in
 * the order of the files. $SRC, $OUT ... are folders, set by the sandbox. The
 * toolchain's text precedes this.
 */
static const char begin[] =
    "for tool in ${cc%% *} $cxx objcopy ld cat grep; do command -v $tool > "
    "/dev/null "
    "||\n"
    "  { echo \"there is no $tool\"; exit 99; }; done\n"
    "for d in \"$SRC\" \"$STAFF\" \"$COMMON\" \"$GPU\"; do\n"
    "  for f in \"$d\" \"$d\"/* \"$d\"/*/*.h \"$d\"/*/*.so; do\n"
    "    case $f in *'*'*) ;; *) [ -r \"$f\" ] || { echo $f; exit 97; } ;;\n"
    "    esac; done; done\n"
    "cd \"$SRC\"; bad=0; running=\n"
    "start() {\n"
    "  case $1 in *.cu) compiler=$cu ;; *) compiler=$cc ;; esac\n"
    "  { $compiler $system -isystem $STAFF -E $1 -o $OUT/$1.i 2> /dev/null\n"
    "    $compiler $headers -I$STAFF -MD -MF $OUT/$1.d \\\n"
    "      -c $1 -o $OUT/$1.o > $OUT/$1.said 2>&1\n"
    "  } & running=\"$running $1:$!\"\n"
    "}\n"
    "have() { running=\"$running $1:\"; }\n"
    "finish() {\n"
    "  for r in $running; do\n"
    "    said=$OUT/${r%%:*}.said\n"
    "    [ -z \"${r#*:}\" ] || wait ${r#*:} || { bad=$?\n"
    "      grep -q '^g[c+][c+]: fatal error: Killed signal' $said && bad=137; "
    "}\n"
    "    [ $bad -le 128 ] || { cat $said; exit 98; }\n"
    "    [ ! -s $said ] || cat $said; done\n"
    "  exit $bad\n"
    "}\n";

/*
 * Neither half of the program sees names of the other outside the lab's
 * contract (common/rules.mk). What the linker fills in is read-only at run
 * time.
 *
 * Finding out whether a library is needed costs the linker as much as linking
 * it. Only .cu files can need C++'s library, which is the largest. The kit
 * itself needs the others, so these and what they need were present when it was
 * built.
 */
static const char link_all[] =
    "cd \"$STAFF\"; set -- \"$OUT\"/*.o\n"
    "if [ -n \"$kit\" ]; then\n"
    "  case $* in *.cu.o*) ;; *) cxx=${cc%% *} ;; esac\n"
    "  ld -r -o \"$OUT\"/student \"$@\" || { s=$?; [ $s -le 128 ] || s=98; "
    "exit $s; }\n"
    "  objcopy --keep-global-symbols=kit.contract \"$OUT\"/student || exit 99\n"
    "  set -- \"$OUT\"/student; fi\n"
    "$cxx -o \"$OUT\"/program \"$@\" *.o $archives \\\n"
    "  -Wl,--push-state,--no-as-needed $libs -Wl,--pop-state \\\n"
    "  -Wl,--allow-shlib-undefined,-z,relro,-z,now,-z,noexecstack";

int compiler_takes(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".cu") == 0);
}

int compiler_init(struct compiler *c, const struct request *q,
                  const struct place *p, const char *folder)
{
    static const char *const names[] = {"COMMON", "GPU", "STAFF", "SRC", "OUT"};
    c->place = p;
    snprintf(c->common, sizeof c->common, "%s/common", p->kit);
    snprintf(c->staff, sizeof c->staff, "%s/staff", p->work);
    snprintf(c->src, sizeof c->src, "%s/src", folder);
    snprintf(c->out, sizeof c->out, "%s/out", folder);
    c->sandbox = (struct sandbox){
        .level = q->isolation,
        .tmp = p->tmp,
        .bind = {{c->common, "/common", 0},
                 {p->machine.home, p->machine.seen, 0},
                 {c->staff, "/staff", 0},
                 {c->src, "/src", 0},
                 {c->out, "/out", 1}},
        .nbinds = 5,
        .limit_sec = COMPILER_SEC,
        .watch = c->out,
        .idle_sec = COMPILER_SEC,
        .most_bytes = MAX_OBJECTS,
    };
    for (int i = 0; i < c->sandbox.nbinds; i++)
        sandbox_env(&c->sandbox, names[i],
                    sandbox_path(&c->sandbox, c->sandbox.bind[i].to));
    return mkdir(c->out, 0755);
}

void compiler_script(const struct place *p, const char *done,
                     char script[COMPILER_SCRIPT])
{
    const struct plan *const plan = p->plan;
    int n =
        snprintf(script, COMPILER_SCRIPT, "%s%s", p->machine.toolchain, begin);
    for (int i = 0; i < plan->nfiles && n < COMPILER_SCRIPT; i++)
        if (compiler_takes(plan->file[i]))
            n += snprintf(script + n, (size_t)(COMPILER_SCRIPT - n), "%s %s\n",
                          done[i] ? "have" : "start", plan->file[i]);
    if (n < COMPILER_SCRIPT)
        n += snprintf(script + n, (size_t)(COMPILER_SCRIPT - n), "finish");
    if (n >= COMPILER_SCRIPT)
        abort(); // plans and toolchains are the kit's own, and short
}

static void run(const struct compiler *c, const char *script,
                struct sandbox_end *end)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    sandbox_run(&c->sandbox, argv, end);
}

void compiler_compile(const struct compiler *c, const char *done,
                      struct sandbox_end *end)
{
    char script[COMPILER_SCRIPT];
    compiler_script(c->place, done, script);
    run(c, script, end);
}

void compiler_link(const struct compiler *c, struct sandbox_end *end)
{
    char script[COMPILER_SCRIPT];
    snprintf(script, sizeof script, "%s%s", c->place->machine.toolchain,
             link_all);
    run(c, script, end);
}

int compiler_includes(const char *out, const char *name,
                      int (*visit)(const char *path, void *arg), void *arg)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/%s.d", out, name);
    FILE *const f = fopen(path, "re");
    int found = 0;
    if (!f)
        return -1;
    // the list follows "out/file.o:"; nvcc writes "out/file.o :"
    while (fscanf(f, "%4095s", path) == 1 && path[strlen(path) - 1] != ':')
        ;
    while (!found && fscanf(f, "%4095s", path) == 1)
        if (strcmp(path, "\\") != 0) // a backslash continues the line
            found = visit(path, arg);
    fclose(f);
    return found;
}
