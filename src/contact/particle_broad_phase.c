/* Finding contact pairs of particles, once a step. */
#include "contact/particle_supports.h"
#include "contact/particle_work.h"

#include <stdio.h>
#include <string.h>

#define WORK_OF_LOOK 40.0 /* ns, about: the search for the fixed shapes near a particle */

#define NEARBY                                                                                                         \
    32u /* if more fixed shapes are near a piece of particles, the tree is queried for each particle instead */

/* ---- How far particles reach ------------------------------------------------------------------------------------- */

/* m: how far forces move a particle, beyond its velocity. */
static sn_real forced_displacement(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    sn_real speed_up = vec3_length(world->state.settings.gravity);
    if (world->state.forces_pending)
        speed_up += vec3_length(p->force[slot]) * p->x[slot].w;
    return speed_up * dt * dt;
}

sn_real sn_contacts_displacement(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    sn_real room = SLACK * p->radius[slot];
    if (p->target[slot]) {
        const sn_target *target = (const sn_target *)world->target_table.column[0] + p->target[slot] - 1;
        return room + vec3_length(vec3_sub(target->place, vec4_xyz(p->x[slot])));
    }
    return vec3_length(vec4_xyz(p->v[slot])) * dt + forced_displacement(world, slot, dt) + room;
}

static sn_real displacement_of(const sn_contact_finding *f, uint32_t slot)
{
    return sn_contacts_displacement(f->world, slot, f->dt);
}

static bool is_too_far(const sn_contact_finding *f, uint32_t slot)
{
    const sn_particle_store *p = &f->world->particles;
    return !contact_reaches(vec4_xyz(p->x[slot])) ||
           !(p->radius[slot] + displacement_of(f, slot) <= (sn_real)SN_CONTACT_REACH);
}

/* Names the first particle that is too far away: the parallel loop does not tell which it is. */
static sn_result blame_too_far(const sn_contact_finding *f)
{
    const sn_particle_store *p = &f->world->particles;
    uint32_t slot = 0;
    while (slot + 1 < p->table.count && !is_too_far(f, slot))
        ++slot;
    char what[SN_ERROR_SIZE];
    sn_vec3 x = vec4_xyz(p->x[slot]);
    snprintf(what, sizeof what,
             "it is at (%g, %g, %g) m and reaches %g m in this step; contact computes up to %g m from the origin",
             (double)x.x, (double)x.y, (double)x.z, (double)(p->radius[slot] + displacement_of(f, slot)),
             SN_CONTACT_REACH);
    return sn_world_blame(f->world, slot, what);
}

sn_contact_extremes sn_contacts_extremes(const sn_particle_store *p, uint32_t first, uint32_t end)
{
    const sn_real far = (sn_real)INFINITY;
    sn_contact_extremes e = {{far, far, far, far}, {-far, -far, -far, -far}, {0}, {0}, 0};
    for (uint32_t slot = first; slot < end; ++slot) {
        const sn_real *x = vec4_part(&p->x[slot], 0), *v = vec4_part(&p->v[slot], 0);
        for (uint32_t k = 0; k < 4; ++k) { /* the fourth only for vectorisation */
            e.low[k] = x[k] < e.low[k] ? x[k] : e.low[k];
            e.high[k] = x[k] > e.high[k] ? x[k] : e.high[k];
            e.slowest[k] = v[k] < e.slowest[k] ? v[k] : e.slowest[k];
            e.fastest[k] = v[k] > e.fastest[k] ? v[k] : e.fastest[k];
        }
    }
    for (uint32_t slot = first; slot < end; ++slot)
        e.radius = p->radius[slot] > e.radius ? p->radius[slot] : e.radius;
    return e;
}

/* The bounds of the particles of a piece in the step, with their radii. *still: none of them moves. They reach as far
   to all sides: a bounce may lead into any direction, and has_left in particle_margins.c looks at the distance alone.
   */
static sn_bounds box_of(const sn_contact_finding *f, uint32_t first, uint32_t end, bool *still)
{
    const sn_world *world = f->world;
    const sn_real fall = vec3_length(world->state.settings.gravity) * f->dt * f->dt;
    const sn_contact_extremes e = sn_contacts_extremes(&world->particles, first, end);
    sn_real square = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const sn_real most = e.fastest[k] > -e.slowest[k] ? e.fastest[k] : -e.slowest[k];
        square += most * most;
    }
    const sn_real by = e.radius * (1 + SLACK) + fall + real_sqrt(square) * f->dt;
    *still =
        e.high[3] == 0 && !world->target_table.count; /* a particle with a target moves, whatever its inverse mass */
    for (uint32_t k = 0; k < 3; ++k)
        *still = *still && e.slowest[k] == 0 && e.fastest[k] == 0;
    sn_bounds box = grow((sn_bounds){vec3(e.low[0], e.low[1], e.low[2]), vec3(e.high[0], e.high[1], e.high[2])}, by);
    for (uint32_t slot = first; slot < end && (world->state.forces_pending || world->target_table.count); ++slot)
        include(&box, vec4_xyz(world->particles.x[slot]), world->particles.radius[slot] + displacement_of(f, slot));
    return box;
}

static void measure_piece(void *data, uint32_t first, uint32_t end)
{
    sn_contact_finding *f = data;
    sn_bounds *box = f->contacts->box_table.column[0];
    for (uint32_t from = first; from < end; from += SN_CONTACT_PIECE) {
        const uint32_t to = end - from < SN_CONTACT_PIECE ? end : from + SN_CONTACT_PIECE;
        sn_bounds *here = &box[from / SN_CONTACT_PIECE];
        *here = box_of(f, from, to, (bool *)f->contacts->box_table.column[1] + from / SN_CONTACT_PIECE);
        if (contact_reaches(here->low) && contact_reaches(here->high))
            continue;
        for (uint32_t slot = from; slot < to; ++slot)
            if (is_too_far(f, slot))
                atomic_store_explicit(&f->too_far, true, memory_order_relaxed);
    }
}

/* Fills in the margins of all particles. For balls they are the spheres with which pairs are searched for. */
static void fill_margins(void *data, uint32_t first, uint32_t end)
{
    sn_contact_finding *f = data;
    const sn_particle_store *p = &f->world->particles;
    bool any = false, choice = false;
    for (uint32_t slot = first; slot < end; ++slot) {
        spheres(f->contacts)[slot] = margin_of(p, slot, displacement_of(f, slot));
        any = any || p->radius[slot] > 0;
        choice = choice || p->x[slot].w == 0 || p->group[slot] != 0;
    }
    if (any)
        atomic_store_explicit(&f->has_spheres, true, memory_order_relaxed);
    if (choice)
        atomic_store_explicit(&f->has_choice, true, memory_order_relaxed);
}

static bool prepare_margins(sn_contact_finding *f)
{
    if (f->contacts->knows_margins)
        return true;
    f->contacts->knows_margins = true;
    return sn_parallel_for(&f->world->parallel, f->world->particles.table.count, fill_margins, f);
}

/* Finds the least and the largest radius. */
static void measure_radii(const sn_world *world, sn_contacts *c)
{
    const sn_real *radius = world->particles.radius;
    c->least_radius = (sn_real)INFINITY;
    c->most_radius = 0;
    for (uint32_t slot = 0; world->contact.has_radii && slot < world->particles.table.count; ++slot) {
        c->most_radius = radius[slot] > c->most_radius ? radius[slot] : c->most_radius;
        c->least_radius = radius[slot] > 0 && radius[slot] < c->least_radius ? radius[slot] : c->least_radius;
    }
}

/* ---- Pairs of particles ------------------------------------------------------------------------------------------ */

/* True if a constraint joins two particles. */
static bool are_joined(const sn_world *world, uint32_t a, uint32_t b)
{
    const uint32_t *number = world->particles.index;
    return sn_incidence_joins(&world->incidence, &world->constraints, number[a], number[b]);
}

static bool near_in_rest(const sn_contact_world *c, const sn_particle_store *p, uint32_t a, uint32_t b, sn_real gap)
{
    uint32_t na = p->index[a], nb = p->index[b], count = c->rest_table.count;
    const sn_vec4 *rest = c->rest_table.column[0];
    if (na >= count || nb >= count || rest[na].w == 0 || rest[nb].w == 0)
        return false;
    sn_vec3 d = vec3_sub(vec4_xyz(rest[na]), vec4_xyz(rest[nb]));
    sn_real reach = p->radius[a] + p->radius[b] + gap;
    return vec3_dot(d, d) < reach * reach;
}

bool sn_contacts_is_wanted(void *data, uint32_t a, uint32_t b)
{
    const sn_world *world = data;
    const sn_particle_store *p = &world->particles;
    if (p->x[a].w == 0 && p->x[b].w == 0 && !sn_sleep_asks(world, (uint32_t[]){a, b}, 2))
        return false;
    if (sn_surfaces_has(world, p->index[a]) && sn_surfaces_has(world, p->index[b]))
        return false; /* they collide by their surfaces */
    const sn_group_contact *ga = sn_contact_group(&world->contact, p->group[a]), *gb = ga;
    if (p->group[a] == p->group[b]) {
        if (!ga->self || near_in_rest(&world->contact, p, a, b, ga->rest_gap))
            return false;
    } else {
        gb = sn_contact_group(&world->contact, p->group[b]);
    }
    return sn_contacts_agree(ga->category, ga->mask, gb->category, gb->mask) && !are_joined(world, a, b);
}

/* True if every pair is wanted, as in sand: then no filter is called. */
static bool wants_all(sn_contact_finding *f)
{
    const sn_world *world = f->world;
    const sn_contact_world *c = &world->contact;
    return !atomic_load_explicit(&f->has_choice, memory_order_relaxed) && !c->group_table.count &&
           !c->rest_table.count && !world->constraints.counts.live && !world->contacts.surfaces.on;
}

void sn_contacts_fill_batch(const sn_world *world, const sn_contact_pairs *set, uint32_t batch, bool recalls)
{
    static const sn_kept_impulse none;
    const sn_step_lengths *lengths = &world->contacts.lengths;
    const sn_near_batch *pairs = &set->near.batch[batch];
    const sn_particle_store *p = &world->particles;
    for (uint32_t i = 0; i < SN_NEAR; ++i) {
        size_t at = (size_t)batch * SN_NEAR + i;
        uint32_t a = pairs->a[i], b = pairs->b[i];
        pair_column(set, PAIR_REACH)[at] = p->radius[a] + p->radius[b];
        pair_column(set, PAIR_IMPULSE)[at] = pair_column(set, PAIR_IMPACT)[at] = 0;
        const sn_kept_impulse *old = recalls ? sn_contacts_recall(world, a, p->index[b]) : NULL;
        if (!old || (p->x[a].w == 0 && p->x[b].w == 0)) /* one of them sleeps: only to see whether it wakes */
            old = &none;
        const sn_vec3 across = sn_contacts_push_again_across(lengths, old->tangent_impulse, old->load.across);
        pair_column(set, PAIR_NORMAL_IMPULSE)[at] =
            sn_contacts_push_again(lengths, old->normal_impulse, old->load.along);
        pair_column(set, PAIR_LAST)[at] = sn_contacts_push_again(lengths, old->last, old->load.along);
        pair_column(set, PAIR_LOAD)[at] = old->load.along;
        for (uint32_t k = 0; k < 3; ++k) {
            pair_column(set, PAIR_FRICTION_IMPULSE)[((size_t)batch * 3 + k) * SN_NEAR + i] = vec3_part(&across, k);
            pair_column(set, PAIR_LOAD_ACROSS)[((size_t)batch * 3 + k) * SN_NEAR + i] = vec3_part(&old->load.across, k);
        }
        if (!world->contacts.varied)
            continue;
        sn_friction friction = sn_contacts_friction(&sn_contact_group(&world->contact, p->group[a])->material,
                                                    &sn_contact_group(&world->contact, p->group[b])->material);
        pair_column(set, PAIR_STATIC_FRICTION)[at] = friction.static_friction;
        pair_column(set, PAIR_DYNAMIC_FRICTION)[at] = friction.dynamic_friction;
        pair_column(set, PAIR_RESTITUTION)[at] = friction.restitution;
    }
}

static void fill_batches(void *data, uint32_t first, uint32_t end)
{
    sn_contact_finding *f = data;
    for (uint32_t b = first; b < end; ++b)
        sn_contacts_fill_batch(f->world, &f->contacts->pairs[SN_PAIRS_FIRST], b, true);
}

sn_skin_contact sn_contacts_take_pair(sn_world *world, uint32_t batch, uint32_t lane)
{
    const sn_contact_pairs *set = &world->contacts.pairs[SN_PAIRS_FIRST];
    const sn_particle_store *p = &world->particles;
    const sn_near_batch *pairs = &set->near.batch[batch];
    size_t at = (size_t)batch * SN_NEAR + lane;
    uint32_t a = pairs->a[lane], b = pairs->b[lane];
    const sn_real *tangent_impulse = pair_column(set, PAIR_FRICTION_IMPULSE) + (size_t)batch * 3 * SN_NEAR + lane;
    const sn_real *across = pair_column(set, PAIR_LOAD_ACROSS) + (size_t)batch * 3 * SN_NEAR + lane;
    sn_skin_contact g = {
        .slot = {a, b, b, b},
        .triangle = SN_SKIN_CONTACT_PAIR,
        .side = 1,
        .reach = p->radius[a] + p->radius[b],
        .friction = sn_contacts_friction(&sn_contact_group(&world->contact, p->group[a])->material,
                                         &sn_contact_group(&world->contact, p->group[b])->material),
        .normal_impulse = pair_column(set, PAIR_NORMAL_IMPULSE)[at],
        .last = pair_column(set, PAIR_LAST)[at],
        .tangent_impulse = vec3(tangent_impulse[0], tangent_impulse[SN_NEAR], tangent_impulse[2 * SN_NEAR]),
        .load = {pair_column(set, PAIR_LOAD)[at], vec3(across[0], across[SN_NEAR], across[2 * SN_NEAR])},
        .weight = {1, 0, 0}};
    const sn_kept_impulse *old = sn_contacts_recall(world, a, p->index[b]);
    g.rolled = old ? old->rolled : vec3(0, 0, 0);
    pair_column(set, PAIR_REACH)[at] = pair_column(set, PAIR_NORMAL_IMPULSE)[at] = pair_column(set, PAIR_LAST)[at] = 0;
    return g;
}

/* Decides whether all pairs have the same material, or each has its own. */
static void look_at_materials(sn_world *world, sn_contacts *c)
{
    const sn_group_record *group = world->contact.group_table.column[0];
    sn_contact_material plain = sn_default_contact_material();
    c->varied =
        world->contact.group_table.count > 0 || world->pre_solve; /* a pre-solve function may change each pair */
    c->friction = sn_contacts_friction(&plain, &plain);
    c->bounces = false;
    for (uint32_t i = 0; i < world->contact.group_table.count; ++i)
        c->bounces = c->bounces || group[i].contact.material.restitution > 0;
}

static sn_result find_pairs(sn_contact_finding *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    sn_contact_pairs *pairs = &c->pairs[SN_PAIRS_FIRST];
    sn_neighbours *near = &pairs->near;
    bool lost = false;
    sn_near_input input = {.count = world->particles.table.count,
                           .sphere = c->sphere_table.column[0],
                           .number = world->particles.index,
                           .wanted = c->all_wanted ? NULL : sn_contacts_is_wanted,
                           .data = world};
    near->pairs = near->batches = near->blocks = near->colours = 0;
    if (!world->contact.settings.particles || !atomic_load_explicit(&f->has_spheres, memory_order_relaxed) ||
        c->surfaces.alone ||
        (world->contact.sleep.sleepers && !world->contact.sleep.news && !sn_contacts_any_moves(world)))
        return SN_OK;
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    bool left;
    if (!sn_contacts_leave_quiet(world, &input, &left))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact of particles");
    if (!sn_neighbours_find(near, &world->allocator, &world->parallel, &input, &lost))
        return lost ? world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop")
                    : world_fail(world, SN_ERROR_MEMORY, "no memory for contact of particles");
    if (left)
        sn_contacts_name_slots(world, near);
    if (!sn_table_reserve(&pairs->table, &world->allocator, near->batches) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, near->blocks))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u pairs of particles in contact", near->pairs);
    sn_batch_loop loop;
    if (!sn_contacts_run_batches(world, pairs, &loop, fill_batches, f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    return SN_OK;
}

/* ---- Fixed shapes ------------------------------------------------------------------------------------------------ */

/* m: the distance of the farthest point from the shape's origin; infinite for planes. */
static sn_real extent(const sn_shape *shape)
{
    sn_bounds b = sn_shape_bounds(shape);
    sn_vec3 most = vec3(fmax((double)-b.low.x, (double)b.high.x), fmax((double)-b.low.y, (double)b.high.y),
                        fmax((double)-b.low.z, (double)b.high.z));
    return vec3_length(most);
}

/* The motion of a fixed shape in a step. */
static sn_fixed_motion motion_of(const sn_world *world, const sn_fixed_shape *r, sn_real dt)
{
    const sn_fixed_body *body = sn_fixed_of(world, r->body);
    const sn_pose now = r->pose, end = sn_fixed_end(body, dt);
    sn_fixed_motion m = {.step_start = now, .start = now, .end = now, .live = true};
    m.body_start = body->pose;
    m.body_end = end;
    m.own = r->own;
    m.step_end = sn_pose_of(&end, &r->own);
    m.velocity = body->velocity;
    m.spin = body->spin;
    if (body->has_target) {
        m.velocity = vec3_scale(vec3_sub(body->target.position, body->pose.position), 1 / dt);
        m.spin = vec3_scale(sn_quat_between(body->pose.rotation, body->target.rotation), 1 / dt);
    }
    sn_real turns = vec3_length(m.spin);
    m.moves = body->has_target || turns > 0 || vec3_length(m.velocity) > 0; /* a target is reached, however slowly */
    m.course = sn_fixed_follow(world, body, m.velocity, m.spin, dt, &m.change, &m.spin_change);
    if (!m.moves || body->anchor != SN_ID_FREE) /* anchors move at one velocity */
        m.change = m.spin_change = vec3(0, 0, 0);
    m.changes = vec3_dot(m.change, m.change) > 0 || vec3_dot(m.spin_change, m.spin_change) > 0;
    m.velocity = vec3_add(m.velocity, vec3_cross(m.spin, vec3_sub(now.position, body->pose.position)));
    m.normal = sn_quat_rotate(now.rotation, vec3(0, 1, 0));
    m.plain = r->shape.type == SN_SHAPE_PLANE && !(turns > 0); /* without spin there is no change of it */
    m.bounces = sn_fixed_shape_material(&world->contact, r)->restitution > 0;
    m.speed = vec3_length(m.velocity) + (turns > 0 ? turns * extent(&r->shape) : 0);
    m.swept = sn_shape_bounds_at(&r->shape, &now);
    if (m.moves) { /* on a curved path a point is at most its arc length by rotation away from the chord */
        sn_real bow = turns > 0 ? turns * dt * extent(&r->shape) : 0;
        m.swept = grow(unite(m.swept, sn_shape_bounds_at(&r->shape, &m.step_end)), bow);
    }
    if (m.changes) { /* from the way at one velocity it deviates by an eighth of the change times dt */
        const sn_real twist = vec3_length(m.spin_change),
                      more = vec3_length(m.change) + (twist > 0 ? twist * extent(&r->shape) : 0);
        m.speed += more / 2;
        m.swept = grow(m.swept, more * dt / 8);
    }
    return m;
}

/* Fails if a fixed shape goes beyond the reach. Fixed shapes move in every step, whether anything is near or not. */
static sn_result check_fixed_shapes(const sn_contact_finding *f)
{
    const sn_contacts *c = f->contacts;
    for (uint32_t number = 0; c->beyond && number < c->motion_table.count; ++number) {
        const sn_fixed_motion *m = &motions(c)[number];
        sn_vec3 end = m->step_end.position;
        if (m->live && m->beyond)
            return world_fail(
                f->world, SN_ERROR_DIVERGED,
                "at %g s body %u: it would come to (%g, %g, %g) m at (%g, %g, %g) rad/s; contact computes "
                "up to %g m from the origin",
                f->world->state.time, record_of(f->world, number)->body, (double)end.x, (double)end.y, (double)end.z,
                (double)m->spin.x, (double)m->spin.y, (double)m->spin.z, SN_CONTACT_REACH);
    }
    return SN_OK;
}

/* Updates the motion of a fixed shape for this step. */
static void follow_fixed_shape(sn_contact_finding *f, uint32_t number)
{
    sn_contacts *c = f->contacts;
    sn_fixed_motion *m = &motions(c)[number], was = *m;
    if (sn_ids_is_live(&f->world->contact.fixed_shape_ids, number)) {
        *m = motion_of(f->world, record_of(f->world, number), f->dt);
        m->beyond = !(contact_reaches(m->step_start.position) && contact_reaches(m->step_end.position) &&
                      vec3_length(m->spin) * f->dt <= (sn_real)SN_CONTACT_REACH);
        sn_fixed_tree_set(&c->fixed_shapes, number, &m->swept, m->moves);
    } else {
        *m = (sn_fixed_motion){0};
        sn_fixed_tree_remove(&c->fixed_shapes, number);
    }
    c->bouncing += (uint32_t)m->bounces - (uint32_t)was.bounces;
    c->beyond += (uint32_t)m->beyond - (uint32_t)was.beyond;
    m->listed = was.listed;
    if (m->moves && !m->listed) {
        ((uint32_t *)c->mover_table.column[0])[c->mover_table.count++] = number;
        m->listed = true;
    }
}

/* Updates the shapes that move. Those that have stopped leave the list. */
static void follow_movers(sn_contact_finding *f)
{
    sn_contacts *c = f->contacts;
    uint32_t *mover = c->mover_table.column[0], count = c->mover_table.count, kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        follow_fixed_shape(f, mover[i]);
        motions(c)[mover[i]].listed = motions(c)[mover[i]].moves;
        if (motions(c)[mover[i]].moves)
            mover[kept++] = mover[i];
    }
    c->mover_table.count = kept;
}

static void forget_fixed_shapes(sn_contacts *c)
{
    c->motion_table.count = c->mover_table.count = c->bouncing = c->beyond = 0;
    sn_fixed_tree_clear(&c->fixed_shapes);
}

/* Updates motions and the tree, for fixed shapes that were edited and for those that move. */
static bool prepare_fixed_shapes(sn_contact_finding *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    sn_contact_world *contact = &world->contact;
    const uint32_t count = contact->fixed_shape_ids.table.count, room = contact->edited_table.capacity;
    if (contact->all_edited)
        forget_fixed_shapes(c);
    if (!sn_table_reserve(&c->motion_table, &world->allocator, count) ||
        !sn_table_reserve(&c->mover_table, &world->allocator, count) ||
        !sn_table_reserve(&contact->edited_table, &world->allocator, count) ||
        !sn_fixed_tree_reserve(&c->fixed_shapes, &world->allocator, count))
        return false;
    for (; c->motion_table.count < count; c->motion_table.count++)
        motions(c)[c->motion_table.count] = (sn_fixed_motion){0};
    uint32_t *edited = contact->edited_table.column[0];
    bool *noted = contact->edited_table.column[1];
    for (uint32_t number = 0; contact->all_edited && number < count; ++number)
        follow_fixed_shape(f, number);
    for (uint32_t i = 0; i < contact->edited_table.count && !contact->all_edited; ++i)
        follow_fixed_shape(f, edited[i]);
    follow_movers(f);
    if (noted && (contact->all_edited || contact->edited_table.capacity > room))
        memset(noted, 0, contact->edited_table.capacity * sizeof *noted);
    for (uint32_t i = 0; i < contact->edited_table.count; ++i)
        noted[edited[i]] = false;
    contact->edited_table.count = 0;
    contact->all_edited = false;
    return sn_fixed_tree_build(&c->fixed_shapes, &world->allocator);
}

/* True if a particle already has a static contact with this shape. The contacts of a piece are sorted by shape, then by
   slot. */
static bool has_static(const sn_contacts *c, uint32_t slot, uint32_t number)
{
    const sn_static_contact *contact = c->static_table.column[0];
    const uint32_t *start = c->piece_table.column[0];
    uint32_t low = start[slot / SN_CONTACT_PIECE], end = start[slot / SN_CONTACT_PIECE + 1], high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (contact[middle].number < number || (contact[middle].number == number && contact[middle].slot < slot))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && contact[low].number == number && contact[low].slot == slot)
        return true;
    for (uint32_t next = late_statics(c)[slot]; next; next = contact[next - 1].next)
        if (contact[next - 1].number == number)
            return true;
    return false;
}

bool sn_contacts_look_at_fixed_shape(void *data, uint32_t number)
{
    sn_contact_looking *l = data;
    sn_world *world = l->f->world;
    const sn_fixed_motion *m = &motions(l->f->contacts)[number];
    const sn_fixed_shape *r = record_of(world, number);
    const sn_particle_store *p = &world->particles;
    sn_touch touch;
    sn_vec3 x = vec4_xyz(p->x[l->slot]);
    sn_real reach = l->reach + m->speed * l->f->dt;
    if (r->shape.type == SN_SHAPE_PLANE &&
        vec3_dot(vec3_sub(x, m->step_start.position), m->normal) - r->shape.thickness > reach)
        return true; /* an early exit for the usual case */
    const sn_group_contact *group = sn_contact_group(&world->contact, p->group[l->slot]);
    const sn_filter filter = sn_fixed_shape_filter(&world->contact, r);
    if (!sn_contacts_agree(group->category, group->mask, filter.category, filter.mask) ||
        sn_fixed_joins(world, r->body, p->index[l->slot]))
        return true;
    if (!isfinite(reach)) /* of a plane that rotates */
        reach = (sn_real)INFINITY;
    sn_shape shape = r->shape;
    shape.sides = SN_SIDES_BOTH; /* a particle that left its margin may be behind a one-sided mesh already */
    if (!sn_shape_near(&shape, sn_pose_to_own(&m->step_start, x), reach, &touch) || touch.distance > reach)
        return true;
    if (l->f->late && has_static(l->f->contacts, l->slot, number))
        return true;
    if (r->shape.type != SN_SHAPE_PLANE) {
        l->sided = true;
        l->meshes = l->meshes || shape.type >= SN_SHAPE_MESH;
        atomic_store_explicit(&l->f->sided, true, memory_order_relaxed);
    }
    const sn_contact_material *material = sn_fixed_shape_material(&world->contact, r);
    if (l->to && l->f->late) {
        l->to[l->found] = (sn_static_contact){.slot = l->slot,
                                              .number = number,
                                              .friction = sn_contacts_friction(&group->material, material),
                                              .sensor = r->def.sensor,
                                              .before = vec4_xyz(p->v[l->slot])};
    } else if (l->to) {
        static const sn_kept_impulse none;
        const sn_step_lengths *lengths = &world->contacts.lengths;
        const sn_kept_impulse *old = sn_contacts_recall(world, l->slot, SN_IMPULSE_FIXED | number);
        old = old ? old : &none;
        l->to[l->found] = (sn_static_contact){
            .slot = l->slot,
            .number = number,
            .friction = sn_contacts_friction(&group->material, material),
            .sensor = r->def.sensor,
            .normal = old->normal,
            .normal_impulse = sn_contacts_push_again(lengths, old->normal_impulse, old->load.along),
            .last = sn_contacts_push_again(lengths, old->last, old->load.along),
            .rolled = old->rolled,
            .tangent_impulse = sn_contacts_push_again_across(lengths, old->tangent_impulse, old->load.across),
            .load = old->load};
    }
    if (l->to && sn_contact_runs(material)) {
        l->to[l->found].belt = sn_fixed_surface_velocity(world, r);
        l->to[l->found].belted = true;
    }
    l->found++;
    return true;
}

/* Stable bottom-up merge sort by the number of the fixed shape; the input is sorted by slot. */
static void sort_piece(sn_static_contact *contact, uint32_t count, sn_static_contact *scratch)
{
    sn_static_contact *from = contact, *to = scratch;
    bool sorted = true;
    for (uint32_t i = 1; i < count; ++i)
        sorted = sorted && contact[i - 1].number <= contact[i].number;
    for (uint32_t width = 1; !sorted && width < count; width *= 2) {
        for (uint32_t low = 0; low < count; low += 2 * width) {
            uint32_t a = low, middle = low + width < count ? low + width : count, b = middle;
            uint32_t high = low + 2 * width < count ? low + 2 * width : count;
            for (uint32_t i = low; i < high; ++i)
                to[i] = a < middle && (b >= high || from[a].number <= from[b].number) ? from[a++] : from[b++];
        }
        sn_static_contact *swap = from;
        from = to;
        to = swap;
    }
    if (from != contact)
        memcpy(contact, from, count * sizeof *contact);
}

static bool overlaps(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* The fixed shapes near a piece of particles. */
typedef struct nearby {
    const sn_contact_finding *f;
    const sn_bounds *box; /* of the piece */
    uint32_t count;       /* if above NEARBY: the list is not complete */
    uint32_t number[NEARBY];
} nearby;

/* True if the box is entirely above the plane. */
static bool is_above(const nearby *near, uint32_t number)
{
    const sn_fixed_motion *m = &motions(near->f->contacts)[number];
    const sn_vec3 n = m->normal;
    if (!m->plain)
        return false;
    sn_vec3 low = vec3(n.x > 0 ? near->box->low.x : near->box->high.x, n.y > 0 ? near->box->low.y : near->box->high.y,
                       n.z > 0 ? near->box->low.z : near->box->high.z);
    return vec3_dot(vec3_sub(low, m->step_start.position), n) - record_of(near->f->world, number)->shape.thickness >
           m->speed * near->f->dt;
}

static bool add_nearby(void *data, uint32_t number)
{
    nearby *near = data;
    if (is_above(near, number))
        return true;
    if (near->count < NEARBY)
        near->number[near->count] = number;
    near->count++;
    return near->count <= NEARBY;
}

static nearby fixed_shapes_near(const sn_contact_finding *f, uint32_t piece)
{
    nearby near;
    near.f = f;
    near.box = (const sn_bounds *)f->contacts->box_table.column[0] + piece;
    near.count = 0;
    sn_fixed_tree_overlap(&f->contacts->fixed_shapes, near.box, add_nearby, &near);
    return near;
}

/* shared: one push may lead through something else. A point has no room for that between two planes, or between two faces
   of a mesh or field. */
static uint32_t look_around(sn_contact_finding *f, uint32_t slot, const nearby *near, sn_static_contact *to,
                            bool *shared)
{
    const sn_particle_store *p = &f->world->particles;
    sn_contacts *c = f->contacts;
    sn_contact_looking l = {.f = f, .slot = slot, .reach = p->radius[slot] + displacement_of(f, slot), .to = to};
    sn_vec3 x = vec4_xyz(p->x[slot]);
    sn_bounds box = grow((sn_bounds){x, x}, l.reach);
    if (p->x[slot].w == 0 || p->body[slot]) /* bodies: see body_solve.c */
        return 0;
    if (near->count > NEARBY)
        sn_fixed_tree_overlap(&c->fixed_shapes, &box, sn_contacts_look_at_fixed_shape, &l);
    for (uint32_t i = 0; i < near->count && near->count <= NEARBY; ++i)
        if (overlaps(&motions(c)[near->number[i]].swept, &box))
            sn_contacts_look_at_fixed_shape(&l, near->number[i]);
    *shared = p->radius[slot] == 0 ? l.found > 1 || l.meshes : l.found > 1 && l.sided;
    return l.found;
}

/* A bit for each particle of a piece that found contacts when they were counted: the others need no second search. */
typedef struct static_finders {
    uint64_t bits[SN_CONTACT_PIECE / 64];
} static_finders;

static void statics_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    sn_contact_finding *f = data;
    uint32_t *start = f->contacts->piece_table.column[0], count = f->world->particles.table.count;
    uint32_t first = index * SN_CONTACT_PIECE,
             end = count - first < SN_CONTACT_PIECE ? count : first + SN_CONTACT_PIECE, found = 0;
    static_finders *finders = (static_finders *)f->contacts->piece_table.column[1] + index;
    sn_static_contact *contact =
        f->counting ? NULL : (sn_static_contact *)f->contacts->static_table.column[0] + start[index];
    if (f->counting)
        memset(finders, 0, sizeof *finders);
    nearby near = {.count = 0};
    if (!contact_is_still(f->contacts, first))
        near = fixed_shapes_near(f, index);
    if (near.count)
        atomic_store_explicit(&f->close, true, memory_order_relaxed);
    for (uint32_t slot = near.count ? first : end; slot < end; ++slot) {
        uint64_t *word = &finders->bits[(slot - first) / 64], bit = UINT64_C(1) << slot % 64;
        if (!f->counting && !(*word & bit))
            continue;
        bool shared = false;
        uint32_t here = look_around(f, slot, &near, contact ? contact + found : NULL, &shared);
        *word |= here ? bit : 0;
        for (uint32_t i = 0; contact && shared && i < here; ++i)
            contact[found + i].shared = true;
        if (shared)
            atomic_store_explicit(&f->shared, true, memory_order_relaxed);
        found += here;
    }
    if (f->counting)
        start[index] = found;
    else
        sort_piece(contact, found, (sn_static_contact *)f->contacts->static_table.column[1] + start[index]);
}

/* Counts contacts first, then writes them, so that each has its place. */
static sn_result find_statics(sn_contact_finding *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    uint32_t count = world->particles.table.count, total = 0;
    c->static_contacts = 0;
    c->pieces = (count + SN_CONTACT_PIECE - 1) / SN_CONTACT_PIECE;
    if (!world->contact.fixed_shape_ids.live || !count) {
        c->pieces = 0;
        return SN_OK;
    }
    if (!sn_table_reserve(&c->piece_table, &world->allocator, c->pieces + 1) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, c->pieces))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact with fixed shapes");
    f->counting = true;
    if (!sn_parallel_tasks(share(world, count * WORK_OF_LOOK), c->pieces, statics_piece, f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    uint32_t *start = c->piece_table.column[0];
    for (uint32_t i = 0; i < c->pieces; ++i) {
        uint32_t here = start[i];
        start[i] = total;
        total += here;
    }
    start[c->pieces] = total;
    if (!sn_table_reserve(&c->static_table, &world->allocator, total))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u contacts with fixed shapes", total);
    f->counting = false;
    if (total && !sn_parallel_tasks(share(world, count * WORK_OF_LOOK), c->pieces, statics_piece, f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    c->static_contacts = total;
    return SN_OK;
}

sn_result sn_contacts_find(sn_world *world, sn_real dt)
{
    sn_contacts *c = &world->contacts;
    sn_contact_finding f = {.world = world, .contacts = c, .dt = dt};
    uint32_t count = world->particles.table.count;
    sn_stage_enter(world, SN_STAGE_BROAD_PHASE);
    sn_contacts_compare(world, dt);
    c->any = c->searched = c->surfaces.on = false;
    c->static_contacts = c->skin_contacts = 0;
    c->pairs[SN_PAIRS_FIRST].near.batches = c->pairs[SN_PAIRS_LATE].near.batches = c->pairs[SN_PAIRS_LATE].near.pairs =
        0;
    look_at_materials(world, c);
    c->spins = sn_spin_any(world);
    if (!prepare_fixed_shapes(&f)) {
        world->contact.all_edited = true;
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u shapes of static bodies",
                          world->contact.fixed_shape_ids.live);
    }
    c->bounces = c->bounces || c->bouncing;
    sn_result result = check_fixed_shapes(&f);
    if (result != SN_OK)
        return result;
    if (!world->contact.settings.on || !count ||
        !(world->contact.fixed_shape_ids.live || world->contact.skin_ids.live || world->contact.has_radii ||
          world->bodies.part_table.count))
        return SN_OK;
    if (!sn_table_reserve(&c->box_table, &world->allocator, count / SN_CONTACT_PIECE + 1) ||
        !sn_table_reserve(&c->sphere_table, &world->allocator, count) ||
        !sn_table_reserve(&c->path_table, &world->allocator, count) ||
        !sn_table_reserve(&c->left_table, &world->allocator, count) || !sn_contacts_index(world) ||
        !sn_spin_reserve(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    if (!sn_parallel_for(&world->parallel, count, measure_piece, &f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    if (atomic_load_explicit(&f.too_far, memory_order_relaxed))
        return blame_too_far(&f);
    c->has_margins = c->knows_margins = c->late = c->fast = false;
    c->searched = true;
    c->step = dt;
    c->has_margins = world->contact.has_radii;
    if ((c->has_margins || world->bodies.part_table.count) && !prepare_margins(&f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    world->contact.has_radii = atomic_load_explicit(&f.has_spheres, memory_order_relaxed);
    measure_radii(world, c);
    if ((result = sn_surfaces_find(world, dt)) != SN_OK)
        return result;
    c->all_wanted = wants_all(&f);
    if (world->bodies.table.count && /* also of anchors of fixed bodies, which constraints may join to particles */
        !sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    sn_sleep_touch_fixed_shapes(world, dt);
    do { /* again, if a moving particle wakes others */
        if (world->contact.sleep.woke)
            memset(c->box_table.column[1], false, (count / SN_CONTACT_PIECE + 1) * sizeof(bool));
        result = find_statics(&f);
        if (result == SN_OK)
            result = find_pairs(&f);
        if (result == SN_OK)
            result = sn_skin_contacts_find(world, dt);
    } while (result == SN_OK && sn_sleep_touch(world, dt));
    if (result == SN_OK && !sn_supports_reserve(world))
        result = world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    if (result != SN_OK) {
        c->static_contacts = c->pairs[SN_PAIRS_FIRST].near.batches = c->skin_contacts = 0;
        return result;
    }
    c->any = c->static_contacts || c->pairs[SN_PAIRS_FIRST].near.batches || c->skin_contacts || c->watches ||
             c->watched || c->surfaces.on;
    if (c->any &&
        !sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    c->shared = atomic_load_explicit(&f.shared, memory_order_relaxed);
    c->sided = atomic_load_explicit(&f.sided, memory_order_relaxed);
    c->has_margins = c->has_margins || c->any || atomic_load_explicit(&f.close, memory_order_relaxed);
    if (c->has_margins && !prepare_margins(&f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    return SN_OK;
}
