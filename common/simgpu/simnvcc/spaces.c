#define _GNU_SOURCE
#include "spaces.h"

#include <limits.h> /* PATH_MAX */
#include <stdlib.h> /* realpath */
#include <string.h> /* strncmp */

/* ---- what clang reads ---------------------------------------------------- */

static int begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static int ends(const char *s, const char *with)
{
    const size_t n = strlen(s), nwith = strlen(with);
    return n >= nwith && strcmp(s + n - nwith, with) == 0;
}

/* True for the headers of the host's C++ library whose names Thrust and libcu++
 * pass on as their own: thrust::get is std::get here. */
static int is_passed_on(const char *path)
{
    static const char *const names[] = {"/array",
                                        "/bit",
                                        "/bitset",
                                        "/chrono",
                                        "/compare",
                                        "/complex",
                                        "/functional",
                                        "/limits",
                                        "/numeric",
                                        "/optional",
                                        "/ratio",
                                        "/span",
                                        "/tuple",
                                        "/type_traits",
                                        "/utility",
                                        "/variant",
                                        "/bits/chrono.h",
                                        "/bits/invoke.h",
                                        "/bits/range_access.h",
                                        "/bits/ranges_base.h",
                                        "/bits/stl_algobase.h",
                                        "/bits/stl_function.h",
                                        "/bits/stl_iterator.h",
                                        "/bits/stl_iterator_base_funcs.h",
                                        "/bits/stl_numeric.h",
                                        "/bits/stl_pair.h",
                                        "/bits/unique_ptr.h",
                                        "/bits/utility.h"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(path, "/c++/") && ends(path, names[i]))
            return 1;
    return 0;
}

/* True for simgpu's headers, except those of functions that only the host
 * calls, for the C library's mathematics, and, if the file includes Thrust, CUB
 * or libcu++, for what these pass on. */
static int is_for_both(const char *path, const char *own, int passes_on)
{
    static const char *const host[] = {"simgpu/sides.h", "nccl.h", "cublas",
                                       "nvtx3/"};
    static const char *const both[] = {"/cmath", "/bits/mathcalls.h",
                                       "/bits/std_abs.h", "/bits/move.h",
                                       "/initializer_list"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (strstr(path, both[i]))
            return 1;
    if (!begins(path, own))
        return passes_on && is_passed_on(path);
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        if (begins(path + strlen(own), host[i]))
            return 0;
    return 1;
}

/* The path of a line `# 1 "path"`, absolute and without links; "" for another
 * line. *from and *to are the path's place in the line. */
static const char *marked(const char *line, size_t n, char *path,
                          const char **from, const char **to)
{
    *from = begins(line, "# ") ? memchr(line, '"', n) : NULL;
    *to = *from ? memchr(*from + 1, '"', n - (size_t)(*from + 1 - line)) : NULL;
    path[0] = '\0';
    if (!*to)
        return path;
    char *const given = strndup(*from + 1, (size_t)(*to - *from - 1));
    if (given && !realpath(given, path)) // a name such as <built-in>
        snprintf(path, PATH_MAX, "%s", given);
    free(given);
    return path;
}

/* True if the text includes a header of Thrust's, CUB's or libcu++'s. */
static int includes_cccl(const char *text, const char *own)
{
    static const char *const folders[] = {"thrust/", "cub/", "cuda/std/"};
    char path[PATH_MAX];
    for (const char *from, *to; *text; text += *text == '\n') {
        const size_t n = strcspn(text, "\n");
        if (begins(marked(text, n, path, &from, &to), own))
            for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
                if (begins(path + strlen(own), folders[i]))
                    return 1;
        text += n;
    }
    return 0;
}

/* Write a line of simgpu's headers: what is a thread's there is a GPU's. */
static void write_own(const char *line, size_t n, FILE *out)
{
    static const char *const words[] = {"__thread ", "thread_local "};
    for (size_t i = 0; i < n;) {
        size_t skip = 0;
        for (int w = 0; w < 2; w++)
            if (begins(line + i, words[w]) && (i == 0 || line[i - 1] == ' '))
                skip = strlen(words[w]);
        if (skip)
            fputs("SIMGPU_DEVICE ", out);
        else
            fputc(line[i], out);
        i += skip ? skip : 1;
    }
}

void spaces_write(const char *text, const char *own, FILE *out)
{
    char path[PATH_MAX], folder[PATH_MAX];
    int is_open = 0;
    snprintf(folder, sizeof folder - 1, "%s", own);
    if (realpath(own, folder))
        strcat(folder, "/");
    const int passes_on = includes_cccl(text, folder);
    for (const char *end, *from, *to; *text; text = end) {
        const size_t n = strcspn(text, "\n");
        end = text + n + (text[n] == '\n');
        if (*marked(text, n, path, &from, &to)) {
            const int opens = is_for_both(path, folder, passes_on);
            if (opens != is_open)
                fprintf(out, "#pragma clang force_cuda_host_device %s\n",
                        opens ? "begin" : "end");
            is_open = opens;
            if (begins(path, folder)) { // under the name that `own` has
                fprintf(out, "%.*s%s%s", (int)(from + 1 - text), text, own,
                        path + strlen(folder));
                text = to;
            }
        }
        if (is_open)
            write_own(text, (size_t)(end - text), out);
        else
            fwrite(text, 1, (size_t)(end - text), out);
    }
    if (is_open)
        fputs("\n#pragma clang force_cuda_host_device end\n", out);
}

/* ---- what clang says ----------------------------------------------------- */

enum { NSLOTS = 3, SLOT = 200 };

/* When an error is nvcc's, too. */
enum when {
    ALWAYS,
    BY_SIDE,     /* a note says that the functions are on the other side */
    CALLED,      /* the name is called, not only taken the address of */
    OF_GPU,      /* the name is one of CUDA's overloaded functions */
    SHARED,      /* the variable is __shared__ */
    NEVER,       /* rewrite.h refuses a launch in device code, or allows it */
    INITIALISED, /* the name has an initialiser after "=" */
    IN_DEVICE,   /* the second text names no function of both sides, and the
                    first no destructor, which clang may take for the host's */
};

/* Clang's words and nvcc's; each % is a text in the first, and goes to the
 * second. */
static const struct rule {
    const char *clang, *nvcc;
    enum when when;
} rules[] = {
    {"reference to __host__ function '%' in % function",
     "calling a __host__ function(\"%\") from a % function is not allowed: "
     "declare it __device__",
     IN_DEVICE},
    {"reference to __host__ variable '%' in % function",
     "identifier \"%\" is undefined in device code (a % function): a variable "
     "of the host. Pass its value, or declare it __device__",
     IN_DEVICE},
    {"reference to __device__ function '%' in __host__ function",
     "calling a __device__ function(\"%\") from a __host__ function is not "
     "allowed: launch a kernel that calls it, or declare it __host__ "
     "__device__",
     CALLED},
    {"reference to __global__ function '%' in % function", "", NEVER},
    {"no matching function for call to '%'",
     "calling \"%\", a %, from a % is not allowed", BY_SIDE},
    {"no matching member function for call to '%'",
     "calling \"%\", a %, from a % is not allowed", BY_SIDE},
    {"no matching constructor for initialization of %",
     "a constructor of % is a %, and can't be called from a %", BY_SIDE},
    {"no matching function for call to '%'",
     "no instance of overloaded function \"%\" matches the argument list",
     OF_GPU},
    {"redeclaration of '%' with a different type: '%' vs '%'",
     "declaration is incompatible with previous \"%\": an extern __shared__ "
     "array has the same type in all functions of a file",
     SHARED},
    {"cannot use '%' in % function",
     "\"%\" is not supported in device code (a % function)", ALWAYS},
    {"cannot use % in % functions", "device code does not support %", ALWAYS},
    {"dynamic initialization is not supported for __device__, %",
     "dynamic initialization is not supported for a variable of the GPU: "
     "assign to it in a kernel",
     ALWAYS},
    {"initialization is not supported for __shared__ variables.",
     "initializer not allowed for a __shared__ variable: have one thread "
     "assign to it, then call __syncthreads()",
     INITIALISED},
    {"__shared__ local variables not allowed in % functions",
     "a __shared__ variable is not allowed in a % function", ALWAYS},
    {"__constant__, __device__, and __managed__ are not allowed on non-static "
     "local variables",
     "a __device__, __constant__ or __managed__ variable is not allowed inside "
     "a function: declare it outside",
     ALWAYS},
    {"kernel call to non-global function '%'",
     "\"%\" is launched, but is not declared __global__", ALWAYS},
    {"call to global function '%' not configured",
     "a call of the __global__ function \"%\" must be configured: write "
     "<<<blocks, threads>>> behind its name",
     ALWAYS},
    {"kernel function '%' must be a free function or static member function",
     "the __global__ function \"%\" can't be a member function", ALWAYS},
    {"kernel function type '%' must have void return type",
     "a __global__ function must return void, not %", ALWAYS},
    {"'%' and '%' attributes are not compatible",
     "illegal combination of memory qualifiers: __%__ and __%__", ALWAYS},
    {"CUDA device code does not support variadic functions",
     "device code does not support functions with \"...\"", ALWAYS},
    {"%", "%: that is a %, called from a %", BY_SIDE},
};
enum { NRULES = sizeof rules / sizeof *rules };

struct finding {        /* an error of clang's */
    const char *line;   /* file:line:column: error: text */
    const char *text;   /* after "error: " */
    const char *source; /* the line of the source */
    const char *end;    /* its notes end here */
    char slot[NSLOTS][SLOT];
};

/* Compare a text with a rule's, and keep what stands for each %. */
static int matches(const char *s, const char *pattern, struct finding *f)
{
    for (int slot = 0; *pattern; pattern++) {
        if (*pattern != '%') {
            if (*s++ != *pattern)
                return 0;
            continue;
        }
        const char until[3] = {pattern[1] ? pattern[1] : '\n', pattern[2]};
        const size_t line = strcspn(s, "\n");
        const char *to =
            memmem(s, line + 1, until, pattern[1] ? strlen(until) : 1);
        if (!to || slot == NSLOTS)
            return 0;
        snprintf(f->slot[slot++], SLOT, "%.*s", (int)(to - s), s);
        s = to;
    }
    return *s == '\n';
}

/* What follows the name at the error's column, without spaces or template
 * arguments. */
static const char *behind(const struct finding *f)
{
    const char *const colon = strchr(strchr(f->line, ':') + 1, ':');
    const char *s = f->source;
    for (long column = strtol(colon + 1, NULL, 10); column > 1 && *s != '\n';
         column--)
        s++;
    s += strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_:");
    if (*s == '<' && s[1] != '<')
        s += strcspn(s, ">\n") + 1;
    while (*s == ' ' || *s == '[')
        s += *s == '[' ? strcspn(s, "]\n") + 1 : 1;
    return s;
}

/* Keep the sides that a note about a candidate gives: "call to __host__
 * function from __global__ function". Returns 0 if there is no such note. */
static int read_sides(struct finding *f)
{
    static const char note[] = "not viable: call to ", from[] = " from ";
    const char *const to =
        memmem(f->text, (size_t)(f->end - f->text), note, sizeof note - 1);
    const char *const sides = to ? to + sizeof note - 1 : "";
    const size_t n = strcspn(sides, "\n");
    const char *const by = memmem(sides, n, from, sizeof from - 1);
    if (!by)
        return 0;
    snprintf(f->slot[1], SLOT, "%.*s", (int)(by - sides), sides);
    snprintf(f->slot[2], SLOT, "%.*s",
             (int)(sides + n - by - (sizeof from - 1)), by + sizeof from - 1);
    return 1;
}

/* True for functions that CUDA has for some types only. */
static int is_overloaded(const char *name)
{
    return begins(name, "atomic") || begins(name, "__shfl_") ||
           begins(name, "__match_");
}

static int holds(enum when when, const struct finding *f)
{
    switch (when) {
    case ALWAYS:
    case OF_GPU:
    case SHARED: return 1;
    case NEVER: return 0;
    case BY_SIDE: return !begins(f->slot[1], "__global__");
    case CALLED: return *behind(f) == '(';
    case INITIALISED: return *behind(f) == '=';
    case IN_DEVICE:
        return !strstr(f->slot[1], "__host__") && f->slot[0][0] != '~';
    }
    return 0;
}

/* Find the next error from *at on. Returns 0 at the end. */
static int next_error(const char **at, struct finding *f)
{
    const char *const error = strstr(*at, ": error: ");
    if (!error)
        return 0;
    f->line = error;
    while (f->line > *at && f->line[-1] != '\n')
        f->line--;
    f->text = error + strlen(": error: ");
    const char *const eol = strchrnul(f->text, '\n');
    f->source = *eol ? eol + 1 : eol;
    const char *const next = strstr(f->text, ": error: ");
    f->end = next ? next : f->text + strlen(f->text);
    *at = f->source;
    return 1;
}

static void print_filled(const char *form, const struct finding *f, FILE *out)
{
    int slot = 0;
    for (; *form; form++)
        if (*form != '%')
            fputc(*form, out);
        else
            fputs(f->slot[slot < NSLOTS ? slot++ : 0], out);
}

/* True if a note shows that the function is constexpr. */
static int is_constexpr(const struct finding *f)
{
    static const char word[] = "constexpr ";
    return memmem(f->text, (size_t)(f->end - f->text), word, sizeof word - 1) !=
           NULL;
}

static void print(const struct rule *r, const struct finding *f, FILE *out)
{
    const char *const colon = strchr(f->line, ':');
    fprintf(out, "%.*s(%d): error: ", (int)(colon - f->line), f->line,
            atoi(colon + 1));
    print_filled(r->nvcc, f, out);
    if ((r->when == BY_SIDE || r->when == IN_DEVICE) && is_constexpr(f))
        fputs(". It is constexpr: --expt-relaxed-constexpr allows it", out);
    fputc('\n', out);
}

/* True if an error with a rule's words is one of CUDA's, not one of C++. */
static int is_of_cuda(const struct rule *r, struct finding *f)
{
    switch (r->when) {
    case BY_SIDE: return read_sides(f);
    case OF_GPU: return is_overloaded(f->slot[0]);
    case SHARED:
        return memmem(f->source, strcspn(f->source, "\n"), "SIMGPU_SHARED",
                      strlen("SIMGPU_SHARED")) != NULL;
    default: return 1;
    }
}

/* The rule that an error falls under; NULL if it is not one of nvcc's. */
static const struct rule *rule_of(struct finding *f)
{
    for (int i = 0; i < NRULES; i++)
        if (matches(f->text, rules[i].clang, f) && is_of_cuda(&rules[i], f))
            return &rules[i];
    return NULL;
}

/* True for an error in the body of a library's template. */
static int is_elsewhere(const struct finding *f, const char *own)
{
    return begins(f->line, own) || begins(f->line, "/usr/");
}

/* Print what is found, each line once: a template may be met several times. */
static int print_found(const char *said, const char *own, FILE *out)
{
    struct finding f;
    char *printed = NULL;
    size_t nbytes;
    FILE *const all = open_memstream(&printed, &nbytes);
    int n = 0;
    for (const char *at = said; all && next_error(&at, &f);) {
        char *line = NULL;
        const struct rule *const r = is_elsewhere(&f, own) ? NULL : rule_of(&f);
        if (!r || !holds(r->when, &f))
            continue;
        FILE *const one = open_memstream(&line, &nbytes);
        print(r, &f, one);
        fclose(one);
        fflush(all);
        if (!strstr(printed, line)) {
            fputs(line, all);
            n++;
        }
        free(line);
    }
    if (all)
        fclose(all);
    fputs(printed ? printed : "", out);
    free(printed);
    return n;
}

int spaces_report(const char *said, const char *own, FILE *out)
{
    struct finding f;
    for (const char *at = said; next_error(&at, &f);)
        if (!is_elsewhere(&f, own) && !rule_of(&f))
            return 0;
    return print_found(said, own, out);
}
