/*
 * module.c: kernels that a program loads at run time
 *
 * A module's image is the output of nvcc -ptx, -cubin or -fatbin for a .cu
 * file. With each of these options, simnvcc writes a shared library under the
 * file name that the program expects. As in CUDA, the module's kernels and
 * variables are found by their mangled names. An image that nvcc made contains
 * nothing that could run here, and is refused with a message.
 */
#define _GNU_SOURCE
#include <ar.h>       /* ARMAG */
#include <dlfcn.h>    /* dlopen */
#include <elf.h>      /* Elf64_Ehdr */
#include <fcntl.h>    /* open */
#include <link.h>     /* struct link_map */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* memcmp */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* write */

#include "core/report.h"
#include "driver/call.h"

struct CUmod_st {
    void *library;
};

/* ---- images -------------------------------------------------------------- */

enum { EM_OF_GPUS = 190 }; /* cubins are ELF files, too */

/* An image's size, from its header; 0 if it is not a shared library. */
static size_t image_nbytes(const void *image)
{
    Elf64_Ehdr h;
    if (memcmp(image, ELFMAG, SELFMAG) != 0)
        return 0;
    memcpy(&h, image, sizeof h);
    return h.e_type == ET_DYN && h.e_machine != EM_OF_GPUS
               ? h.e_shoff + (size_t)h.e_shnum * h.e_shentsize
               : 0;
}

static int is_elf(const void *image)
{
    return memcmp(image, ELFMAG, SELFMAG) == 0;
}

static int is_cubin(const void *image)
{
    Elf64_Ehdr h;
    if (!is_elf(image))
        return 0;
    memcpy(&h, image, sizeof h);
    return h.e_machine == EM_OF_GPUS;
}

static int is_fatbin(const void *image)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    return memcmp(image, fatbin, sizeof fatbin) == 0;
}

/* True if the text starts with a directive that PTX starts with. */
static int is_ptx(const char *image)
{
    const size_t n = strnlen(image, 4096);
    return memmem(image, n, ".version", 8) && memmem(image, n, ".target", 7);
}

/* What an image that cannot be loaded is, for the message. */
static const char *kind_of(const void *image)
{
    return is_cubin(image)    ? "a cubin, which is"
           : is_fatbin(image) ? "a fatbin of nvcc's, which is"
                              : "not a library of simnvcc's; if it is PTX, "
                                "that is";
}

/* The error for an image that cannot be loaded: as in CUDA, an image for other
 * GPUs has no code for this one, and anything else is not an image. */
static CUresult error_of(const void *image)
{
    const unsigned char *const version = (const unsigned char *)image + 4;
    if (is_elf(image))
        return is_cubin(image) ? CUDA_ERROR_NO_BINARY_FOR_GPU
                               : CUDA_ERROR_INVALID_IMAGE;
    if (is_fatbin(image))
        return *version == 1 ? CUDA_ERROR_NO_BINARY_FOR_GPU
                             : CUDA_ERROR_INVALID_IMAGE;
    return is_ptx(image) ? CUDA_ERROR_NO_BINARY_FOR_GPU
                         : CUDA_ERROR_INVALID_PTX;
}

static CUresult refuse(const void *image, const char *call, uint32_t site)
{
    simgpu_report_warning(
        site,
        "%s: the image is %s for GPUs only. Make it with simnvcc, by the same "
        "option (-ptx, -cubin or -fatbin), or run the program on a GPU.",
        call, kind_of(image));
    return error_of(image);
}

/* Load an image from a copy of its own. The library stays loaded even when the
 * module is unloaded, because the runtime keeps its kernels' addresses. */
static void *load(const void *image, size_t nbytes)
{
    char path[64];
    const int fd = memfd_create("simgpu-module", MFD_CLOEXEC);
    void *library = NULL;
    if (fd >= 0 && write(fd, image, nbytes) == (ssize_t)nbytes) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    // while the descriptor is open, no other library gets the same path
    if (fd >= 0 && !library)
        close(fd);
    return library;
}

static CUresult load_image(CUmodule *module, const void *image,
                           const char *call, uint32_t site)
{
    const CUresult err = context_current();
    if (err != CUDA_SUCCESS || !module || !image)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    const size_t nbytes = image_nbytes(image);
    if (nbytes == 0)
        return refuse(image, call, site);
    struct CUmod_st *const m = malloc(sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->library = load(image, nbytes);
    if (!m->library) {
        simgpu_report_warning(site, "%s: cannot load the image: %s", call,
                              dlerror());
        free(m);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *module = m;
    return CUDA_SUCCESS;
}

/* The contents of a file with a 0 appended, or NULL. */
static char *read_file(const char *name, size_t *nbytes)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    const off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    char *const text = end < 0 ? NULL : calloc(1, (size_t)end + sizeof(void *));
    const int ok = text && pread(fd, text, (size_t)end, 0) == end;
    if (fd >= 0)
        close(fd);
    if (!ok) {
        free(text);
        return NULL;
    }
    *nbytes = (size_t)end;
    return text;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    const uint32_t site = CALLER_SITE();
    size_t nbytes;
    if (!module || !fname)
        return CUDA_ERROR_INVALID_VALUE;
    char *const image = read_file(fname, &nbytes);
    const CUresult err = image ? load_image(module, image, "cuModuleLoad", site)
                               : CUDA_ERROR_FILE_NOT_FOUND;
    free(image);
    return err;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return load_image(module, image, "cuModuleLoadData", CALLER_SITE());
}

/* The options are for a GPU's compiler and its log, so they are ignored. */
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned int numOptions, CUjit_option *options,
                            void **optionValues)
{
    if (numOptions && (!options || !optionValues))
        return CUDA_ERROR_INVALID_VALUE;
    return load_image(module, image, "cuModuleLoadDataEx", CALLER_SITE());
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return load_image(module, fatCubin, "cuModuleLoadFatBinary", CALLER_SITE());
}

CUresult cuModuleUnload(CUmodule hmod)
{
    if (!hmod)
        return CUDA_ERROR_INVALID_HANDLE;
    free(hmod);
    return CUDA_SUCCESS;
}

/* ---- a module's kernels and variables ------------------------------------ */

/* Look up a name that the module itself defines, and its entry in the symbol
 * table. Returns NULL if the module doesn't define it. */
static void *find(CUmodule hmod, const char *name, const ElfW(Sym) * *symbol)
{
    Dl_info in;
    struct link_map *self;
    void *const at = dlsym(hmod->library, name);
    return at && dladdr1(at, &in, (void **)symbol, RTLD_DL_SYMENT) &&
                   dlinfo(hmod->library, RTLD_DI_LINKMAP, &self) == 0 &&
                   in.dli_fbase == (void *)self->l_addr && *symbol
               ? at
               : NULL;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    const ElfW(Sym) * symbol;
    cudaError_t err = cudaErrorInvalidDeviceFunction;
    if (!hmod)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!hfunc || !name)
        return CUDA_ERROR_INVALID_VALUE;
    void *const at = find(hmod, name, &symbol);
    if (at)
        DRIVER_ASK(err, cudaGetFuncBySymbol(hfunc, at));
    return err == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
                           const char *name)
{
    const ElfW(Sym) * symbol;
    void *address = NULL;
    size_t nbytes;
    cudaError_t err = cudaErrorInvalidSymbol;
    if (!hmod)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!name || (!dptr && !bytes))
        return CUDA_ERROR_INVALID_VALUE;
    void *const at = find(hmod, name, &symbol);
    if (at)
        DRIVER_ASK(err, cudaGetSymbolAddress(&address, at));
    if (err != cudaSuccess)
        return CUDA_ERROR_NOT_FOUND;
    if (dptr)
        *dptr = (uintptr_t)address;
    DRIVER_ASK(err, cudaGetSymbolSize(&nbytes, at));
    if (bytes)
        *bytes = err == cudaSuccess ? nbytes : symbol->st_size;
    return CUDA_SUCCESS;
}

/* ---- linking one image, which is also the result ------------------------- */

struct CUlinkState_st {
    char *image;
    size_t nbytes;
};

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options,
                      void **optionValues, CUlinkState *stateOut)
{
    const CUresult err = context_current();
    if (err != CUDA_SUCCESS || !stateOut ||
        (numOptions && (!options || !optionValues)))
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    *stateOut = calloc(1, sizeof **stateOut);
    return *stateOut ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Add an image and take it over. Libraries are accepted if they are archives:
 * CUDA's own contain device code that isn't needed here. */
static CUresult add(CUlinkState state, CUjitInputType type, char *image,
                    size_t nbytes, const char *call, uint32_t site)
{
    CUresult err = CUDA_SUCCESS;
    const int is_library = type == CU_JIT_INPUT_LIBRARY;
    if (!image)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (is_library) {
        if (nbytes < SARMAG || memcmp(image, ARMAG, SARMAG) != 0)
            err = CUDA_ERROR_INVALID_IMAGE;
    } else if (image_nbytes(image) == 0) {
        err = refuse(image, call, site);
    } else if (state->image) {
        simgpu_report_warning(site,
                              "%s: simgpu links one image; compile the sources "
                              "together, with simnvcc -cubin",
                              call);
        err = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (err != CUDA_SUCCESS || is_library) {
        free(image);
        return err;
    }
    state->image = image;
    state->nbytes = nbytes;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data,
                       size_t size, const char *name, unsigned int numOptions,
                       CUjit_option *options, void **optionValues)
{
    (void)name, (void)numOptions, (void)options, (void)optionValues;
    if (!state || !data)
        return state ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    char *const copy = calloc(1, size + sizeof(void *));
    if (copy)
        memcpy(copy, data, size);
    return add(state, type, copy, size, "cuLinkAddData", CALLER_SITE());
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int numOptions, CUjit_option *options,
                       void **optionValues)
{
    size_t nbytes;
    (void)numOptions, (void)options, (void)optionValues;
    if (!state || !path)
        return state ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    char *const image = read_file(path, &nbytes);
    return image
               ? add(state, type, image, nbytes, "cuLinkAddFile", CALLER_SITE())
               : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    if (!state || !cubinOut)
        return state ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    if (!state->image)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *cubinOut = state->image;
    if (sizeOut)
        *sizeOut = state->nbytes;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (!state)
        return CUDA_ERROR_INVALID_HANDLE;
    free(state->image);
    free(state);
    return CUDA_SUCCESS;
}
