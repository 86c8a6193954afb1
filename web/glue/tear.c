/* Cutting, tears, and the present triangles. */
#include "web/glue/glue.h"

#include "export/torn_mesh.h"

#include <stdlib.h>
#include <string.h>

static sn_vec3 vector(const double *at)
{
    return (sn_vec3){(sn_real)at[0], (sn_real)at[1], (sn_real)at[2]};
}

/* in: the blade, four points, the group or -1, whether to cut along edges only. out: inserted, split, removed,
   released, left. */
WEB(web_cut) sn_result web_cut(web_world *w, const double *in, double *out)
{
    sn_cut_def def = sn_default_cut_def();
    sn_cut_info info = {0};
    def.blade = (sn_blade)in[0];
    def.a = vector(in + 1), def.b = vector(in + 4), def.to_a = vector(in + 7), def.to_b = vector(in + 10);
    def.one_group = in[13] >= 0;
    def.group = def.one_group ? (uint32_t)in[13] : 0;
    def.edges_only = in[14] != 0;
    const sn_result result = sn_scene_slice(w->scene, &def, &info);
    const double told[] = {info.inserted, info.split, info.removed, (double)info.released, info.left};
    memcpy(out, told, sizeof told);
    return result;
}

/* ---- Tears ------------------------------------------------------------------------------------------------------- */

#define TEAR_NUMBERS 15

static double number_of(sn_particle p)
{
    return p.generation ? (double)p.index : -1;
}

static void tell_constraint(sn_constraint c, double *kind, double *number)
{
    *kind = c.generation ? (double)c.kind : -1;
    *number = c.generation ? (double)c.index : -1;
}

/* Fifteen doubles each: type, by a cut, particle, other, new particle (-1: none), kind and number of the constraint
   (-1: none), position, strain, force, released, kind and number of a new constraint (-1: none). out: address, and
   number of tears. False when memory runs out. */
WEB(web_tears) bool web_tears(web_world *w, uint32_t *out)
{
    uint32_t count;
    const sn_tear *tear = sn_world_tears(w->world, &count);
    double *at = web_array_take(&w->array[WEB_TEARS], 2 * TEAR_NUMBERS * (size_t)count);
    if (!at)
        return false;
    for (uint32_t i = 0; i < count; ++i, ++tear) {
        double told[TEAR_NUMBERS] = {tear->type,
                                     tear->cut,
                                     number_of(tear->particle),
                                     number_of(tear->other),
                                     number_of(tear->made),
                                     -1,
                                     -1,
                                     (double)tear->place.x,
                                     (double)tear->place.y,
                                     (double)tear->place.z,
                                     (double)tear->strain,
                                     (double)tear->force,
                                     (double)tear->released};
        tell_constraint(tear->constraint, &told[5], &told[6]);
        tell_constraint(tear->formed, &told[13], &told[14]);
        memcpy(at + TEAR_NUMBERS * (size_t)i, told, sizeof told);
    }
    out[0] = (uint32_t)(uintptr_t)at;
    out[1] = count;
    return true;
}

/* ---- Topology ---------------------------------------------------------------------------------------------------- */

WEB(web_topology) double web_topology(web_world *w)
{
    return (double)sn_world_topology(w->world);
}

/* The index of the object with a skin; UINT32_MAX: none. */
static uint32_t object_of(const web_world *w, sn_skin skin)
{
    const sn_object *object;
    for (uint32_t i = 0; (object = sn_scene_object(w->scene, i)); ++i)
        if (object->skin.index == skin.index && object->skin.generation == skin.generation)
            return i;
    return UINT32_MAX;
}

/* Five integers each: object, triangle, three particles. out: address, number of integers, and whether the changes
   are known. False when memory runs out. */
WEB(web_topology_since) bool web_topology_since(web_world *w, double since, uint32_t *out)
{
    const sn_topology_change *change = NULL;
    uint32_t count = 0;
    const bool known = since >= 0 && sn_world_topology_since(w->world, (uint64_t)since, &change, &count);
    uint32_t *at = web_array_take(&w->array[WEB_CHANGES], 5 * (size_t)count);
    if (!at)
        return false;
    sn_skin last = {0};
    uint32_t object = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 0 || change[i].skin.index != last.index || change[i].skin.generation != last.generation)
            object = object_of(w, last = change[i].skin);
        const uint32_t told[5] = {object, change[i].triangle, change[i].corner[0], change[i].corner[1],
                                  change[i].corner[2]};
        memcpy(at + 5 * (size_t)i, told, sizeof told);
    }
    out[0] = (uint32_t)(uintptr_t)at;
    out[1] = 5 * count;
    out[2] = known;
    return true;
}

/* ---- Meshes for drawing ------------------------------------------------------------------------------------------ */

/* The present triangles and lines of an object, as numbers of particles. out: address, number of triangles, number
   of lines, which follow the triangles. False when memory runs out. */
WEB(web_mesh) bool web_mesh(web_world *w, uint32_t number, uint32_t *out)
{
    const sn_object *object = sn_scene_object(w->scene, number);
    sn_torn_mesh mesh = {0};
    const bool read = object && sn_torn_mesh_read(&mesh, w->world, object);
    const size_t corners = read ? 3 * (size_t)mesh.triangle_count : 0, ends = read ? 2 * (size_t)mesh.line_count : 0;
    uint32_t *at = read ? web_array_take(&w->array[WEB_MESH], corners + ends) : NULL;
    for (size_t i = 0; at && i < corners + ends; ++i)
        at[i] = sn_torn_mesh_particle(&mesh, w->world, object, i < corners ? mesh.triangle[i] : mesh.line[i - corners])
                    .index;
    out[0] = (uint32_t)(uintptr_t)at;
    out[1] = read ? mesh.triangle_count : 0;
    out[2] = read ? mesh.line_count : 0;
    sn_torn_mesh_release(&mesh);
    return at != NULL;
}
