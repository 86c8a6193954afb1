/* Definitions of shapes: their defaults and checks. */
#include "collision/shape.h"

#include <stdio.h>
#include <string.h>

/* For each type: its name, whether moving bodies can have it, and which numbers it uses. */
static const struct {
    const char *name;
    bool convex, all_halves, half_y, radius;
} types[SN_SHAPE_TYPES] = {
    [SN_SHAPE_SPHERE] = {"sphere", true, false, false, true},
    [SN_SHAPE_CAPSULE] = {"capsule", true, false, true, true},
    [SN_SHAPE_BOX] = {"box", true, true, false, false},
    [SN_SHAPE_HULL] = {"hull", true, false, false, false},
    [SN_SHAPE_CYLINDER] = {"cylinder", true, false, true, true},
    [SN_SHAPE_CONE] = {"cone", true, false, true, true},
    [SN_SHAPE_PLANE] = {"plane", false, false, false, false},
    [SN_SHAPE_MESH] = {"mesh", false, false, false, false},
    [SN_SHAPE_HEIGHTS] = {"heights", false, false, false, false},
    [SN_SHAPE_FIELD] = {"field", false, false, false, false},
};

const char *sn_shape_type_name(sn_shape_type type)
{
    return (unsigned)type < SN_SHAPE_TYPES ? types[type].name : NULL;
}

bool sn_shape_is_convex(sn_shape_type type)
{
    return (unsigned)type < SN_SHAPE_TYPES && types[type].convex;
}

sn_filter sn_default_filter(void)
{
    return (sn_filter){1, UINT32_MAX};
}

sn_shape_def sn_default_shape_def(sn_shape_type type)
{
    sn_shape_def def;
    memset(&def, 0, sizeof def);
    def.type = type;
    def.rotation.w = 1;
    def.half = vec3((sn_real)0.5, (sn_real)0.5, (sn_real)0.5);
    def.radius = (sn_real)0.5;
    return def;
}

void sn_shape_def_tidy(sn_shape_def *def)
{
    if (!types[def->type].all_halves)
        def->half = vec3(0, types[def->type].half_y ? def->half.y : 0, 0);
    if (!types[def->type].radius)
        def->radius = 0;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static bool good_rotation(sn_quat q)
{
    double square =
        (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
    return isfinite(square) && square > 0;
}

static bool check_size(const char *name, sn_real value, char *message, size_t size)
{
    if (value > 0 && (double)value <= SN_SHAPE_REACH)
        return true;
    snprintf(message, size, "%s is %g m; it must be positive and at most %g", name, (double)value, SN_SHAPE_REACH);
    return false;
}

/* Checks the numbers that the type uses. */
static bool check_sizes(const sn_shape_def *def, char *message, size_t size)
{
    const bool all = types[def->type].all_halves;
    return (!all || check_size("half.x", def->half.x, message, size)) &&
           (!(all || types[def->type].half_y) || check_size("half.y", def->half.y, message, size)) &&
           (!all || check_size("half.z", def->half.z, message, size)) &&
           (!types[def->type].radius || check_size("radius", def->radius, message, size));
}

bool sn_shape_def_check(const sn_shape_def *def, char *message, size_t size)
{
    const sn_vec3 at = def->position;
    const sn_quat q = def->rotation;
    if ((unsigned)def->type >= SN_SHAPE_TYPES)
        snprintf(message, size, "type is %d, which is no sn_shape_type", (int)def->type);
    else if (!vec3_is_finite(at))
        snprintf(message, size, "position is (%g, %g, %g); it must be finite", (double)at.x, (double)at.y,
                 (double)at.z);
    else if (!good_rotation(q))
        snprintf(message, size, "rotation is (%g, %g, %g, %g); it must be finite and not zero", (double)q.x,
                 (double)q.y, (double)q.z, (double)q.w);
    else if (!(def->rounding >= 0 && (double)def->rounding <= SN_SHAPE_REACH))
        snprintf(message, size, "rounding is %g m; it must lie in [0, %g]", (double)def->rounding, SN_SHAPE_REACH);
    else if (!isfinite(def->density) || def->density < 0)
        snprintf(message, size, "density is %g kg/m^3; it must be finite and not negative", (double)def->density);
    else
        return check_sizes(def, message, size) && sn_shape_source_check(def, message, size);
    return false;
}
