/* Young's modulus E, and the compliances that follow from it. A line of section A and second moment I stretches by 1
   / (E A) and bends by 1 / (E I); a round one of diameter d has A = pi d^2 / 4 and I = pi d^4 / 64. A sheet of
   thickness t stretches by 1 / (E t) and bends by 12 (1 - nu^2) / (E t^3), the inverse of a plate's stiffness, nu
   being Poisson's ratio. A solid stretches by 1 / E, and its volume compliance is 3 (1 - 2 nu) / E, the inverse of
   its bulk modulus. */
#include "scene/young.h"

#include <math.h>

#define USUAL_POISSON 0.3

/* The given thickness, or twice the radius of the particles; 0 if there is neither. */
static double thickness_of(const sn_stuff *stuff, double radius)
{
    return isnan(stuff->thickness) ? 2 * radius : (double)stuff->thickness;
}

static bool fill_line(sn_reader *reader, sn_stuff *stuff, double radius)
{
    double e = (double)stuff->young, d = thickness_of(stuff, radius);
    if (!isnan(stuff->area)) {
        stuff->stretch = (sn_real)(1 / (e * (double)stuff->area));
        if (!isnan(stuff->thickness))
            return sn_reader_fail_key(reader, "material", "it has both a thickness and an area, expected one of them");
        return true;
    }
    if (!(d > 0))
        return sn_reader_fail_key(reader, "material",
                                  "Young's modulus of a line needs its thickness or its area: give 'thickness' or "
                                  "'area' in the material, or the object a 'radius'");
    stuff->stretch = (sn_real)(4 / (e * SN_PI * d * d));
    if (isnan(stuff->bend))
        stuff->bend = (sn_real)(64 / (e * SN_PI * d * d * d * d));
    return true;
}

static bool fill_sheet(sn_reader *reader, sn_stuff *stuff, double radius, double poisson)
{
    double e = (double)stuff->young, t = thickness_of(stuff, radius);
    if (!(t > 0))
        return sn_reader_fail_key(
            reader, "material",
            "Young's modulus of a sheet needs its thickness: give 'thickness' in the material, or "
            "the object a 'radius'");
    stuff->stretch = (sn_real)(1 / (e * t));
    if (isnan(stuff->bend))
        stuff->bend = (sn_real)(12 * (1 - poisson * poisson) / (e * t * t * t));
    return true;
}

bool sn_young_fill(sn_reader *reader, sn_stuff *stuff, uint32_t dimension, double radius)
{
    if (isnan(stuff->young))
        return true;
    if (stuff->stretch != 0)
        return sn_reader_fail_key(reader, "material",
                                  "it has both Young's modulus, %g Pa, and a stretch, %g, expected one of them",
                                  (double)stuff->young, (double)stuff->stretch);
    double poisson = isnan(stuff->poisson) ? USUAL_POISSON : (double)stuff->poisson;
    if (dimension == 1)
        return fill_line(reader, stuff, radius);
    if (dimension == 2)
        return fill_sheet(reader, stuff, radius, poisson);
    stuff->stretch = (sn_real)(1 / (double)stuff->young);
    if (isnan(stuff->volume))
        stuff->volume = (sn_real)(3 * (1 - 2 * poisson) / (double)stuff->young);
    return true;
}

double sn_young_of_rod(sn_reader *reader, const sn_young *rod, bool compliant)
{
    const char *missing = NULL;
    if (isnan(rod->young)) {
        if (isnan(rod->thickness) && isnan(rod->area))
            return NAN;
        sn_reader_fail_key(reader, isnan(rod->area) ? "thickness" : "area",
                           "it is the section of Young's modulus, which is not given: add 'young'");
        return 0;
    }
    if (isnan(rod->thickness) && isnan(rod->area))
        missing = "needs a section: add 'thickness', the diameter of a round one, or 'area'";
    else if (!isnan(rod->thickness) && !isnan(rod->area))
        missing = "has both a thickness and an area, expected one of them";
    else if (compliant)
        missing = "stands beside a compliance, expected one of them";
    if (missing) {
        sn_reader_fail_key(reader, "young", "Young's modulus %s", missing);
        return 0;
    }
    return sn_young_newtons(rod);
}

double sn_young_newtons(const sn_young *rod)
{
    double d = (double)rod->thickness, area = isnan(rod->area) ? SN_PI * d * d / 4 : (double)rod->area;
    return (double)rod->young * area;
}

/* The parameter of a kind that is the length of a rod; SN_MAX_PARAMS: the kind is no rod. */
static uint32_t length_param(uint32_t kind)
{
    switch (kind) {
    case SN_KIND_DISTANCE:
    case SN_KIND_DISTANCE_MAX:
        return 0;
    case SN_KIND_DISTANCE_BAND:
        return 1; /* the largest length */
    default:
        return SN_MAX_PARAMS;
    }
}

sn_result sn_young_set(sn_world *world, sn_constraint rod, double newtons, sn_real damping)
{
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    sn_result result = sn_constraint_read(world, rod, &def, points, SN_MAX_POINTS);
    if (result != SN_OK)
        return result;
    double length = (double)def.param[length_param(rod.kind)];
    return sn_constraint_set_material(world, rod, (sn_material){sn_young_compliance(newtons, length), damping});
}

bool sn_young_give(sn_scene *scene, sn_reader *reader, sn_constraints run, double newtons, sn_real damping)
{
    if (length_param(run.kind) == SN_MAX_PARAMS)
        return sn_reader_fail_key(reader, "young",
                                  "'%s' is no rod: Young's modulus is for distance, distance_max and distance_band; "
                                  "give it a compliance",
                                  sn_kind_info(scene->world, run.kind)->name);
    for (uint32_t i = 0; i < run.count; ++i)
        if (sn_young_set(scene->world, sn_constraints_at(run, i), newtons, damping) != SN_OK)
            return sn_scene_refused(scene, reader);
    return true;
}
