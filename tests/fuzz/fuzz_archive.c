/* Fuzzes what takes files out of archives. */
#include <stdint.h>
#include <stdlib.h>

#include "grader/intake/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    struct unpack_file file[] = {{.name = "a.c"}, {.name = "b.c"}};
    char why[128];
    unpack_files(data, nbytes, file, 2, 1 << 16, why, sizeof why);
    for (int i = 0; i < 2; i++) {
        if (file[i].state == UNPACK_FILE && file[i].nbytes > 1 << 16)
            abort();
        free(file[i].data);
    }
    return 0;
}
