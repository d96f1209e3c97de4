#define _GNU_SOURCE
#include "option.h"

#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* exit */
#include <string.h> /* strcmp */

const char option_number[] = "a number";

/* ---- options that need a function: as given, and their value ------------- */

static void optimize(struct options *o, const char *as, const char *value)
{
    (void)as;
    args_add(&o->both, args_joined("-O", value));
    o->optimised = 1;
}

/* Without a kind, or with one of its own, -Werror is an option of g++. */
static void werror(struct options *o, const char *as, const char *value)
{
    if (!value) {
        options_warn(o, as, "-Werror all-warnings");
        args_add(&o->both, as);
    } else if (strstr(value, "all-warnings"))
        args_add(&o->both, "-Werror");
    else if (strstr(value, "deprecated-declarations"))
        args_add(&o->both, "-Werror=deprecated-declarations");
}

static void standard(struct options *o, const char *as, const char *value)
{
    (void)as;
    o->std = args_joined("-std=", value);
}

/* An option of g++, whose value is the next argument. */
static void quoted_target(struct options *o, const char *as, const char *value)
{
    options_warn(o, as, "-MT");
    args_add2(&o->targets, "-MT", value);
}

static void default_stream(struct options *o, const char *as, const char *value)
{
    (void)as;
    if (!strcmp(value, "per-thread"))
        args_add(&o->preprocess, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

static void relocatable_is(struct options *o, const char *as, const char *value)
{
    (void)as;
    o->relocatable = !strcmp(value, "true");
}

static void device_c(struct options *o, const char *as, const char *value)
{
    (void)value;
    o->relocatable = 1;
    o->mode = MODE_COMPILE;
    o->mode_option = as;
}

static void debug(struct options *o, const char *as, const char *value)
{
    (void)as, (void)value;
    o->debug = 1;
    args_add(&o->both, "-g");
}

/* The last -g wins. */
static void lines(struct options *o, const char *as, const char *value)
{
    (void)as, (void)value;
    if (!o->debug)
        args_add(&o->both, "-g1");
}

static void dry_run(struct options *o, const char *as, const char *value)
{
    (void)as, (void)value;
    o->dry_run = o->verbose = 1;
}

static void relocatable_link(struct options *o, const char *as,
                             const char *value)
{
    (void)as, (void)value;
    o->partial = 1;
    args_add2(&o->link, "-r", "-nostdlib");
}

static void linker_script(struct options *o, const char *as, const char *value)
{
    (void)o, (void)as;
    if (!value || strcmp(value, "gen-lcs"))
        return;
    fprintf(stderr, "simnvcc: error: -hls gen-lcs prints a linker script for "
                    "large device code. simnvcc's objects have none: leave the "
                    "option out\n");
    exit(EXIT_USAGE);
}

static int is_architecture(const char *name, size_t n)
{
    static const char *const kinds[] = {"compute_", "sm_", "lto_"};
    static const char *const words[] = {"native", "all", "all-major"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && !strncmp(name, words[i], n))
            return 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t k = strlen(kinds[i]);
        if (n <= k || strncmp(name, kinds[i], k))
            continue;
        const size_t digits = strspn(name + k, "0123456789");
        return digits >= 2 && digits <= 3 &&
               (digits + k == n ||
                (digits + k + 1 == n && strchr("af", name[n - 1])));
    }
    return 0;
}

/* The list of architectures must contain nothing else; nvcc allows brackets and
 * quotes around it. */
static void architectures(struct options *o, const char *as, const char *value)
{
    (void)o;
    for (const char *p = value; *p;) {
        p += strspn(p, "[]\"',");
        const size_t n = strcspn(p, "[]\"',");
        if (n && !is_architecture(p, n)) {
            fprintf(stderr,
                    "simnvcc: error: %s %s: %.*s is not an architecture, such "
                    "as sm_90, compute_90 or native\n",
                    as, value, (int)n, p);
            exit(EXIT_USAGE);
        }
        p += n;
    }
}

static void generate_code(struct options *o, const char *as, const char *value)
{
    const char *const arch = strstr(value, "arch="), *const code =
                                                         strstr(value, "code=");
    if (!arch || !code || !code[5]) {
        fprintf(stderr,
                "simnvcc: error: %s %s: write arch=compute_90,code=sm_90, with "
                "your architectures\n",
                as, value);
        exit(EXIT_USAGE);
    }
    if (!strncmp(arch, "arch=sm_", 8)) {
        fprintf(stderr,
                "simnvcc: error: %s %s: arch is a virtual architecture, such "
                "as compute_%.*s\n",
                as, value, (int)strcspn(arch + 8, ","), arch + 8);
        exit(EXIT_USAGE);
    }
    architectures(o, as, code + 5);
}

/* ---- the table ----------------------------------------------------------- */

#define IGNORED                .action = IGNORE
#define TO(member)             .to = offsetof(struct options, member)
#define FLAG(member)           .action = SET_FLAG, TO(member)
#define TEXT(member)           .action = SET_TEXT, TO(member)
#define ADD(how, member, what) .action = how, TO(member), .text = what
#define MODE(is)               .action = SET_MODE, .mode = is
#define CALL(f)                .action = RUN_CALL, .call = f
#define WHY(reason)            .action = REFUSE, .text = reason
#define BOOLEAN                "true|false"

static const char for_gpus[] =
    "makes code for GPUs. simnvcc makes code for the "
    "CPU: use -c, or nvcc";

static const struct option table[] = {
    // the phase
    {"cuda", "cuda", ALONE, NULL, MODE(MODE_CUDA)},
    {"cubin", "cubin", ALONE, NULL, MODE(MODE_IMAGE)},
    {"fatbin", "fatbin", ALONE, NULL, MODE(MODE_IMAGE)},
    {"ptx", "ptx", ALONE, NULL, MODE(MODE_IMAGE)},
    {"optix-ir", "optix-ir", ALONE, NULL, WHY(for_gpus)},
    {"ltoir", "ltoir", ALONE, NULL, WHY(for_gpus)},
    {"E", "preprocess", ALONE, NULL, MODE(MODE_PREPROCESS)},
    {"M", "generate-dependencies", ALONE, NULL, MODE(MODE_DEPENDENCIES)},
    {"MM", "generate-nonsystem-dependencies", ALONE, NULL,
     MODE(MODE_DEPENDENCIES)},
    {"MD", "generate-dependencies-with-compile", ALONE, NULL, FLAG(depend)},
    {"MMD", "generate-nonsystem-dependencies-with-compile", ALONE, NULL,
     FLAG(depend)},
    {"MF", "dependency-output", VALUE, NULL, TEXT(dep_file)},
    {"MP", "generate-dependency-targets", ALONE, NULL, FLAG(phony)},
    {"c", "compile", ALONE, NULL, MODE(MODE_COMPILE)},
    {"dc", "device-c", ALONE, NULL, CALL(device_c)},
    {"dw", "device-w", ALONE, NULL, MODE(MODE_COMPILE)},
    {"dlink", "device-link", ALONE, NULL, MODE(MODE_DLINK)},
    {"link", "link", ALONE, NULL, MODE(MODE_LINK)},
    {"lib", "lib", ALONE, NULL, MODE(MODE_ARCHIVE)},
    {"run", "run", ALONE, NULL, FLAG(run)},
    // files and paths
    {"o", "output-file", VALUE, NULL, TEXT(output)},
    {"include", "pre-include", VALUE, NULL,
     ADD(PAIR_EACH, include, "-include")},
    {"objtemp", "objdir-as-tempdir", ALONE, NULL, IGNORED},
    {"l", "library", GLUED, NULL, ADD(JOIN_EACH, inputs, "-l")},
    {"D", "define-macro", GLUED, NULL, ADD(JOIN_EACH, preprocess, "-D")},
    {"U", "undefine-macro", GLUED, NULL, ADD(JOIN_EACH, preprocess, "-U")},
    {"I", "include-path", GLUED, NULL, ADD(JOIN_EACH, preprocess, "-I")},
    {"isystem", "system-include", VALUE, NULL,
     ADD(PAIR_EACH, preprocess, "-isystem")},
    {"L", "library-path", GLUED, NULL, ADD(JOIN_EACH, link, "-L")},
    {"odir", "output-directory", VALUE, NULL, TEXT(folder)},
    {"ccbin", "compiler-bindir", VALUE, NULL, TEXT(cxx)},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", ALONE, NULL,
     IGNORED},
    {"arbin", "archiver-binary", VALUE, NULL, TEXT(archiver)},
    {"cudart", "cudart", VALUE, "none|shared|static", IGNORED},
    {"cudadevrt", "cudadevrt", VALUE, "none|static", IGNORED},
    {"ldir", "libdevice-directory", VALUE, NULL, IGNORED},
    {"target-dir", "target-directory", VALUE, NULL, IGNORED},
    {"use-local-env", "use-local-env", ALONE, NULL, IGNORED},
    {"force-cl-env-setup", "force-cl-env-setup", ALONE, NULL, IGNORED},
    // compiling and linking
    {"pg", "profile", ALONE, NULL, ADD(PASS, both, "-pg")},
    {"g", "debug", ALONE, NULL, CALL(debug)},
    {"G", "device-debug", ALONE, NULL, FLAG(debug_device)},
    {"lineinfo", "generate-line-info", ALONE, NULL, CALL(lines)},
    {"no-lineinfo-ia", NULL, ALONE, NULL, IGNORED},
    {"opt-info", "optimization-info", VALUE, "inline", IGNORED},
    {"O", "optimize", GLUED, NUMBER, CALL(optimize)},
    {"Ofc", "Ofast-compile", VALUE, "0|max|mid|min", IGNORED},
    {"dopt", "dopt", VALUE, "on", IGNORED},
    {"dlto", "dlink-time-opt", ALONE, NULL, IGNORED},
    {"lto", "lto", ALONE, NULL, IGNORED},
    {"gen-opt-lto", "gen-opt-lto", ALONE, NULL, IGNORED},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", VALUE, NUMBER,
     ADD(JOIN, both, "-ftemplate-backtrace-limit=")},
    {"ftemplate-depth", "ftemplate-depth", VALUE, NUMBER,
     ADD(JOIN, both, "-ftemplate-depth=")},
    {"noeh", "no-exceptions", ALONE, NULL, ADD(PASS, both, "-fno-exceptions")},
    {"nodinline", "no-device-inline", ALONE, NULL, IGNORED},
    {"aggressive-inline", "aggressive-inline", ALONE, NULL, IGNORED},
    {"shared", "shared", ALONE, NULL, ADD(PASS, link, "-shared")},
    {"x", "x", VALUE, "c|c++|cu", TEXT(language)},
    {"std", "std", VALUE, "c++03|c++11|c++14|c++17|c++20", CALL(standard)},
    {"nohdinitlist", "no-host-device-initializer-list", ALONE, NULL, IGNORED},
    {"nohdmoveforward", "no-host-device-move-forward", ALONE, NULL, IGNORED},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", ALONE, NULL,
     ADD(PASS, preprocess, "-D__CUDACC_RELAXED_CONSTEXPR__")},
    {"extended-lambda", "extended-lambda", ALONE, NULL,
     ADD(PASS, preprocess, "-D__CUDACC_EXTENDED_LAMBDA__")},
    {"expt-extended-lambda", "expt-extended-lambda", ALONE, NULL,
     ADD(PASS, preprocess, "-D__CUDACC_EXTENDED_LAMBDA__")},
    {"m", "machine", VALUE, "64", IGNORED},
    {"m64", "m64", ALONE, NULL, IGNORED},
    // for other tools; nvcc doesn't list all of them
    {"Xcompiler", "compiler-options", VALUE, NULL, ADD(WORDS, both, "")},
    {"Xlinker", "linker-options", VALUE, NULL, ADD(WORDS, inputs, "-Xlinker")},
    {"Xarchive", "archive-options", VALUE, NULL, ADD(WORDS, archive, "")},
    {"Xptxas", "ptxas-options", VALUE, NULL, IGNORED},
    {"Xnvlink", "nvlink-options", VALUE, NULL, IGNORED},
    {"Xcudafe", "cudafe-options", VALUE, NULL, IGNORED},
    {"Xfatbin", "fatbin-options", VALUE, NULL, IGNORED},
    {"Xcicc", "cicc-options", VALUE, NULL, IGNORED},
    {"Xnvasm", "nvasm-options", VALUE, NULL, IGNORED},
    {"Xnvdisasm", "nvdisasm-options", VALUE, NULL, IGNORED},
    // the driver itself
    {"static-global-template-stub", "static-global-template-stub", VALUE,
     BOOLEAN, IGNORED},
    {"device-entity-has-hidden-visibility",
     "device-entity-has-hidden-visibility", VALUE, BOOLEAN, IGNORED},
    // these are looked for before any option is read (options.c)
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler",
     ALONE, NULL, IGNORED},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", ALONE,
     NULL, IGNORED},
    {"forward-unknown-opts", "forward-unknown-opts", ALONE, NULL, IGNORED},
    {"noprof", "dont-use-profile", ALONE, NULL, IGNORED},
    {"dryrun", "dryrun", ALONE, NULL, CALL(dry_run)},
    {"v", "verbose", ALONE, NULL, FLAG(verbose)},
    {"t", "threads", GLUED, NUMBER, IGNORED},
    {"split-compile", "split-compile", VALUE, NUMBER, IGNORED},
    {"split-compile-extended", "split-compile-extended", VALUE, NUMBER,
     IGNORED},
    {"fdevice-syntax-only", "fdevice-syntax-only", ALONE, NULL, IGNORED},
    {"fdevice-time-trace", "fdevice-time-trace", VALUE, NULL, IGNORED},
    {"keep", "keep", ALONE, NULL, IGNORED},
    {"keep-dir", "keep-dir", VALUE, NULL, IGNORED},
    {"save-temps", "save-temps", ALONE, NULL, IGNORED},
    {"clean", "clean-targets", ALONE, NULL,
     WHY("deletes the files that nvcc would create. simnvcc leaves none but "
         "its output: delete that")},
    {"time", "time", VALUE, NULL, IGNORED},
    {"run-args", "run-args", VALUE, NULL, ADD(WORDS, run_args, "")},
    {"idp", "input-drive-prefix", VALUE, NULL, IGNORED},
    {"ddp", "dependency-drive-prefix", VALUE, NULL, IGNORED},
    {"dp", "drive-prefix", VALUE, NULL, IGNORED},
    {"MT", "dependency-target-name", VALUE, NULL, ADD(PAIR, targets, "-MT")},
    {NULL, "no-align-double", ALONE, NULL, IGNORED},
    {"nodlink", "no-device-link", ALONE, NULL, IGNORED},
    // code for GPUs
    {"arch", "gpu-architecture", VALUE, NULL, CALL(architectures)},
    {"code", "gpu-code", VALUE, NULL, CALL(architectures)},
    {"gencode", "generate-code", VALUE, NULL, CALL(generate_code)},
    {"rdc", "relocatable-device-code", VALUE, BOOLEAN, CALL(relocatable_is)},
    {"e", "entries", VALUE, NULL, IGNORED},
    {"maxrregcount", "maxrregcount", VALUE, NUMBER, IGNORED},
    {"use_fast_math", "use_fast_math", ALONE, NULL,
     ADD(PASS, preprocess, "-D__FAST_MATH_CUDA__")},
    {"ftz", "ftz", VALUE, BOOLEAN, IGNORED},
    {"prec-div", "prec-div", VALUE, BOOLEAN, IGNORED},
    {"prec-sqrt", "prec-sqrt", VALUE, BOOLEAN, IGNORED},
    {"fmad", "fmad", VALUE, BOOLEAN, IGNORED},
    {"fassociative-math", "fassociative-math", ALONE, NULL, IGNORED},
    {"extra-device-vectorization", "extra-device-vectorization", ALONE, NULL,
     IGNORED},
    {"default-stream", "default-stream", VALUE, "legacy|null|per-thread",
     CALL(default_stream)},
    // the rest
    {"dD", NULL, ALONE, NULL, ADD(PASS, preprocess, "-dD")},
    {"w", "disable-warnings", ALONE, NULL, ADD(PASS, both, "-w")},
    {"keep-device-functions", "keep-device-functions", ALONE, NULL, IGNORED},
    {"src-in-ptx", "source-in-ptx", ALONE, NULL, IGNORED},
    {"restrict", "restrict", ALONE, NULL, IGNORED},
    {"Wreorder", "Wreorder", ALONE, NULL, ADD(PASS, both, "-Wreorder")},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", ALONE, NULL, IGNORED},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", ALONE, NULL, IGNORED},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", ALONE, NULL,
     IGNORED},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", ALONE, NULL,
     ADD(PASS, both, "-Wno-deprecated-declarations")},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", ALONE, NULL,
     IGNORED},
    {"Werror", "Werror", MAYBE,
     "all-warnings|cross-execution-space-call|default-stream-launch|"
     "deprecated-declarations|ext-lambda-captures-this|missing-launch-bounds|"
     "reorder",
     CALL(werror)},
    {"res-usage", "resource-usage", ALONE, NULL, IGNORED},
    {"ewp", "extensible-whole-program", ALONE, NULL, IGNORED},
    {"no-compress", "no-compress", ALONE, NULL, IGNORED},
    {"qpp-config", "qpp-config", IF_ANY, NULL,
     WHY("configures QNX's compiler. simnvcc calls g++ or clang++: use "
         "-ccbin")},
    {"astoolspatch", "compile-as-tools-patch", ALONE, NULL,
     WHY("makes patches for NVIDIA's tools, which need a GPU. Use nvcc")},
    {"code-ls", "list-gpu-code", ALONE, NULL, MODE(MODE_ASK)},
    {"arch-ls", "list-gpu-arch", ALONE, NULL, MODE(MODE_ASK)},
    {"err-no", "display-error-number", ALONE, NULL, IGNORED},
    {"no-err-no", "no-display-error-number", ALONE, NULL, IGNORED},
    {"diag-error", "diag-error", VALUE, NUMBER, IGNORED},
    {"diag-suppress", "diag-suppress", VALUE, NUMBER, IGNORED},
    {"diag-warn", "diag-warn", VALUE, NUMBER, IGNORED},
    {"hls", "host-linker-script", MAYBE, "use-lcs|gen-lcs",
     CALL(linker_script)},
    {"aug-hls", "augment-host-linker-script", ALONE, NULL, IGNORED},
    {"r", "relocatable-link", ALONE, NULL, CALL(relocatable_link)},
    {"brief-diag", "brief-diagnostics", VALUE, BOOLEAN, IGNORED},
    {"jtd", "jump-table-density", VALUE, NUMBER, IGNORED},
    {"reloc-ptx", "relocatable-ptx", ALONE, NULL, IGNORED},
    {"device-stack-protector", "device-stack-protector", VALUE, BOOLEAN,
     IGNORED},
    {"compress-mode", "compress-mode", VALUE, NULL, IGNORED},
    {"frandom-seed", "frandom-seed", VALUE, NULL,
     ADD(JOIN, both, "-frandom-seed=")},
    {"sanitize", "sanitize", VALUE, NULL, IGNORED},
    {"jobserver", "jobserver", ALONE, NULL, IGNORED},
    {"h", "help", ALONE, NULL, MODE(MODE_ASK)},
    {"V", "version", ALONE, NULL, MODE(MODE_ASK)},
    {"optf", "options-file", IF_ANY, NULL, .action = READ_FILE},
    // not nvcc's
    {"MQ", NULL, VALUE, NULL, CALL(quoted_target)},
    {NULL, "no-constructors", ALONE, NULL, FLAG(no_constructors)},
};

/* ---- looking up ---------------------------------------------------------- */

static int is_name(const char *name, const char *text, size_t n)
{
    return name && strlen(name) == n && !strncmp(name, text, n);
}

/* True if the argument names this option, with one dash or two. */
static int matches(const struct option *p, const char *arg, const char **value)
{
    const char *const name = arg + 1 + (arg[1] == '-');
    const size_t n = strcspn(name, "=");
    *value = name[n] ? name + n + 1 : NULL;
    return (is_name(p->brief, name, n) || is_name(p->full, name, n)) &&
           (p->takes != ALONE || !*value);
}

/* A letter with a value glued to it is looked for only after all names. */
const struct option *option_find(const char *arg, const char **value)
{
    const struct option *const end = table + sizeof table / sizeof *table;
    for (const struct option *p = table; p < end; p++)
        if (matches(p, arg, value))
            return p;
    *value = arg + 2;
    for (const struct option *p = table; p < end; p++)
        if (p->takes == GLUED && arg[1] == p->brief[0] && arg[2])
            return p;
    return NULL;
}

int option_dashes_wrong(const struct option *p, const char *arg)
{
    const int two = arg[1] == '-';
    const char *const name = arg + 1 + two;
    const size_t n = strcspn(name, "=");
    if (p->takes == GLUED && !two && p->brief[0] == name[0])
        return 0;
    return !is_name(two ? p->full : p->brief, name, n);
}

static int in_list(const char *list, const char *word, size_t n)
{
    for (;; list++) {
        const size_t m = strcspn(list, "|");
        if (m == n && !strncmp(list, word, n))
            return 1;
        list += m;
        if (!*list)
            return 0;
    }
}

int option_allows(const struct option *p, const char *value)
{
    if (!p->values)
        return 1;
    for (const char *word = value;; word++) {
        const size_t n = strcspn(word, ",");
        if (p->values == NUMBER ? n == 0 || strspn(word, "0123456789") != n
                                : !in_list(p->values, word, n))
            return 0;
        word += n;
        if (!*word)
            return 1;
    }
}
