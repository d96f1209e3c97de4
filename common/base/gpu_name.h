/*
 * gpu_name.h: names of a GPU in texts: its UUID and its PCI address
 *
 * Header-only, since several shared libraries use it.
 */
#ifndef COMMLAB_BASE_GPU_NAME_H
#define COMMLAB_BASE_GPU_NAME_H

#include <stdio.h> /* snprintf */

enum { GPU_NAME_UUID = 16, GPU_NAME_UUID_TEXT = 41 };

/* "GPU-01234567-89ab-cdef-0123-456789abcdef", as nvidia-smi -L prints it. */
static inline void gpu_name_uuid(const unsigned char uuid[GPU_NAME_UUID],
                                 char text[GPU_NAME_UUID_TEXT])
{
    size_t at = (size_t)snprintf(text, GPU_NAME_UUID_TEXT, "GPU-");
    for (int i = 0; i < GPU_NAME_UUID; i++)
        at += (size_t)snprintf(text + at, GPU_NAME_UUID_TEXT - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                               uuid[i]);
}

struct gpu_name_pci {
    unsigned domain, bus, device;
};

/*
 * Read "0000:1b:00.0" in any form that CUDA accepts: without the function, or
 * without the domain, which is 0 then. Returns 0 if the text has another form.
 */
static inline int gpu_name_pci(const char *text, struct gpu_name_pci *out)
{
    unsigned function;
    char dot;
    const int n = sscanf(text, "%x:%x:%x%c%x", &out->domain, &out->bus,
                         &out->device, &dot, &function);
    if (n >= 3)
        return n == 3 || (n == 5 && dot == '.');
    out->domain = 0;
    const int m =
        sscanf(text, "%x:%x%c%x", &out->bus, &out->device, &dot, &function);
    return m == 2 || (m == 4 && dot == '.');
}

/* True if the text is this address. */
static inline int gpu_name_is_pci(const char *text, struct gpu_name_pci own)
{
    struct gpu_name_pci pci;
    return gpu_name_pci(text, &pci) && pci.domain == own.domain &&
           pci.bus == own.bus && pci.device == own.device;
}

#endif
