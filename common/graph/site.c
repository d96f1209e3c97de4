#define _GNU_SOURCE
#include "graph/site.h"

#include <dlfcn.h>            /* dladdr */
#include <dwarf.h>            /* DW_TAG_inlined_subroutine */
#include <elfutils/libdw.h>   /* dwarf_getscopes */
#include <elfutils/libdwfl.h> /* dwfl_module_getsrc */
#include <pthread.h>          /* pthread_mutex_t */
#include <stdint.h>           /* uintptr_t */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* free */
#include <string.h>           /* strrchr */
#include <unistd.h>           /* getpid */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

/* libdw isn't thread-safe; a session is opened for each question. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Where the function inlined at address was called, if it was: the C++
 * conveniences of cuda_runtime.h are, and their callers are what matters.
 */
static int find_caller(Dwfl_Module *module, uintptr_t address, char *out,
                       size_t nbytes)
{
    Dwarf_Addr bias;
    Dwarf_Die *const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die *scopes = NULL, cu;
    Dwarf_Attribute attr;
    Dwarf_Word line, file;
    Dwarf_Files *files;
    size_t nfiles;
    const int n = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    int found = 0;
    for (int i = 0; i < n && !found; i++) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attr),
                            &line) != 0 ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attr),
                            &file) != 0 ||
            !dwarf_diecu(&scopes[i], &cu, NULL, NULL) ||
            dwarf_getsrcfiles(&cu, &files, &nfiles) != 0 || file >= nfiles)
            continue;
        const char *const name = dwarf_filesrc(files, file, NULL, NULL);
        const char *const slash = strrchr(name, '/');
        snprintf(out, nbytes, "%s:%d", slash ? slash + 1 : name, (int)line);
        found = 1;
    }
    free(scopes);
    return found;
}

static int find_line(int pid, uintptr_t address, char *out, size_t nbytes)
{
    int found = 0;
    Dwfl *const dwfl = dwfl_begin(&callbacks);
    if (!dwfl)
        return 0;
    if (dwfl_linux_proc_report(dwfl, pid) == 0 &&
        dwfl_report_end(dwfl, NULL, NULL) == 0) {
        Dwfl_Line *const line = dwfl_getsrc(dwfl, address);
        int number = 0;
        const char *const file =
            line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
        if (file) {
            const char *const slash = strrchr(file, '/');
            const char *const name = slash ? slash + 1 : file;
            found = strcmp(name, "cuda_runtime.h") == 0 &&
                    find_caller(dwfl_addrmodule(dwfl, address), address, out,
                                nbytes);
            if (!found)
                snprintf(out, nbytes, "%s:%d", name, number);
            found = 1;
        }
    }
    dwfl_end(dwfl);
    return found;
}

const char *site_text(int pid, const void *address, char *out, size_t nbytes)
{
    if (!address) {
        snprintf(out, nbytes, "?");
        return out;
    }
    const uintptr_t call = (uintptr_t)address - 1; // inside the call itself
    pthread_mutex_lock(&lock);
    const int found = find_line(pid, call, out, nbytes);
    pthread_mutex_unlock(&lock);
    Dl_info info;
    if (!found && pid == getpid() && dladdr((void *)call, &info) &&
        info.dli_fname) {
        const char *const slash = strrchr(info.dli_fname, '/');
        snprintf(out, nbytes, "%s+0x%zx", slash ? slash + 1 : info.dli_fname,
                 (size_t)(call - (uintptr_t)info.dli_fbase));
    } else if (!found) {
        snprintf(out, nbytes, "0x%zx", (size_t)call);
    }
    return out;
}
