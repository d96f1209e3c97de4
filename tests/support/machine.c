#include "machine.h"

#include <check.h> /* ck_assert_msg */

const char *const machine_names[MACHINES] = {"2x-dgx-h100", "a100-cubemesh",
                                             "dgx-1v",      "dgx-a100",
                                             "dgx-h100",    "pcie-4090"};

struct topo *machine_load(const char *name)
{
    char err[600] = "";
    struct topo *const t = topo_load(name, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    return t;
}
