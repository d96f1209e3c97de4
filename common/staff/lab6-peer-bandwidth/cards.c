/*
 * cards.c: machines as published by vendors. Given: nothing to edit here.
 */
#include "lab6.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

enum { X = LINK_SELF, PHB = LINK_PHB, SYS = LINK_SYS };

static const struct card cards[] = {
    {"a100-cubemesh", /* puzzler 1's */
     8,
     23.4,
     {{X, 4, SYS, SYS, 2, 2, SYS, 4},
      {4, X, SYS, SYS, 4, 2, 2, SYS},
      {SYS, SYS, X, 4, SYS, 4, 2, 2},
      {SYS, SYS, 4, X, 2, SYS, 4, 2},
      {2, 4, SYS, 2, X, 4, SYS, SYS},
      {2, 2, 4, SYS, 4, X, SYS, SYS},
      {SYS, 2, 2, 4, SYS, SYS, X, 4},
      {4, SYS, 2, 2, SYS, SYS, 4, X}}},
    {"dgx-1v",
     8,
     24,
     {{X, 1, 1, 2, SYS, SYS, 2, SYS},
      {1, X, 2, 1, SYS, SYS, SYS, 2},
      {1, 2, X, 2, 1, SYS, SYS, SYS},
      {2, 1, 2, X, SYS, 1, SYS, SYS},
      {SYS, SYS, 1, SYS, X, 2, 1, 2},
      {SYS, SYS, SYS, 1, 2, X, 2, 1},
      {2, SYS, SYS, SYS, 1, 2, X, 1},
      {SYS, 2, SYS, SYS, 2, 1, 1, X}}},
    {"pcie-4090",
     8,
     0,
     {{X, PHB, PHB, PHB, SYS, SYS, SYS, SYS},
      {PHB, X, PHB, PHB, SYS, SYS, SYS, SYS},
      {PHB, PHB, X, PHB, SYS, SYS, SYS, SYS},
      {PHB, PHB, PHB, X, SYS, SYS, SYS, SYS},
      {SYS, SYS, SYS, SYS, X, PHB, PHB, PHB},
      {SYS, SYS, SYS, SYS, PHB, X, PHB, PHB},
      {SYS, SYS, SYS, SYS, PHB, PHB, X, PHB},
      {SYS, SYS, SYS, SYS, PHB, PHB, PHB, X}}},
    {"dgx-a100", /* each GPU connected to 6 NVSwitches */
     8,
     22.5,
     {{X, 12, 12, 12, 12, 12, 12, 12},
      {12, X, 12, 12, 12, 12, 12, 12},
      {12, 12, X, 12, 12, 12, 12, 12},
      {12, 12, 12, X, 12, 12, 12, 12},
      {12, 12, 12, 12, X, 12, 12, 12},
      {12, 12, 12, 12, 12, X, 12, 12},
      {12, 12, 12, 12, 12, 12, X, 12},
      {12, 12, 12, 12, 12, 12, 12, X}}},
    {"dgx-h100", /* each GPU connected to 4 NVSwitches */
     8,
     21.1,
     {{X, 18, 18, 18, 18, 18, 18, 18},
      {18, X, 18, 18, 18, 18, 18, 18},
      {18, 18, X, 18, 18, 18, 18, 18},
      {18, 18, 18, X, 18, 18, 18, 18},
      {18, 18, 18, 18, X, 18, 18, 18},
      {18, 18, 18, 18, 18, X, 18, 18},
      {18, 18, 18, 18, 18, 18, X, 18},
      {18, 18, 18, 18, 18, 18, 18, X}}},
};

const struct card *card_find(const char *machine)
{
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (strcmp(cards[i].machine, machine) == 0)
            return &cards[i];
    return NULL;
}

const char *link_name(int link, char out[8])
{
    if (link > 0)
        snprintf(out, 8, "NV%d", link % 1000);
    else
        snprintf(out, 8, "%s", link == X ? "X" : link == PHB ? "PHB" : "SYS");
    return out;
}
