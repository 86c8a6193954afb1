#include "constraints/table.h"

#include "base/vec.h"

#include <stdio.h>
#include <string.h>

const sn_kind *const sn_builtin_kinds[SN_KIND_BUILTIN_END] = {
#define SN_KIND(NAME, name) [SN_KIND_##NAME] = &sn_kind_##name,
#include <sinew/constraints.def>
#undef SN_KIND
};

uint32_t sn_kind_param_count(const sn_kind *kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; kind && i < SN_MAX_PARAMS && kind->param[i].name; ++i)
        count += param_width(&kind->param[i]);
    return count;
}

uint32_t sn_kind_point_param_count(const sn_kind *kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; kind && i < SN_MAX_POINT_PARAMS && kind->point_param[i].name; ++i)
        count += param_width(&kind->point_param[i]);
    return count;
}

static bool is_name(const char *name)
{
    return name && *name && strlen(name) < 64 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static bool in_range(const sn_param *param, sn_real value)
{
    bool any = param->least == 0 && param->most == 0;
    return isfinite(value) && (any || (value >= param->least && value <= param->most));
}

static bool check_param(const sn_kind *kind, const sn_param *param, char *reason, size_t size)
{
    if (!is_name(param->name))
        snprintf(reason, size, "kind '%s': parameter name '%.80s' is not lower case letters, digits and '_'",
                 kind->name, param->name);
    else if (param->type == SN_PARAM_POSITION && kind->internal)
        snprintf(reason, size, "kind '%s' is internal, so its parameter '%s' cannot be a place in the world",
                 kind->name, param->name);
    else if ((unsigned)param->type > SN_PARAM_POSITION)
        snprintf(reason, size, "kind '%s': parameter '%s' has the unknown type %d", kind->name, param->name,
                 (int)param->type);
    else if (!isfinite(param->least) || !isfinite(param->most) || param->least > param->most)
        snprintf(reason, size, "kind '%s': the range [%g, %g] of parameter '%s' is empty or not finite", kind->name,
                 (double)param->least, (double)param->most, param->name);
    else if (param->has_default && !in_range(param, param->default_value))
        snprintf(reason, size, "kind '%s': the default %g of parameter '%s' is outside its range", kind->name,
                 (double)param->default_value, param->name);
    else
        return true;
    return false;
}

static bool has_name(const sn_param *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count && list[i].name; ++i)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

/* Checks a list of parameters: they must have different names, none of which is in `others` (may be NULL). With others,
   it is the list of a point. */
static bool check_list(const sn_kind *kind, const sn_param *list, uint32_t most, const sn_param *others, char *reason,
                       size_t size)
{
    for (uint32_t i = 0; i < most && list[i].name; ++i) {
        if (!check_param(kind, &list[i], reason, size))
            return false;
        if (others && list[i].type == SN_PARAM_POSITION) {
            snprintf(reason, size, "kind '%s': the number '%s' of a point cannot be a place in the world", kind->name,
                     list[i].name);
            return false;
        }
        if (has_name(list, i, list[i].name) || (others && has_name(others, SN_MAX_PARAMS, list[i].name))) {
            snprintf(reason, size, "kind '%s' has two parameters named '%s'", kind->name, list[i].name);
            return false;
        }
    }
    return true;
}

bool sn_kind_check(const sn_kind *kind, char *reason, size_t size)
{
    if (!is_name(kind->name)) {
        snprintf(reason, size, "kind name '%.80s' is not 1 to 63 lower case letters, digits and '_'",
                 kind->name ? kind->name : "(NULL)");
        return false;
    }
    if (kind->points > SN_MAX_POINTS || (kind->points == 0 && kind->least_points == 0))
        snprintf(reason, size, "kind '%s' has %u points; 1 to %d are possible, or 0 and a least_points", kind->name,
                 kind->points, SN_MAX_POINTS);
    else if (kind->rows < 1 || kind->rows > SN_MAX_ROWS)
        snprintf(reason, size, "kind '%s' has %u rows; 1 to %d are possible", kind->name, kind->rows, SN_MAX_ROWS);
    else if (kind->inequality >> kind->rows)
        snprintf(reason, size, "kind '%s': inequality 0x%x has a bit beyond its %u rows", kind->name, kind->inequality,
                 kind->rows);
    else if (kind->project && kind->force)
        snprintf(reason, size, "kind '%s' cannot be both a projection and a force", kind->name);
    else if (!kind->eval)
        snprintf(reason, size, "kind '%s' has no eval function", kind->name);
    else if (kind->param[SN_MAX_PARAMS].name || sn_kind_param_count(kind) > SN_MAX_PARAM_NUMBERS)
        snprintf(reason, size, "kind '%s' has more than %d parameters, or more than %d numbers in them", kind->name,
                 SN_MAX_PARAMS, SN_MAX_PARAM_NUMBERS);
    else if (kind->point_param[SN_MAX_POINT_PARAMS].name || sn_kind_point_param_count(kind) > SN_MAX_POINT_PARAMS)
        snprintf(reason, size, "kind '%s' has more than %d numbers for each point", kind->name, SN_MAX_POINT_PARAMS);
    else if (kind->point_param[0].name && kind->points)
        snprintf(reason, size, "kind '%s' has %u points; only those of a kind with any number of them can have numbers",
                 kind->name, kind->points);
    else if (kind->state > SN_MAX_STATE)
        snprintf(reason, size, "kind '%s' remembers %u numbers; %d are possible", kind->name, kind->state,
                 SN_MAX_STATE);
    else if (kind->axial && (kind->rows != 3 || kind->own_rows || kind->inequality || kind->oriented || kind->state))
        snprintf(reason, size,
                 "kind '%s' is axial: it has to have 3 rows, and neither own_rows, inequality, oriented nor state",
                 kind->name);
    else
        return check_list(kind, kind->param, SN_MAX_PARAMS, NULL, reason, size) &&
               check_list(kind, kind->point_param, SN_MAX_POINT_PARAMS, kind->param, reason, size);
    return false;
}

/* Completes one number of a parameter (measured or default) and checks that it is finite and in range. */
static bool complete_number(const sn_kind *kind, const sn_param *param, const sn_real *measured, sn_real *value,
                            char *reason, size_t size)
{
    if (*value == SN_MEASURE) {
        sn_real found = measured ? *measured : SN_MEASURE;
        if (found == SN_MEASURE && param->has_default)
            found = param->default_value;
        if (found == SN_MEASURE) {
            snprintf(reason, size, "%s: parameter '%s' must be given; it can be neither measured nor defaulted",
                     kind->name, param->name);
            return false;
        }
        *value = found;
    }
    if (!in_range(param, *value)) {
        if (param->least == 0 && param->most == 0)
            snprintf(reason, size, "%s: parameter '%s' is %g; it must be finite", kind->name, param->name,
                     (double)*value);
        else
            snprintf(reason, size, "%s: parameter '%s' is %g; it must lie in [%g, %g] %s", kind->name, param->name,
                     (double)*value, (double)param->least, (double)param->most, param->unit ? param->unit : "");
        return false;
    }
    return true;
}

static bool normalise(const sn_kind *kind, const sn_param *param, sn_real *value, char *reason, size_t size)
{
    double x = (double)value[0], y = (double)value[1], z = (double)value[2];
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 1e-30) || !isfinite(length)) {
        snprintf(reason, size, "%s: parameter '%s' is (%g, %g, %g), which has no direction", kind->name, param->name, x,
                 y, z);
        return false;
    }
    /* a unit vector keeps its bits, so that reading it and setting it again changes nothing */
    if (fabs(length - 1) > (SINEW_DOUBLE ? 4e-16 : 1.2e-7)) {
        value[0] = (sn_real)(x / length);
        value[1] = (sn_real)(y / length);
        value[2] = (sn_real)(z / length);
    }
    return true;
}

/* Completes the numbers of a list of parameters, one after the other. */
static bool complete_list(const sn_kind *kind, const sn_param *list, uint32_t most, const sn_real *measured,
                          sn_real *param, char *reason, size_t size)
{
    sn_real *value = param;
    for (uint32_t i = 0; i < most && list[i].name; ++i) {
        const sn_param *p = &list[i];
        for (uint32_t j = 0; j < param_width(p); ++j)
            if (!complete_number(kind, p, measured ? measured + (value - param) + j : NULL, value + j, reason, size))
                return false;
        if (p->type == SN_PARAM_DIRECTION && !normalise(kind, p, value, reason, size))
            return false;
        value += param_width(p);
    }
    return true;
}

bool sn_kind_complete_params(const sn_kind *kind, const sn_real *measured, sn_real *param, char *reason, size_t size)
{
    if (!complete_list(kind, kind->param, SN_MAX_PARAMS, measured, param, reason, size))
        return false;
    const char *wrong = kind->check ? kind->check(param) : NULL;
    if (wrong)
        snprintf(reason, size, "%s: %s", kind->name, wrong);
    return !wrong;
}

bool sn_kind_complete_points(const sn_kind *kind, const sn_real *given, uint32_t points, sn_real *value, char *reason,
                             size_t size)
{
    uint32_t numbers = sn_kind_point_param_count(kind);
    for (uint32_t i = 0; i < points; ++i, value += numbers) {
        char why[200];
        sn_real own[SN_MAX_POINT_PARAMS];
        for (uint32_t j = 0; j < numbers; ++j)
            own[j] = given ? given[(size_t)i * numbers + j] : SN_MEASURE;
        if (!complete_list(kind, kind->point_param, SN_MAX_POINT_PARAMS, value, own, why, sizeof why)) {
            snprintf(reason, size, "point %u of a %s", i, why);
            return false;
        }
        memcpy(value, own, numbers * sizeof *own);
    }
    return true;
}
