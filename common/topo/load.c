/*
 * load.c: finding and loading machines
 */
#define _GNU_SOURCE
#include "topo/topo.h"

#include <dirent.h> /* scandir */
#include <dlfcn.h>  /* dladdr */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strrchr */
#include <unistd.h> /* access */

#include "base/near.h"
#include "topo/machine.h"
#include "topo/nccl/choice.h"
#include "topo/nccl/shape.h"
#include "topo/nccl/traffic.h"
#include "topo/nccl/tuning.h"
#include "topo/variant.h"
#include "topo/xml/xml.h"

enum { MAX_PATH = 4096, MAX_MACHINE = 8192 };

/*
 * The folder of shipped machines: SIMGPU_TOPO_DIR, else the one in the prefix,
 * relative to the file that this code was loaded from: PREFIX/lib/libcudart.so,
 * build/commgraph next to the prefix build/simgpu, or
 * build/tests/topo/test_load two folders below that. Returns 0, or -1 if there
 * is none.
 */
static int shipped_dir(char *dir, size_t nbytes)
{
    static const char *const from_here[] = {
        "/../share/topo", "/simgpu/share/topo", "/../simgpu/share/topo",
        "/../../simgpu/share/topo"};
    const char *const env = getenv("SIMGPU_TOPO_DIR");
    Dl_info info;
    char self[MAX_PATH] = "/proc/self/exe";
    if (env && *env) {
        snprintf(dir, nbytes, "%s", env);
        return 0;
    }
    if (dladdr((void *)topo_load, &info) && info.dli_fname &&
        strchr(info.dli_fname, '/'))
        snprintf(self, sizeof self, "%s", info.dli_fname);
    char *const real = realpath(self, NULL);
    if (!real)
        return -1;
    *strrchr(real, '/') = 0;
    int found = -1;
    for (size_t i = 0; found && i < sizeof from_here / sizeof *from_here; i++) {
        snprintf(dir, nbytes, "%s%s", real, from_here[i]);
        found = access(dir, R_OK);
    }
    free(real);
    return found;
}

static int is_xml(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".xml") == 0;
}

/* Write the names of a folder's XML files to out. */
static void list_xml(const char *dir, char *out, size_t nbytes)
{
    struct dirent **entry = NULL;
    size_t at = 0;
    snprintf(out, nbytes, "none");
    const int n = scandir(dir, &entry, is_xml, alphasort);
    for (int i = 0; i < n; i++) {
        const int length = (int)strlen(entry[i]->d_name) - 4;
        if (at < nbytes)
            at += (size_t)snprintf(out + at, nbytes - at, "%s%.*s",
                                   i ? ", " : "", length, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
}

void topo_list(char *out, size_t nbytes)
{
    char dir[MAX_PATH + 64];
    if (shipped_dir(dir, sizeof dir) == 0)
        list_xml(dir, out, nbytes);
    else
        snprintf(out, nbytes, "none");
}

/* ": did you mean dgx-h100? The", if a shipped machine has a name of at most
 * two other letters; else "; the". */
static void suggest(const char *name, char *list, char *out, size_t nbytes)
{
    struct near near = {NULL, 0};
    for (char *rest, *have = strtok_r(list, ", ", &rest); have;
         have = strtok_r(NULL, ", ", &rest))
        near_try(&near, name, have, 2);
    if (near.name)
        snprintf(out, nbytes, ": did you mean %s? The", near.name);
    else
        snprintf(out, nbytes, "; the");
}

static int find_file(const char *name, char *path, size_t nbytes, char *err,
                     size_t err_nbytes)
{
    const size_t length = strlen(name);
    char dir[MAX_PATH + 64], list[512], near[512];
    if (strchr(name, '/') ||
        (length > 4 && strcmp(name + length - 4, ".xml") == 0)) {
        snprintf(path, nbytes, "%s", name);
        return 0;
    }
    if (shipped_dir(dir, sizeof dir) == 0) {
        snprintf(path, nbytes, "%s/%.200s.xml", dir, name);
        if (access(path, R_OK) == 0)
            return 0;
    }
    topo_list(list, sizeof list);
    suggest(name, list, near, sizeof near);
    topo_list(list, sizeof list);
    snprintf(err, err_nbytes,
             "there is no machine \"%.200s\"%s shipped ones are: %s. For a "
             "file of your own, give a path, or a name that ends in .xml",
             name, near, list);
    return -1;
}

static int apply(struct topo *t, const struct topo_setting *settings, int n,
                 char *err, size_t err_nbytes)
{
    for (int i = 0; i < n; i++)
        if (calibration_read(&t->cal, settings[i].element, settings[i].atts,
                             err, err_nbytes) != 0)
            return -1;
    return 0;
}

/* Read the profile of a network: shipped as net/NAME.xml, or a file
 * NAME.xml. */
static int read_network(struct topo *t, const char *name, char *err,
                        size_t err_nbytes)
{
    const size_t length = strlen(name);
    char dir[MAX_PATH + 64] = "", path[MAX_PATH + 300];
    for (int op = 0; op < 2; op++) // they were measured on another network
        t->cal.curve[op][1] = (struct calibration_curve){0};
    if (length > 4 && strcmp(name + length - 4, ".xml") == 0)
        return xml_read_network(t, name, err, err_nbytes);
    if (shipped_dir(dir, sizeof dir) == 0) {
        snprintf(path, sizeof path, "%s/net/%s.xml", dir, name);
        if (access(path, R_OK) == 0)
            return xml_read_network(t, path, err, err_nbytes);
    }
    char list[512];
    snprintf(path, sizeof path, "%s/net", dir);
    list_xml(path, list, sizeof list);
    snprintf(err, err_nbytes,
             "there is no network \"%.200s\"; the shipped ones are: %s. For a "
             "file of your own, give a name that ends in .xml",
             name, list);
    return -1;
}

static struct topo *load(const char *path, const struct variant *v,
                         const struct topo_setting *settings, int n, char *err,
                         size_t err_nbytes)
{
    struct topo *const t = calloc(1, sizeof *t);
    if (!t) {
        snprintf(err, err_nbytes, "%s: no memory", path);
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    variant_name(v, t->name, sizeof t->name);
    calibration_init(&t->cal);
    if (xml_read(t, path, err, err_nbytes) != 0 ||
        (*v->net && read_network(t, v->net, err, err_nbytes) != 0) ||
        apply(t, settings, n, err, err_nbytes) != 0 ||
        variant_connect(v, t, err, err_nbytes) != 0) {
        topo_free(t);
        return NULL;
    }
    if (v->nodes)
        t->nnodes = v->nodes;
    variant_shuffle(v, t);
    if (t->nnodes > MACHINE_NODES || t->nnodes * t->ngpus > MAX_MACHINE)
        snprintf(err, err_nbytes,
                 "%s: %d nodes of %d GPUs: at most %d nodes and %d GPUs", path,
                 t->nnodes, t->ngpus, MACHINE_NODES, MAX_MACHINE);
    else if (machine_build(t) == 0) {
        variant_sicken(v, t);
        tuning_floor(t);
        return t;
    } else
        snprintf(err, err_nbytes, "%s: no memory", path);
    topo_free(t);
    return NULL;
}

struct topo *topo_load_with(const char *name_or_file,
                            const struct topo_setting *settings, int n,
                            char *err, size_t err_nbytes)
{
    char path[2 * MAX_PATH];
    struct variant v;
    if (variant_parse(name_or_file, &v, err, err_nbytes) != 0 ||
        find_file(v.name, path, sizeof path, err, err_nbytes) != 0)
        return NULL;
    return load(path, &v, settings, n, err, err_nbytes);
}

struct topo *topo_load(const char *name_or_file, char *err, size_t err_nbytes)
{
    return topo_load_with(name_or_file, NULL, 0, err, err_nbytes);
}

void topo_free(struct topo *t)
{
    if (!t)
        return;
    while (t->shapes) {
        struct shape *const next = t->shapes->next;
        traffic_drop(t->shapes);
        choice_drop(t->shapes);
        shape_free(t->shapes);
        t->shapes = next;
    }
    pthread_mutex_destroy(&t->lock);
    free(t->resource);
    free(t->gpus);
    free(t);
}
