#include "export/palette.h"

static const uint32_t palette[] = {0xe2603a, 0x2f86a8, 0xefb23c, 0x4a9d6f, 0x8a63a8, 0xd4688c, 0x2aa59b, 0x8c9aa8};
#define COLOURS (sizeof palette / sizeof palette[0])

uint32_t sn_palette_after(uint32_t first, const char *name)
{
    for (const char *c = name; c && *c; ++c)
        first += (unsigned char)*c;
    return first % 5;
}

uint32_t sn_palette_first(const sn_scene *scene)
{
    uint32_t first = 0;
    const sn_object *object;
    for (uint32_t i = 0; (object = sn_scene_object(scene, i)); ++i)
        first = sn_palette_after(first, object->name);
    return first;
}

uint32_t sn_palette_object(uint32_t first, uint32_t object, uint32_t body)
{
    return palette[(first + object + body) % COLOURS];
}
