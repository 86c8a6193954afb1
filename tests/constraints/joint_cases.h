/* Joints and other kinds that look at the axes of their points, in states made up for them, for the tests that iterate
   the table. */
#ifndef SINEW_TESTS_JOINT_CASES_H
#define SINEW_TESTS_JOINT_CASES_H

#include "support/support.h"

#include "base/quat.h"

#include <math.h>

typedef struct joint_state {
    const sn_kind *kind;
    uint32_t number;
    sn_vec3 x[SN_MAX_POINTS];
    sn_quat q[SN_MAX_POINTS];
    sn_real param[SN_MAX_PARAM_NUMBERS];
    const sn_real *kept; /* what it remembers; NULL: nothing */
} joint_state;

typedef struct joint_value {
    sn_real c[SN_MAX_ROWS];
    sn_vec3 gradient[SN_MAX_ROWS * SN_MAX_POINTS], turn[SN_MAX_ROWS * SN_MAX_POINTS];
    sn_row row[SN_MAX_ROWS];
} joint_value;

static inline bool joint_evaluate(const joint_state *s, joint_value *v)
{
    memset(v, 0, sizeof *v);
    sn_eval_in in = {.x = s->x,
                     .q = s->q,
                     .param = s->param,
                     .points = s->kind->points,
                     .context = s->kind->context,
                     .state = s->kept};
    sn_eval_out out = {.c = v->c, .gradient = v->gradient, .turn = v->turn, .row = s->kind->own_rows ? v->row : NULL};
    return s->kind->eval(&in, &out);
}

static inline sn_vec3 joint_random_vector(uint64_t *seed, double size)
{
    double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size));
}

/* Which of a kind's features the parameters switch on besides those that are on by default. */
enum { JOINT_PLAIN, JOINT_TARGET, JOINT_SPEED, JOINT_FRICTION, JOINT_LIMITS, JOINT_VARIANTS };

static inline bool joint_starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static inline bool joint_ends_with(const char *text, const char *with)
{
    return strlen(text) >= strlen(with) && strcmp(text + strlen(text) - strlen(with), with) == 0;
}

/* A parameter that is neither measured nor left at its default. */
static inline sn_real joint_varied(const sn_param *p, int variant, uint64_t *seed, sn_real usual)
{
    static const char about[] = "angular_";
    const char *name = p->name;
    if (joint_starts_with(name, about) && !joint_ends_with(name, "r_compliance") && !joint_ends_with(name, "r_damping"))
        name += sizeof about - 1; /* of six degrees of freedom */
    bool most = joint_ends_with(name, "_most") || strcmp(name, "friction") == 0;
    if ((variant == JOINT_TARGET && joint_starts_with(name, "target_") && most) ||
        (variant == JOINT_SPEED && joint_starts_with(name, "speed") && most) ||
        (variant == JOINT_FRICTION && strcmp(name, "friction") == 0))
        return real(support_random_in(seed, 1, 5));
    if (variant == JOINT_TARGET && joint_ends_with(name, "_compliance"))
        return real(support_random_in(seed, 0, 0.1));
    if (variant == JOINT_SPEED && strcmp(name, "speed") == 0)
        return real(support_random_in(seed, -2, 2));
    if (variant == JOINT_LIMITS && strcmp(name, "least") == 0)
        return real(-0.2);
    if (variant == JOINT_LIMITS && (strcmp(name, "most") == 0 || strcmp(name, "swing") == 0))
        return real(0.3);
    return usual;
}

/* Parameters of a pose: measured, else default, else something; and those of a variant. */
static inline void joint_give_params(joint_state *s, int variant, uint64_t *seed)
{
    sn_real open[SN_MAX_PARAM_NUMBERS], *at = s->param;
    for (uint32_t i = 0; i < SN_MAX_PARAM_NUMBERS; ++i)
        open[i] = s->param[i] = SN_MEASURE;
    sn_eval_in in = {.x = s->x, .q = s->q, .param = open, .points = s->kind->points, .context = s->kind->context};
    if (s->kind->measure)
        s->kind->measure(&in, s->param);
    for (const sn_param *p = s->kind->param; p->name; ++p) {
        uint32_t width = p->type == SN_PARAM_REAL ? 1 : 3;
        for (uint32_t i = 0; i < width; ++i, ++at) {
            if (*at == SN_MEASURE)
                *at = p->has_default ? p->default_value : real(support_random_in(seed, 0.5, 1));
            *at = joint_varied(p, variant, seed, *at);
        }
    }
    assert_true(!s->kind->check || !s->kind->check(s->param));
}

/* Points about `size` metres apart, with axes turned by at most so many radians against each other. */
static inline joint_state joint_random_state(uint32_t number, uint64_t *seed, double size, double angle)
{
    joint_state s = {.kind = sn_kind_info(NULL, number), .number = number};
    sn_quat common = sn_quat_rotated((sn_quat){0, 0, 0, 1}, joint_random_vector(seed, 2));
    for (uint32_t i = 0; i < s.kind->points; ++i) {
        s.x[i] = joint_random_vector(seed, size);
        s.q[i] = sn_quat_rotated(common, joint_random_vector(seed, angle / 3.5));
    }
    return s;
}

#endif
