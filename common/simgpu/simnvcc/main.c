/*
 * simnvcc: compiles CUDA C++ for the CPU, in place of nvcc
 *
 *     simnvcc -c kernel.cu -o kernel.o
 *
 * Three steps: the host compiler preprocesses; rewrite.c turns launches and
 * dynamic shared memory into C++; the host compiler compiles the result, with
 * every memory access announced through the __tsan_ hooks that simgpu's runtime
 * defines (no thread sanitizer is linked). Options that only a GPU's compiler
 * needs are accepted and ignored.
 *
 *     --no-constructors    nothing of the object runs before main: its kernels
 *                          are known from their first <<<>>> on, not to
 *                          cudaLaunchKernel() alone. Needs objcopy.
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* fprintf */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strcmp */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* execvp */

#include "base/temp.h"
#include "rewrite.h"

enum { MAX_ARGS = 1024, EXIT_USAGE = 2 };

struct args { /* of a command line being put together */
    const char *v[MAX_ARGS];
    int n;
};

static struct {
    const char *cxx, *source, *output, *dep_file;
    int compile_only, depend, no_constructors;
    struct args common;     /* for preprocessing and compiling */
    struct args preprocess; /* -D -I -include */
    struct args link;       /* objects and libraries */
    char prefix[PATH_MAX];  /* of this simgpu */
    char temp[64];          /* removed at exit */
} o = {.cxx = "g++", .output = "a.out"};

static void add(struct args *a, const char *arg)
{
    if (a->n == MAX_ARGS - 1) {
        fprintf(stderr, "simnvcc: more than %d arguments\n", MAX_ARGS);
        exit(EXIT_USAGE);
    }
    a->v[a->n++] = arg;
}

static void add_all(struct args *a, const struct args *more)
{
    for (int i = 0; i < more->n; i++)
        add(a, more->v[i]);
}

/* Run a command; its exit status. */
static int run(struct args *a)
{
    a->v[a->n] = NULL;
    const pid_t pid = fork();
    if (pid == 0) {
        execvp(a->v[0], (char *const *)a->v);
        fprintf(stderr, "simnvcc: %s: %s\n", a->v[0], strerror(errno));
        _exit(127);
    }
    int status = 1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static char *in_temp(const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", o.temp, name) < 0)
        abort();
    return path;
}

static void remove_temp(void)
{
    static const char *const files[] = {"pre.ii", "out.ii"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *const path = in_temp(files[i]);
        unlink(path);
        free(path);
    }
    rmdir(o.temp);
}

static char *read_all(const char *path)
{
    FILE *const f = fopen(path, "re");
    char *text = NULL;
    size_t nbytes = 0;
    if (f && getdelim(&text, &nbytes, '\0', f) < 0)
        text = strdup("");
    if (f)
        fclose(f);
    return text;
}

/* Options that only a GPU's compiler needs. Some take a value, the next
 * argument. */
static int ignored(const char *a, int *takes_value)
{
    static const char *const with_value[] = {
        "-arch",   "-gencode",        "-code", "-maxrregcount",
        "-Xptxas", "--generate-code", "-t"};
    static const char *const alone[] = {"-lineinfo",
                                        "-rdc",
                                        "--expt",
                                        "-arch=",
                                        "-gencode=",
                                        "-code=",
                                        "--generate-code=",
                                        "-use_fast_math",
                                        "--use_fast_math",
                                        "-extended-lambda",
                                        "--extended-lambda",
                                        "-rdc=",
                                        "-maxrregcount=",
                                        "-cudart"};
    *takes_value = 0;
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
        if (strcmp(a, with_value[i]) == 0)
            return *takes_value = 1;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (strncmp(a, alone[i], strlen(alone[i])) == 0)
            return 1;
    return 0;
}

static void add_commas(char *list) // -Xcompiler -Wall,-Wextra
{
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
        add(&o.common, word);
}

static int ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* An argument for the preprocessor, the linker or the compiler, or the source.
 * Returns how many were used. */
static int pass_on(char *a, char *next)
{
    if (!strncmp(a, "-I", 2) || !strncmp(a, "-D", 2) || !strncmp(a, "-U", 2) ||
        !strcmp(a, "-MP")) {
        add(&o.preprocess, a);
        if (a[2] || !next)
            return 1;
        add(&o.preprocess, next);
        return 2;
    }
    if (!strncmp(a, "-l", 2) || !strncmp(a, "-L", 2) || ends_with(a, ".o") ||
        ends_with(a, ".a") || ends_with(a, ".so"))
        add(&o.link, a);
    else if (a[0] == '-')
        add(&o.common, a);
    else
        o.source = a;
    return 1;
}

/* Take argument i; returns how many were used. */
static int option(char **argv, int i)
{
    char *const a = argv[i], *const next = argv[i + 1];
    int takes_value;
    if (ignored(a, &takes_value))
        return 1 + takes_value;
    const int needs_next = !strcmp(a, "-o") || !strcmp(a, "-ccbin") ||
                           !strcmp(a, "-Xcompiler") || !strcmp(a, "-MF") ||
                           !strcmp(a, "-x") || !strcmp(a, "-include");
    if (needs_next && !next) {
        fprintf(stderr, "simnvcc: %s needs a value\n", a);
        exit(EXIT_USAGE);
    }
    if (!strcmp(a, "-c"))
        o.compile_only = 1;
    else if (!strcmp(a, "--no-constructors"))
        o.no_constructors = 1;
    else if (!strcmp(a, "-o"))
        o.output = next;
    else if (!strcmp(a, "-ccbin"))
        o.cxx = next;
    else if (!strcmp(a, "-Xcompiler"))
        add_commas(next);
    else if (!strcmp(a, "-MD") || !strcmp(a, "-MMD"))
        o.depend = 1;
    else if (!strcmp(a, "-MF"))
        o.dep_file = next;
    else if (!strcmp(a, "-x"))
        ; // .cu files are CUDA anyway
    else if (!strcmp(a, "-include"))
        add(&o.preprocess, a), add(&o.preprocess, next);
    else
        return pass_on(a, next);
    return 1 + needs_next;
}

static int preprocess(const char *to)
{
    struct args a = {{0}, 0};
    char *include, *deps;
    if (asprintf(&include, "-I%s/include", o.prefix) < 0)
        abort();
    add(&a, o.cxx);
    add_all(&a, &o.common);
    add(&a, "-E");
    add(&a, "-x");
    add(&a, "c++");
    add(&a, "-D__SIMNVCC__");
    add(&a, "-D__CUDACC__");
    add_all(&a, &o.preprocess);
    add(&a, include);
    add(&a, "-include");
    add(&a, "cuda_runtime.h");
    // left for rewrite.c to see
    add(&a, "-include");
    add(&a, "simgpu/rewritten.h");
    if (o.depend) {
        add(&a, "-MD");
        add(&a, "-MT");
        add(&a, o.output);
        if (!o.dep_file && asprintf(&deps, "%s.d", o.output) >= 0)
            o.dep_file = deps;
        add(&a, "-MF");
        add(&a, o.dep_file);
    }
    add(&a, o.source);
    add(&a, "-o");
    add(&a, to);
    return run(&a);
}

/*
 * "file:line" of a line of preprocessed text, by the last line marker before
 * it: # 12 "file.cu"
 */
static const char *origin(const char *text, int line, char *out, size_t nbytes)
{
    int number = 0, marker = 0, found = 0;
    char file[PATH_MAX] = "";
    for (int i = 1; i <= line && text; i++) {
        if (sscanf(text, "# %d \"%4095[^\"]\"", &found, file) == 2) {
            number = found;
            marker = i;
        }
        text = strchr(text, '\n');
        text += text != NULL;
    }
    snprintf(out, nbytes, "%s:%d", file, number + line - marker - 1);
    return out;
}

static int rewrite_file(const char *from, const char *to)
{
    const char *wrong = NULL;
    char *const text = read_all(from);
    FILE *const out = fopen(to, "we");
    if (!text || !out) {
        fprintf(stderr, "simnvcc: %s: %s\n", o.temp, strerror(errno));
        return 1;
    }
    const int line = rewrite(text, out, &wrong);
    char where[PATH_MAX + 16];
    if (line)
        fprintf(stderr, "%s: error: %s\n",
                origin(text, line, where, sizeof where), wrong);
    free(text);
    return fclose(out) != 0 || line != 0;
}

/*
 * Announce all accesses, volatile ones as such. clang leaves out a read before
 * a write of the same bytes, since races don't need it; but it moves bytes.
 */
static void add_accesses(struct args *a)
{
    if (strstr(o.cxx, "clang")) {
        add(a, "-mllvm");
        add(a, "-tsan-distinguish-volatile=1");
        add(a, "-mllvm");
        add(a, "-tsan-instrument-read-before-write=1");
    } else {
        add(a, "--param=tsan-distinguish-volatile=1");
    }
}

/* The thread sanitizer's constructor, of that priority, calls an empty
 * function. */
static int drop_constructor(const char *object)
{
    struct args a = {{0}, 0};
    add(&a, "objcopy");
    add(&a, "--remove-section=.init_array.00099");
    add(&a, "--remove-section=.rela.init_array.00099");
    add(&a, object);
    return run(&a);
}

static int compile(const char *from, const char *to)
{
    struct args a = {{0}, 0};
    add(&a, o.cxx);
    add_all(&a, &o.common);
    add(&a, "-fsanitize=thread");
    add_accesses(&a);
    add(&a, "-DSIMGPU_GLOBAL=");
    add(&a, "-DSIMGPU_SHARED=static thread_local");
    add(&a, o.no_constructors
                ? "-DSIMGPU_REGISTER(k)="
                : "-DSIMGPU_REGISTER(k)=static const int simgpu_registered_##k "
                  "__attribute__((unused)) = ::simgpu::registration(#k, k);");
    add(&a, "-Wno-unknown-pragmas");
    add(&a, "-c");
    add(&a, "-x");
    add(&a, "c++");
    add(&a, from);
    add(&a, "-o");
    add(&a, to);
    const int status = run(&a);
    return status || !o.no_constructors ? status : drop_constructor(to);
}

static int link_program(const char *object)
{
    struct args a = {{0}, 0};
    char *lib, *rpath;
    if (asprintf(&lib, "-L%s/lib", o.prefix) < 0 ||
        asprintf(&rpath, "-Wl,-rpath,%s/lib", o.prefix) < 0)
        abort();
    add(&a, o.cxx);
    if (object)
        add(&a, object);
    add_all(&a, &o.link);
    add(&a, lib);
    add(&a, rpath);
    add(&a, "-lcudart");
    add(&a, "-pthread");
    add(&a, "-o");
    add(&a, o.output);
    return run(&a);
}

/* PREFIX of PREFIX/bin/simnvcc. */
static void find_prefix(void)
{
    const ssize_t n = readlink("/proc/self/exe", o.prefix, sizeof o.prefix - 1);
    o.prefix[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 2; i++) {
        char *const slash = strrchr(o.prefix, '/');
        if (slash)
            *slash = 0;
    }
}

static int build(void)
{
    char *const pre = in_temp("pre.ii"), *const out = in_temp("out.ii");
    char *object = (char *)o.output;
    if (!o.compile_only && asprintf(&object, "%s.o", o.output) < 0)
        abort();
    int status = preprocess(pre);
    if (status == 0)
        status = rewrite_file(pre, out);
    if (status == 0)
        status = compile(out, object);
    if (status == 0 && !o.compile_only) {
        status = link_program(object);
        unlink(object);
    }
    free(pre);
    free(out);
    return status;
}

int main(int argc, char **argv)
{
    find_prefix();
    for (int i = 1; i < argc;) {
        if (!strcmp(argv[i], "--version")) {
            puts("simnvcc: CUDA C++ for the CPU, part of commlab's simgpu");
            return 0;
        }
        i += option(argv, i);
    }
    if (!o.source && o.link.n == 0) {
        fprintf(stderr, "usage: simnvcc [-c] [options] file.cu [-o output]\n");
        return EXIT_USAGE;
    }
    if (!o.source)
        return link_program(NULL);
    if (!mkdtemp(temp_path(o.temp, sizeof o.temp, "simnvcc"))) {
        fprintf(stderr, "simnvcc: %s: %s\n", o.temp, strerror(errno));
        return 1;
    }
    const int status = build();
    remove_temp();
    return status;
}
