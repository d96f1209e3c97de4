/*
 * probe.c: build/probe, which lists the GPUs that programs of this build find
 *
 *     build/probe            a table
 *     build/probe --json     the same as JSON
 *     build/probe --short    one line for scripts: number of GPUs, name of the
 *                            first, driver, CUDA runtime, NCCL
 *
 * It is linked like a lab, so it sees what labs see: the devices, which of them
 * can access each other's memory, and versions. On a machine without a device
 * the list is empty, and "error" is CUDA's error text.
 *
 *     {"backend": "cuda", "devices": [{"name": ..., "sm": "9.0", ...}],
 *      "p2p": [[1, 1], [1, 1]], "driver": "13.0", "runtime": "13.0",
 *      "nccl": "2.32.3", "mpi": "MPICH Version: ...", "error": null}
 *
 * Exit status: 0; 1 if the output could not be written; 2 for bad usage.
 */
#define _GNU_SOURCE
#include <ctype.h> /* isalnum */
#include <cuda_runtime_api.h>
#include <dlfcn.h> /* dlsym */
#include <jansson.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <string.h> /* strcmp */

enum { MAX_DEVICES = 64 };

struct probe {
    int ndevices;
    struct cudaDeviceProp device[MAX_DEVICES];
    int reaches[MAX_DEVICES][MAX_DEVICES]; /* [i][k]: i can access k's memory */
    char driver[32], runtime[32], nccl[32];
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING]; /* first line of MPI's version */
    const char *backend;                      /* "sim" or "cuda" */
    const char *error; /* why there is no device, or NULL */
};

/* ---- queries ----------------------------------------------------------- */

/* "sim" if the runtime has a symbol that only simgpu's libraries define. */
static const char *find_backend(void)
{
    return dlsym(RTLD_DEFAULT, "simgpu_register_kernel") ? "sim" : "cuda";
}

/* 13000 as "13.0"; 0, the version without a driver, as "none". */
static void cuda_version(char *out, size_t nbytes, int version)
{
    if (version > 0)
        snprintf(out, nbytes, "%d.%d", version / 1000, version % 1000 / 10);
    else
        snprintf(out, nbytes, "none");
}

static void find_versions(struct probe *p)
{
    int driver = 0, runtime = 0, nccl = 0, length;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    ncclGetVersion(&nccl);
    cuda_version(p->driver, sizeof p->driver, driver);
    cuda_version(p->runtime, sizeof p->runtime, runtime);
    snprintf(p->nccl, sizeof p->nccl, "%d.%d.%d", nccl / 10000,
             nccl % 10000 / 100, nccl % 100);
    if (MPI_Get_library_version(p->mpi, &length) != MPI_SUCCESS)
        p->mpi[0] = 0;
    p->mpi[strcspn(p->mpi, "\n")] = 0;
    for (char *tab; (tab = strchr(p->mpi, '\t')) != NULL;)
        *tab = ' ';
}

static void find_devices(struct probe *p)
{
    int n = 0;
    cudaError_t err = cudaGetDeviceCount(&n);
    if (n > MAX_DEVICES)
        n = MAX_DEVICES;
    for (int i = 0; err == cudaSuccess && i < n; i++)
        err = cudaGetDeviceProperties(&p->device[i], i);
    for (int i = 0; err == cudaSuccess && i < n; i++)
        for (int k = 0; k < n; k++) {
            p->reaches[i][k] = i == k;
            if (i != k)
                cudaDeviceCanAccessPeer(&p->reaches[i][k], i, k);
        }
    p->ndevices = err == cudaSuccess ? n : 0;
    if (err != cudaSuccess || n == 0)
        p->error = cudaGetErrorString(err ? err : cudaErrorNoDevice);
}

/* An attribute of a device; -1 if the runtime doesn't know it. */
static int attribute(int device, enum cudaDeviceAttr attr)
{
    int value = -1;
    return cudaDeviceGetAttribute(&value, attr, device) == cudaSuccess ? value
                                                                       : -1;
}

/* ---- JSON -------------------------------------------------------------- */

static json_t *device_json(const struct probe *p, int i)
{
    const struct cudaDeviceProp *const d = &p->device[i];
    char sm[16], bus[32] = "";
    snprintf(sm, sizeof sm, "%d.%d", d->major, d->minor);
    cudaDeviceGetPCIBusId(bus, sizeof bus, i);
    return json_pack(
        "{s:s, s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s}", "name",
        d->name, "sm", sm, "memory_MiB", (json_int_t)(d->totalGlobalMem >> 20),
        "multiprocessors", d->multiProcessorCount, "clock_kHz",
        attribute(i, cudaDevAttrClockRate), "memory_clock_kHz",
        attribute(i, cudaDevAttrMemoryClockRate), "memory_bus_bits",
        d->memoryBusWidth, "l2_KiB", d->l2CacheSize >> 10, "copy_engines",
        d->asyncEngineCount, "ecc", attribute(i, cudaDevAttrEccEnabled),
        "compute_mode", attribute(i, cudaDevAttrComputeMode), "bus_id", bus);
}

static int print_json(const struct probe *p)
{
    json_t *const devices = json_array(), *const p2p = json_array();
    for (int i = 0; i < p->ndevices; i++) {
        json_t *const row = json_array();
        for (int k = 0; k < p->ndevices; k++)
            json_array_append_new(row, json_integer(p->reaches[i][k]));
        json_array_append_new(devices, device_json(p, i));
        json_array_append_new(p2p, row);
    }
    json_t *const j = json_pack(
        "{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:s?}", "backend", p->backend,
        "devices", devices, "p2p", p2p, "driver", p->driver, "runtime",
        p->runtime, "nccl", p->nccl, "mpi", p->mpi, "error", p->error);
    const int status = j ? json_dumpf(j, stdout, JSON_INDENT(1)) : -1;
    putchar('\n');
    json_decref(j);
    return status == 0 ? 0 : 1;
}

/* ---- text -------------------------------------------------------------- */

static void print_table(const struct probe *p)
{
    printf("backend  %s\ndriver   %s\nruntime  %s\nNCCL     %s\nMPI      %s\n",
           p->backend, p->driver, p->runtime, p->nccl, p->mpi);
    if (p->error) {
        printf("devices  none: %s\n", p->error);
        return;
    }
    printf("\nGPU  %-32s %5s %11s %4s %9s %4s  reaches\n", "name", "sm",
           "memory", "SMs", "clock", "ECC");
    for (int i = 0; i < p->ndevices; i++) {
        const struct cudaDeviceProp *const d = &p->device[i];
        printf("%3d  %-32.32s %3d.%d %7zu MiB %4d %5d MHz %4s ", i, d->name,
               d->major, d->minor, d->totalGlobalMem >> 20,
               d->multiProcessorCount,
               attribute(i, cudaDevAttrClockRate) / 1000,
               attribute(i, cudaDevAttrEccEnabled) > 0 ? "on" : "off");
        for (int k = 0; k < p->ndevices; k++)
            if (k != i && p->reaches[i][k])
                printf(" %d", k);
        putchar('\n');
    }
}

/* Print one line. The GPU's name is one word that suits a file name:
 * "nvidia-h100-80gb". */
static void print_short(const struct probe *p)
{
    const char *c = p->ndevices ? p->device[0].name : "none";
    printf("%d ", p->ndevices);
    for (; *c; c++)
        putchar(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : '-');
    printf(" %s %s %s\n", p->driver, p->runtime, p->nccl);
}

int main(int argc, char **argv)
{
    static struct probe p;
    const char *const how = argc > 1 ? argv[1] : "";
    if (argc > 2 || (*how && strcmp(how, "--json") && strcmp(how, "--short"))) {
        fprintf(stderr, "usage: probe [--json | --short]\n");
        return 2;
    }
    p.backend = find_backend();
    find_versions(&p);
    find_devices(&p);
    if (strcmp(how, "--json") == 0)
        return print_json(&p);
    if (strcmp(how, "--short") == 0)
        print_short(&p);
    else
        print_table(&p);
    return ferror(stdout) ? 1 : 0;
}
