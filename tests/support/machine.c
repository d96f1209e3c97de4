#include "machine.h"

#include <check.h> /* ck_assert_msg */

const struct machine machines_shipped[] = {
    {"2x-dgx-h100", 8},    {"8x-a800-pcie", 8}, {"8x-l40s", 8},
    {"a100-cubemesh", 16}, {"dgx-1v", 16},      {"dgx-a100", 8},
    {"dgx-b200", 8},       {"dgx-h100", 8},     {"dgx-h200", 8},
    {"h100-nvl", 4},       {"hgx-b300", 8},     {"pcie-4090", 8}};
const int nmachines_shipped =
    sizeof machines_shipped / sizeof *machines_shipped;

struct topo *machine_load(const char *name)
{
    char err[600] = "";
    struct topo *const t = topo_load(name, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    return t;
}
