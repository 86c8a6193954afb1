/* What the random worlds go through: which kinds take part in steps, and with which features. */
#include "random/net.h"

#include "world/world.h"

static const char *const feature_names[] = {"steps", "compliance", "damping", "k < 1", "strength", "spot",
                                            "body",  "place",      "limit",   "motor", "target",   "friction"};
enum {
    COVER_STEPS,
    COVER_COMPLIANCE,
    COVER_DAMPING,
    COVER_STIFFNESS,
    COVER_STRENGTH,
    COVER_SPOT,
    COVER_BODY,
    COVER_PLACE,
    COVER_LIMIT,
    COVER_MOTOR,
    COVER_TARGET,
    COVER_FRICTION,
    COVER_FEATURES
};

#define COVER_KINDS 128

static struct {
    char name[64];
    uint64_t count[COVER_FEATURES];
    uint32_t can; /* bits: features that the kind has at all */
} seen[COVER_KINDS];

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), other = strlen(end);
    return length >= other && strcmp(text + length - other, end) == 0;
}

/* The feature that a parameter of a joint switches on, and whether it does. */
static int feature_of(const sn_param *p, sn_real value, bool *on)
{
    *on = value > 0;
    if (ends_with(p->name, "speed_most"))
        return COVER_MOTOR;
    if (ends_with(p->name, "target_most"))
        return COVER_TARGET;
    if (ends_with(p->name, "friction"))
        return COVER_FRICTION;
    *on = value != p->default_value;
    if (ends_with(p->name, "least") || ends_with(p->name, "most"))
        return COVER_LIMIT;
    return -1;
}

static uint32_t features_of_points(const sn_store *store, const sn_pool *pool, uint32_t row)
{
    uint32_t has = 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        uint32_t code = pool->point[row * pool->kind->points + i];
        if (!(code & SN_ANCHOR_BIT))
            continue;
        const sn_anchor *spot = &store->anchor[code & ~SN_ANCHOR_BIT];
        has |= 1u << (spot->type == SN_POINT_BODY    ? COVER_BODY
                      : spot->type == SN_POINT_PLACE ? COVER_PLACE
                                                     : COVER_SPOT);
    }
    return has;
}

static uint32_t features_of_joint(const sn_pool *pool, uint32_t row, uint32_t *can)
{
    uint32_t has = 0;
    const sn_real *value = pool->param + (size_t)row * pool->param_count;
    for (const sn_param *p = pool->kind->param;
         pool->kind->own_rows && p->name && p < pool->kind->param + SN_MAX_PARAMS; ++p)
        for (int part = p->type == SN_PARAM_REAL ? 1 : 3; part; --part, ++value) {
            bool on;
            int feature = feature_of(p, *value, &on);
            if (feature < 0)
                continue;
            *can |= 1u << feature;
            has |= (uint32_t)on << feature;
        }
    return has;
}

void net_cover(sn_world *world)
{
    const sn_store *store = &world->constraints;
    for (uint32_t k = 1; k <= store->kind_count && k < COVER_KINDS; ++k) {
        const sn_pool *pool = store->pool[k];
        if (!pool)
            continue;
        snprintf(seen[k].name, sizeof seen[k].name, "%s", pool->kind->name);
        seen[k].can |= 1u << COVER_STEPS | 1u << COVER_STRENGTH;
        if (!pool->kind->project && !pool->kind->force)
            seen[k].can |= 1u << COVER_COMPLIANCE | 1u << COVER_DAMPING | 1u << COVER_STIFFNESS;
        if (pool->kind->points && !pool->kind->project)
            seen[k].can |= (pool->kind->oriented ? 0 : 1u << COVER_SPOT) | 1u << COVER_BODY |
                           (pool->kind->points > 1 ? 1u << COVER_PLACE : 0); /* one point in the world does not move */
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            sn_real force = 0, torque = 0;
            sn_constraint_strength(world, (sn_constraint){k, row, pool->ids.generation[row]}, &force, &torque);
            const sn_give *give = &pool->give[row];
            uint32_t has = 1u << COVER_STEPS | (uint32_t)(give->compliance > 0) << COVER_COMPLIANCE |
                           (uint32_t)(give->damping > 0) << COVER_DAMPING |
                           (uint32_t)(give->stiffness < 1) << COVER_STIFFNESS |
                           (uint32_t)(force > 0 || torque > 0) << COVER_STRENGTH;
            has |= features_of_points(store, pool, row) | features_of_joint(pool, row, &seen[k].can);
            for (uint32_t f = 0; f < COVER_FEATURES; ++f)
                seen[k].count[f] += has >> f & 1;
        }
    }
}

/* How many constraints of each kind were stepped with each feature; "-" where the kind has no such feature. */
void net_print_cover(void)
{
    printf("%-24s", "constraints and steps");
    for (uint32_t f = 0; f < COVER_FEATURES; ++f)
        printf(" %10s", feature_names[f]);
    printf("\n");
    for (uint32_t k = 1; k < COVER_KINDS; ++k) {
        if (!seen[k].name[0])
            continue;
        printf("%-24s", seen[k].name);
        for (uint32_t f = 0; f < COVER_FEATURES; ++f)
            if (seen[k].can >> f & 1)
                printf(" %10llu", (unsigned long long)seen[k].count[f]);
            else
                printf(" %10s", seen[k].count[f] ? "?" : "-");
        printf("\n");
    }
}
