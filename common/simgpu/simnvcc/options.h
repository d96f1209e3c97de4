/*
 * options.h: nvcc's command line
 *
 * Options are accepted in all of nvcc's spellings: -o x, -o=x, --output-file x,
 * --output-file=x. What only a GPU's compiler needs is read and ignored.
 * Anything unknown goes to the host compiler.
 */
#ifndef SIMNVCC_OPTIONS_H
#define SIMNVCC_OPTIONS_H

enum { MAX_ARGS = 4096, EXIT_USAGE = 2 };

struct args { /* of a command line being put together */
    const char *v[MAX_ARGS];
    int n;
};

void args_add(struct args *a, const char *arg);
void args_add2(struct args *a, const char *arg, const char *value);
void args_append(struct args *a, const struct args *more);

enum mode {
    MODE_LINK,
    MODE_COMPILE,
    MODE_PREPROCESS, /* -E */
    MODE_DEPENDENCIES,
    MODE_CUDA,    /* the rewritten C++ */
    MODE_DLINK,   /* an object without contents */
    MODE_ARCHIVE, /* -lib */
    MODE_IMAGE,   /* what a program loads while it runs: a shared library */
    MODE_DEVICE,  /* intermediate code, which does not exist here */
    MODE_ASK      /* --version, --help */
};

struct options {
    enum mode mode;
    const char *mode_option; /* as given */
    const char *cxx, *output, *folder, *dep_file, *language, *std;
    int depend, phony, debug, debug_device, optimised, no_constructors, verbose,
        dry_run, run;
    int relocatable;
    struct args inputs;     /* sources, objects and libraries, in order */
    struct args both;       /* for preprocessing, compiling and linking */
    struct args preprocess; /* -D -I */
    struct args targets;    /* -MT -MQ: of the rule that -MD writes */
    struct args include;    /* -include, behind cuda_runtime.h */
    struct args link;
};

/* Read the arguments of the program. Ends it with a message if they are
 * wrong. */
void options_read(struct options *o, int argc, char **argv);

#endif
