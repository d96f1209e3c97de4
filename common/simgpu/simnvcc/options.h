/*
 * options.h: nvcc's command line
 *
 * Options are accepted in all of nvcc's spellings: -o x, -o=x, --output-file x,
 * --output-file=x; option.h has the table. Options that only matter to a GPU's
 * compiler are read and ignored. nvcc stops at an option that it doesn't know,
 * unless it is told to forward it; simnvcc warns, and passes it to the host
 * compiler.
 */
#ifndef SIMNVCC_OPTIONS_H
#define SIMNVCC_OPTIONS_H

#include "args.h"

enum mode {
    MODE_LINK,
    MODE_COMPILE,
    MODE_PREPROCESS, /* -E */
    MODE_DEPENDENCIES,
    MODE_CUDA,    /* prints the rewritten C++ */
    MODE_DLINK,   /* creates an object without contents */
    MODE_ARCHIVE, /* -lib */
    MODE_IMAGE,   /* a shared library that a program loads at run time */
    MODE_ASK      /* --version, --help */
};

/* where options go that nvcc doesn't know; bits */
enum { FORWARD_COMPILER = 1, FORWARD_LINKER = 2 };

struct options {
    enum mode mode;
    const char *mode_option; /* the option that set the mode */
    const char *cxx, *archiver, *output, *folder, *dep_file, *language, *std;
    int depend, phony, debug, debug_device, optimised, no_constructors, verbose,
        dry_run, run;
    int relocatable;
    int partial; /* -r: link objects to an object */
    int forward;
    struct nvcc_args inputs;     /* sources, objects and libraries, in order */
    struct nvcc_args both;       /* for preprocessing, compiling and linking */
    struct nvcc_args preprocess; /* -D -I */
    struct nvcc_args targets; /* -MT -MQ: targets of the rule that -MD writes */
    struct nvcc_args include; /* -include, after cuda_runtime.h */
    struct nvcc_args link;
    struct nvcc_args archive;
    struct nvcc_args run_args; /* for the program that -run starts */
};

/* Read the program's arguments. Ends the program with a
 * message if they are wrong. */
void options_read(struct options *o, int argc, char **argv);

/* Warn that nvcc doesn't take an option, and what to write instead. */
void options_warn(const struct options *o, const char *as, const char *instead);

#endif
