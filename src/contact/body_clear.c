/* Contact of bodies: a quick test of two bodies that are near each other.

   Most such pairs do not come into contact in a substep: they lie or move side by side. To find contact points takes
   thousands of instructions. To find an axis that separates the two takes fifty, for eight pairs at a time
   (wide/body_clear.h).

   The result depends only on where the two are now and how they move. So it does not matter whether they were tested
   before. */
#include "contact/body_work.h"

#include <string.h>

static bool is_known(const sn_convex *convex)
{
    return convex->type <= SN_SHAPE_BOX;
}

static void set_row(sn_lane_rows *rows, uint32_t lane, sn_vec3 v)
{
    rows->x[lane] = v.x;
    rows->y[lane] = v.y;
    rows->z[lane] = v.z;
}

/* A sphere or a capsule is a rounded box without width. */
static sn_vec3 box_of(const sn_convex *convex)
{
    return convex->type == SN_SHAPE_BOX ? convex->half
                                        : vec3(0, convex->type == SN_SHAPE_CAPSULE ? convex->half.y : 0, 0);
}

static void set_half(sn_lane_row half[3], uint32_t lane, const sn_convex *convex)
{
    const sn_vec3 box = box_of(convex);
    half[0][lane] = box.x;
    half[1][lane] = box.y;
    half[2][lane] = box.z;
}

/* Stores the poses of parts on their bodies. */
static void put_parts(const sn_body_part *const *part, uint32_t count, sn_wide_part_rows *rows)
{
    for (uint32_t lane = 0; lane < count; ++lane) {
        const sn_quat turn = part[lane]->turn;
        set_row(&rows->place, lane, part[lane]->place);
        rows->turn[0][lane] = turn.x;
        rows->turn[1][lane] = turn.y;
        rows->turn[2][lane] = turn.z;
        rows->turn[3][lane] = turn.w;
    }
}

/* Pairs that are tested together. */
typedef struct asking {
    sn_wide_pairs pairs;
    uint32_t place[SN_BODY_CONTACTS]; /* in the list */
    const sn_body_part *a[SN_BODY_CONTACTS], *b[SN_BODY_CONTACTS];
} asking;

/* Adds a pair that an axis may separate. */
static void add_pair(asking *to, const sn_body_contact *contact, uint32_t place, const sn_body_part *a,
                     const sn_body_part *b)
{
    sn_wide_pairs *pairs = &to->pairs;
    const uint32_t lane = pairs->count++;
    const bool box = a->convex.type == SN_SHAPE_BOX || b->convex.type == SN_SHAPE_BOX;
    to->place[lane] = place;
    to->a[lane] = a;
    to->b[lane] = b;
    pairs->a[lane] = SN_BODY_CONTACT_RECORD * contact->a;
    pairs->b[lane] = SN_BODY_CONTACT_RECORD * contact->b;
    pairs->parts = pairs->parts || !a->plain || !b->plain;
    pairs->boxes = pairs->boxes || box;
    pairs->segments = pairs->segments || !box;
    pairs->radius[lane] = a->convex.radius + b->convex.radius;
    pairs->slop[lane] = contact->slop;
    set_row(&pairs->normal, lane, a->plain ? contact->in_a : sn_quat_rotate_back(a->turn, contact->in_a));
    set_half(pairs->half_a, lane, &a->convex);
    set_half(pairs->half_b, lane, &b->convex);
}

/* True if a part stays above a plane that does not rotate. *apart: m, their distance now. */
static bool is_above(const sn_body_contact_substep *s, const sn_body_contact *contact, const sn_body_part *part,
                     sn_real *apart)
{
    const sn_world *world = s->world;
    const sn_fixed_motion *m = contact_motion(world, contact->fixed_shape);
    if (!m->plain)
        return false;
    const sn_shape *shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
    const sn_vec4 *a = contact_record(world, contact->a), *b = contact_record(world, contact_other(world, contact));
    const sn_pose body = contact_recorded_pose(a), pose = contact_part_pose(world, &body, contact->part_a);
    const sn_vec3 own = sn_quat_rotate_back(pose.rotation, m->normal), half = box_of(&part->convex);
    const sn_real reach = half.x * contact_magnitude(own.x) + half.y * contact_magnitude(own.y) +
                          half.z * contact_magnitude(own.z) + part->convex.radius;
    const sn_vec3 displacement = vec3_scale(vec3_sub(vec4_xyz(a[0]), vec4_xyz(b[0])), s->h);
    const sn_real turns = s->h * (a[1].w + b[1].w), along = vec3_dot(displacement, m->normal);
    const sn_real stray = SN_CLEAR_ROOM * contact->slop + SN_CLEAR_CUSHION * (vec3_length(displacement) + turns) +
                          turns + s->run.fall + contact_thrown(world, a, b);
    *apart = vec3_dot(m->normal, vec3_sub(pose.position, m->start.position)) - reach - shape->thickness - shape->guard;
    return *apart + (along < 0 ? along : 0) > stray;
}

/* Tests the pairs that were added. */
static void ask(const sn_body_contact_substep *s, asking *of, sn_real *apart)
{
    sn_wide_pairs *pairs = &of->pairs;
    if (pairs->parts) {
        put_parts(of->a, pairs->count, &pairs->part_a);
        put_parts(of->b, pairs->count, &pairs->part_b);
    }
    const uint32_t clear = pairs->count ? s->wide->clear(&s->run, pairs) : 0;
    for (uint32_t i = 0; i < pairs->count; ++i)
        apart[of->place[i]] = clear >> i & 1 ? pairs->apart[i] : -1;
    pairs->count = 0;
    pairs->parts = pairs->boxes = pairs->segments = false;
}

void sn_body_contacts_clear(const sn_body_contact_substep *s, const uint32_t *list, uint32_t count, sn_real *apart)
{
    const sn_world *world = s->world;
    asking own;
    memset(&own, 0, sizeof own);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_body_contact *contact = &contact_all(world)[list[i]];
        const sn_body_part *a = &world->bodies.part[contact->part_a];
        apart[i] = -1;
        if (!is_known(&a->convex) || contact->sensor || world->dimensions == 2)
            continue;
        if (contact->b == SN_NO_MOVER) {
            if (!is_above(s, contact, a, &apart[i]))
                apart[i] = -1;
            continue;
        }
        if (contact->part_b == SN_ID_FREE || !is_known(&world->bodies.part[contact->part_b].convex))
            continue;
        add_pair(&own, contact, i, a, &world->bodies.part[contact->part_b]);
        if (own.pairs.count == SN_BODY_CONTACTS)
            ask(s, &own, apart);
    }
    ask(s, &own, apart);
}
