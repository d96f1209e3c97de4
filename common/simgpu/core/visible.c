#include "core/visible.h"

#include <stdlib.h>  /* strtol */
#include <string.h>  /* strcspn */
#include <strings.h> /* strncasecmp */

#include "base/mix.h"

void visible_uuid(int32_t place, unsigned char uuid[GPU_NAME_UUID])
{
    for (int i = 0; i < GPU_NAME_UUID; i++) {
        const uint64_t word = mix_nth((uint64_t)place, (uint64_t)i / 8);
        uuid[i] = (unsigned char)(mix_finish(word) >> i % 8 * 8);
    }
}

/* The number, from `first` on, of the GPU whose name starts with the text; -1
 * if there is none, or several. */
static int find_name(const char *text, size_t length, int first, int n)
{
    int found = -1;
    unsigned char uuid[GPU_NAME_UUID];
    char name[GPU_NAME_UUID_TEXT];
    for (int i = 0; i < n; i++) {
        visible_uuid(first + i, uuid);
        gpu_name_uuid(uuid, name);
        if (strncasecmp(name, text, length) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

static int find(const char *text, size_t length, int first, int n)
{
    char *end;
    while (length && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    if (length >= 4 && strncasecmp(text, "GPU-", 4) == 0)
        return find_name(text, length, first, n);
    const long number = strtol(text, &end, 10);
    return end == text || number < 0 || number >= n ? -1 : (int)number;
}

static int contains(const int32_t *place, int n, int32_t wanted)
{
    for (int i = 0; i < n; i++)
        if (place[i] == wanted)
            return 1;
    return 0;
}

/* Read the entries up to the first that is not a GPU. Returns their number, or
 * 0 if one occurs twice. */
static int listed(const char *text, int first, int n, int32_t *place)
{
    int count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        const int i = find(text, length, first, n);
        if (i < 0)
            return count;
        if (contains(place, count, first + i))
            return 0;
        place[count++] = first + i;
        if (!text[length])
            return count;
        text += length + 1;
    }
}

int visible_devices(const char *text, int first, int n, int32_t *place)
{
    const int visible = text ? listed(text, first, n, place) : 0;
    int count = visible;
    for (int i = first; i < first + n; i++)
        if (!contains(place, count, i))
            place[count++] = i;
    return text ? visible : n;
}
