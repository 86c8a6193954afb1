/* Contact of particles in a step: the search, once; and in every substep non-penetration, friction and restitution.

   Contact acts on positions and velocities after the constraints have been solved and velocities have been derived from
   positions. So contact has the last word, and its impulses change both. Pairs of particles come first, colour by
   colour (collision/neighbours.h), then fixed shapes, each particle by itself. */
#include "contact/particle_work.h"

#include "contact/particle_supports.h"

#include <string.h>

/* ns, about: to decide whether threads pay. */
#define WORK_OF_PAIR 10.0

/* Per visit this share of an overlap is removed, down to an overlap of SLOP times the sum of the radii. */
#define EASE ((sn_real)0.2)
#define SLOP ((sn_real)0.002)

void sn_contacts_init(sn_contacts *c)
{
    *c = (sn_contacts){0};
    for (uint32_t set = 0; set < SN_PAIR_SETS; ++set) {
        sn_neighbours_init(&c->pairs[set].near);
        for (int i = 0; i < PAIR_COLUMNS; ++i)
            sn_table_column(&c->pairs[set].table, (i >= PAIR_FRICTION_IMPULSE ? 3 : 1) * SN_NEAR * sizeof(sn_real),
                            false);
        sn_table_column(&c->pairs[set].given_table, 3 * SN_NEAR * sizeof(sn_real), false);
        sn_table_column(&c->pairs[set].belt_table, 3 * SN_NEAR * sizeof(sn_real), false);
    }
    sn_table_column(&c->sphere_table, sizeof(sn_vec4), false);
    sn_table_column(&c->sphere_table, sizeof(sn_vec4), false);
    sn_table_column(&c->left_table, sizeof(uint8_t), false);
    sn_table_column(&c->left_table, sizeof(uint32_t), false);
    sn_table_column(&c->left_table, sizeof(uint8_t), false);
    sn_table_column(&c->left_list_table, sizeof(uint32_t), false);
    sn_table_column(&c->known_table, sizeof(sn_sort_item), false);
    sn_table_column(&c->known_table, sizeof(sn_sort_item), false);
    sn_table_column(&c->kept_table, sizeof(sn_kept_pair), false);
    sn_table_column(&c->kept_table, sizeof(sn_sort_item), false);
    sn_table_column(&c->kept_table, sizeof(sn_sort_item), false);
    sn_table_column(&c->store_table, sizeof(uint32_t), false);
    sn_table_column(&c->store_table, sizeof(sn_vec4), false);
    sn_table_column(&c->motion_table, sizeof(sn_fixed_motion), false);
    sn_table_column(&c->mover_table, sizeof(uint32_t), false);
    sn_fixed_tree_init(&c->fixed_shapes);
    sn_table_column(&c->box_table, sizeof(sn_bounds), false);
    sn_table_column(&c->box_table, sizeof(bool), false);
    sn_table_column(&c->quiet_table, sizeof(sn_vec4), false);
    sn_table_column(&c->quiet_table, sizeof(uint32_t), false);
    sn_table_column(&c->quiet_table, sizeof(uint32_t), false);
    sn_table_column(&c->quiet_bit_table, sizeof(uint64_t), false);
    sn_table_column(&c->static_table, sizeof(sn_static_contact), false);
    sn_table_column(&c->static_table, sizeof(sn_static_contact), false);
    sn_table_column(&c->support_table, sizeof(sn_contact_support), false);
    sn_table_column(&c->support_of_table, sizeof(uint32_t), true);
    sn_table_column(&c->skin_contact_table, sizeof(sn_skin_contact), false);
    sn_table_column(&c->skin_contact_table, sizeof(sn_skin_contact), false);
    sn_table_column(&c->skin_contact_start_table, sizeof(uint32_t), false);
    sn_table_column(&c->triangle_table, sizeof(sn_bounds), false);
    sn_table_column(&c->triangle_table, sizeof(uint32_t), false);
    sn_table_column(&c->colour_table, sizeof(uint64_t), false);
    sn_table_column(&c->normal_table, sizeof(sn_vec4), false);
    sn_bvh_init(&c->skin_tree);
    sn_table_column(&c->piece_table, sizeof(uint32_t), false);
    sn_table_column(&c->piece_table, SN_CONTACT_PIECE / 8, false);
    sn_skin_contacts_init(c);
    sn_rigid_init(&c->rigid);
    sn_surfaces_init(&c->surfaces);
}

void sn_contacts_release(sn_contacts *c, const sn_allocator *allocator)
{
    for (uint32_t set = 0; set < SN_PAIR_SETS; ++set) {
        sn_neighbours_release(&c->pairs[set].near, allocator);
        sn_table_release(&c->pairs[set].table, allocator);
        sn_table_release(&c->pairs[set].given_table, allocator);
        sn_table_release(&c->pairs[set].belt_table, allocator);
    }
    sn_table_release(&c->sphere_table, allocator);
    sn_table_release(&c->left_table, allocator);
    sn_table_release(&c->left_list_table, allocator);
    sn_table_release(&c->known_table, allocator);
    sn_table_release(&c->kept_table, allocator);
    sn_table_release(&c->store_table, allocator);
    sn_table_release(&c->motion_table, allocator);
    sn_table_release(&c->mover_table, allocator);
    sn_fixed_tree_release(&c->fixed_shapes, allocator);
    sn_table_release(&c->box_table, allocator);
    sn_table_release(&c->quiet_table, allocator);
    sn_table_release(&c->quiet_bit_table, allocator);
    sn_table_release(&c->static_table, allocator);
    sn_table_release(&c->support_table, allocator);
    sn_table_release(&c->support_of_table, allocator);
    sn_table_release(&c->skin_contact_table, allocator);
    sn_table_release(&c->skin_contact_start_table, allocator);
    sn_table_release(&c->triangle_table, allocator);
    sn_table_release(&c->colour_table, allocator);
    sn_table_release(&c->normal_table, allocator);
    sn_bvh_release(&c->skin_tree, allocator);
    sn_table_release(&c->piece_table, allocator);
    sn_skin_contacts_release(c, allocator);
    sn_rigid_release(&c->rigid, allocator);
    sn_surfaces_release(&c->surfaces, allocator);
}

/* ---- Loops over pairs -------------------------------------------------------------------------------------------- */

/* Blocks in a task. */
#define BLOCKS_A_TASK 4u

static void run_batches_task(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const sn_batch_loop *loop = data;
    const sn_neighbours *near = loop->near;
    for (uint32_t i = index * BLOCKS_A_TASK; i < near->blocks && i < (index + 1) * BLOCKS_A_TASK; ++i)
        loop->piece(loop->data, near->block[near->by_place[i]], near->block[near->by_place[i] + 1]);
}

/* Runs a loop over batches in pieces, ordered by place: so a thread gets the pairs that it found, or that it will
   solve. False if the task hook lost tasks. */
bool sn_contacts_run_batches(sn_world *world, const sn_contact_pairs *pairs, sn_batch_loop *loop, sn_piece_fn *piece,
                             void *data)
{
    const sn_neighbours *near = &pairs->near;
    *loop = (sn_batch_loop){near, piece, data};
    return !near->batches || sn_parallel_tasks(share(world, near->batches * WORK_OF_PAIR * SN_NEAR),
                                               near->blocks / BLOCKS_A_TASK + (near->blocks % BLOCKS_A_TASK != 0),
                                               run_batches_task, loop);
}

/* ---- A substep --------------------------------------------------------------------------------------------------- */

/* Selects the set of pairs that loops work on. */
void sn_contacts_choose_pairs(sn_contact_pass *p, uint32_t set)
{
    const sn_contact_pairs *pairs = &p->contacts->pairs[set];
    p->set = pairs;
    p->pairs.index = pairs->near.batches ? pairs->near.batch[0].a : NULL;
    p->pairs.lanes = pairs->near.lanes;
    p->pairs.reach = pair_column(pairs, PAIR_REACH);
    p->pairs.normal_impulse = pair_column(pairs, PAIR_NORMAL_IMPULSE);
    p->pairs.last = pair_column(pairs, PAIR_LAST);
    p->pairs.tangent_impulse = pair_column(pairs, PAIR_FRICTION_IMPULSE);
    if (p->contacts->varied) {
        p->pairs.static_friction = pair_column(pairs, PAIR_STATIC_FRICTION);
        p->pairs.dynamic_friction = pair_column(pairs, PAIR_DYNAMIC_FRICTION);
        p->pairs.restitution = pair_column(pairs, PAIR_RESTITUTION);
    }
    p->pairs.given = p->contacts->rigid.groups ? pairs->given_table.column[0] : NULL;
    p->pairs.belt = p->contacts->belts ? pairs->belt_table.column[0] : NULL;
}

static sn_contact_pass make_passing(sn_world *world, sn_real h)
{
    sn_contacts *c = &world->contacts;
    const sn_contact_settings *settings = &world->contact.settings;
    sn_real gravity = vec3_length(world->state.settings.gravity);
    sn_contact_pass p = {
        .world = world,
        .contacts = c,
        .wide = world->wide ? world->wide->contact : &sn_contact_scalar,
        .h = h,
        .preload_share = sn_world_preload_share(world, h),
        .pairs = {.x = world->particles.x,
                  .x_low = world->particles.x_low,
                  .v = world->particles.v,
                  .bounces = c->bounces,
                  .gravity = contact_is_behind(world) ? world->state.settings.gravity : vec3(0, 0, 0),
                  .static_friction_all = c->friction.static_friction,
                  .dynamic_friction_all = c->friction.dynamic_friction,
                  .restitution_all = c->friction.restitution,
                  .h = h,
                  .inverse_h = 1 / h,
                  .part = settings->push_out * h,
                  .ease = EASE,
                  .slop = SLOP,
                  .bounce_above = settings->bounce_above >= 0 ? settings->bounce_above : 2 * gravity * h}};
    sn_contacts_choose_pairs(&p, SN_PAIRS_FIRST);
    return p;
}

/* ---- Impulses of pairs, for events ------------------------------------------------------------------------------- */

sn_real sn_contacts_pair_impulse(const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane)
{
    return pair_column(pairs, PAIR_IMPULSE)[(size_t)batch * SN_NEAR + lane];
}

sn_real sn_contacts_pair_impact(const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane)
{
    return pair_column(pairs, PAIR_IMPACT)[(size_t)batch * SN_NEAR + lane];
}

/* Notes the approach speed of two particles: the speed that contact changed, less their separating speed now. `change`
   leaves out what contact changed in the substep before, which was a steady load. */
static void note_impact(const sn_contact_pass *p, uint32_t a, uint32_t b, sn_real change, sn_real *impact)
{
    const sn_vec4 *x = p->world->particles.x, *v = p->world->particles.v;
    const sn_vec3 d = vec3_sub(vec4_xyz(x[a]), vec4_xyz(x[b])), u = vec3_sub(vec4_xyz(v[a]), vec4_xyz(v[b]));
    const sn_real length = vec3_length(d), approach = change - (length > 0 ? vec3_dot(u, d) / length : 0);
    *impact = approach > *impact ? approach : *impact;
}

/* An impulse is the change of the relative velocity divided by the sum of the inverse masses. */
static void count_pushes(void *data, uint32_t first, uint32_t end)
{
    const sn_contact_pass *p = data;
    const sn_vec4 *x = p->world->particles.x;
    for (uint32_t batch = first; batch < end; ++batch)
        for (uint32_t i = 0; i < p->set->near.lanes[batch]; ++i) {
            const size_t at = (size_t)batch * SN_NEAR + i;
            const uint32_t a = p->set->near.batch[batch].a[i], b = p->set->near.batch[batch].b[i];
            const sn_real normal_impulse = pair_column(p->set, PAIR_NORMAL_IMPULSE)[at], give = x[a].w + x[b].w;
            if (!(normal_impulse > 0) || !(give > 0))
                continue;
            pair_column(p->set, PAIR_IMPULSE)[at] += normal_impulse * p->pairs.inverse_h / give;
            note_impact(p, a, b, (normal_impulse - pair_column(p->set, PAIR_LAST)[at]) * p->pairs.inverse_h,
                        &pair_column(p->set, PAIR_IMPACT)[at]);
        }
}

/* Called when a step begins, perhaps a second time. */
static void forget_impulses(sn_contacts *c)
{
    sn_static_contact *contact = c->static_table.column[0];
    sn_skin_contact *skin_contact = c->skin_contact_table.column[0];
    for (uint32_t i = 0; i < c->static_contacts; ++i) {
        contact[i].impulse = contact[i].impact = 0;
        contact[i].touched = false;
    }
    for (uint32_t i = 0; i < c->skin_contacts; ++i)
        skin_contact[i].impulse = skin_contact[i].impact = 0;
    const sn_contact_pairs *pairs = &c->pairs[SN_PAIRS_FIRST];
    for (int column = PAIR_IMPULSE; pairs->near.batches && column <= PAIR_IMPACT; ++column)
        memset(pair_column(pairs, column), 0, (size_t)pairs->near.batches * SN_NEAR * sizeof(sn_real));
}

static void run_block(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const sn_contact_pass *p = data;
    sn_wide_contacts run = p->pairs;
    run.first = p->set->near.block[p->block + index];
    run.end = p->set->near.block[p->block + index + 1];
    p->run(&run);
}

/* Runs colours one after the other. The blocks of a colour share no particle. */
static bool run_pairs(sn_contact_pass *p, sn_wide_contacts_fn *run)
{
    p->run = run;
    for (uint32_t set = 0; set < SN_PAIR_SETS; ++set) {
        const sn_neighbours *near = &p->contacts->pairs[set].near;
        sn_contacts_choose_pairs(p, set);
        for (uint32_t c = 0; near->batches && c < near->colours; ++c) {
            uint32_t first = near->colour[c], end = near->colour[c + 1];
            double work = (near->block[end] - near->block[first]) * WORK_OF_PAIR * SN_NEAR;
            p->block = first;
            if (!sn_parallel_tasks(share(p->world, work), end - first, run_block, p))
                return false;
        }
    }
    return true;
}

/* ---- The phases of a substep ------------------------------------------------------------------------------------- */

/* The pose of a body after a share f of the step. */
static sn_pose pose_after(const sn_fixed_motion *m, sn_real f)
{
    sn_pose pose = sn_pose_between(&m->body_start, &m->body_end, f);
    if (!m->changes)
        return pose;
    const sn_real share = m->course.dt * (f * f - f) / 2;
    pose.position = vec3_add(pose.position, vec3_scale(m->change, share));
    pose.rotation = sn_quat_rotated(pose.rotation, vec3_scale(m->spin_change, share));
    return pose;
}

/* Sets the poses of fixed shapes in substep i. */
static void move_fixed_shapes(sn_contacts *c, uint32_t i, uint32_t substeps)
{
    const uint32_t *mover = c->mover_table.column[0];
    for (uint32_t k = 0; k < c->mover_table.count; ++k) {
        sn_fixed_motion *m = &motions(c)[mover[k]];
        const sn_pose start = pose_after(m, (sn_real)i / (sn_real)substeps);
        const sn_pose end = pose_after(m, (sn_real)(i + 1) / (sn_real)substeps);
        m->start = sn_pose_of(&start, &m->own);
        m->end = sn_pose_of(&end, &m->own);
        m->normal = sn_quat_rotate(m->end.rotation, vec3(0, 1, 0));
        if (m->changes) {
            const sn_real share = ((sn_real)i + (sn_real)0.5) / (sn_real)substeps - (sn_real)0.5;
            m->spin = vec3_add(m->course.spin, vec3_scale(m->spin_change, share));
            m->velocity = vec3_add(m->course.velocity, vec3_scale(m->change, share));
            m->velocity = vec3_add(m->velocity, vec3_cross(m->spin, vec3_sub(m->start.position, start.position)));
        }
    }
}

bool sn_contacts_begin(sn_world *world, uint32_t i, uint32_t substeps, sn_real h)
{
    sn_contacts *c = &world->contacts;
    if (c->static_contacts || c->surfaces.on || world->body_contacts.mover_table.count)
        move_fixed_shapes(c, i, substeps);
    if (!c->any)
        return true;
    sn_stage_enter(world, SN_STAGE_NARROW_PHASE);
    sn_contact_pass p = make_passing(world, h);
    if (!sn_contact_preloads_begin(&p, i == 0))
        return false;
    sn_supports_begin(world, h);
    if (i == 0 && world->contact.settings.events)
        forget_impulses(c);
    c->has_starts = c->watches; /* then sn_skin_contacts_begin notes them */
    if (!sn_skin_contacts_begin(world, i, substeps, h) || !sn_surfaces_begin(world, h))
        return false;
    return !c->bounces || (sn_skin_contacts_solve_hits(world) && sn_contacts_run_statics(&p, sn_contacts_note_static));
}

bool sn_contacts_load(sn_world *world, sn_real h)
{
    sn_contact_pass p = make_passing(world, h);
    return !world->contacts.any || sn_contact_preloads_give_back(&p);
}

bool sn_contacts_pass(sn_world *world, sn_real h, bool first)
{
    if (!world->contacts.any)
        return true;
    sn_stage_enter(world, SN_STAGE_CONTACT);
    if (!sn_contacts_follow(world, h, first))
        return false;
    if (first)
        sn_rigid_begin(world);
    sn_contact_pass p = make_passing(world, h);
    p.first = first;
    sn_skin_contact_pass skin_contact = {
        .h = h, .part = p.pairs.part, .ease = p.pairs.ease, .bounce_above = p.pairs.bounce_above};
    if (first && !(run_pairs(&p, p.wide->warm) && sn_skin_contacts_warm(world, &skin_contact) &&
                   sn_contacts_run_statics(&p, sn_contacts_warm_static)))
        return false;
    sn_supports_warm(world);
    const sn_contacts *c = &world->contacts;
    const bool all = c->fast || c->belts || c->rigid.groups;
    return run_pairs(&p, all ? p.wide->sweep : p.wide->project) && sn_skin_contacts_project(world, &skin_contact) &&
           sn_surfaces_pass(world, h, p.pairs.part, p.pairs.ease) && sn_contacts_project_statics(&p);
}

bool sn_contacts_end(sn_world *world, sn_real h)
{
    if (!world->contacts.any)
        return true;
    sn_stage_enter(world, SN_STAGE_CONTACT);
    sn_contact_pass p = make_passing(world, h);
    sn_skin_contact_pass skin_contact = {
        .h = h, .bounce_above = p.pairs.bounce_above, .behind = contact_is_behind(world)};
    bool any;
    if (!sn_contacts_keep_apart(&p, &skin_contact, 0, &any))
        return false;
    for (uint32_t set = 0; world->contact.settings.events && set < SN_PAIR_SETS; ++set) {
        sn_batch_loop loop;
        sn_contacts_choose_pairs(&p, set);
        if (!sn_contacts_run_batches(world, p.set, &loop, count_pushes, &p))
            return false;
    }
    if (!sn_skin_contacts_bounce(world, &skin_contact) || !sn_surfaces_bounce(world, h, p.pairs.bounce_above) ||
        !sn_surfaces_tell(world, h) || !sn_contacts_run_statics(&p, sn_contacts_bounce_static))
        return false;
    sn_rigid_calm(world, h);
    return true;
}

/* Bodies threw particles after these had been kept apart. They keep their velocities, and stop where they cross
   something; then bodies stop before these. Paths only become shorter, unless a moving fixed shape carries something
   along. Fixed shapes have the last word: what they squeeze overlaps. */
#define TURNS 8u

bool sn_contacts_end_thrown(sn_world *world, sn_real h)
{
    sn_contacts *c = &world->contacts;
    sn_skin_contact_pass skin_contact = {.h = h, .behind = contact_is_behind(world)};
    bool any = c->any;
    for (uint32_t i = 0; i < TURNS && any && sn_body_balls_moved(world); ++i) {
        sn_contact_pass p = make_passing(world, h);
        if (!c->has_starts)
            sn_body_balls_copy_starts(world, starts(c));
        c->has_starts = true;
        if (!sn_contacts_keep_apart(&p, &skin_contact, SN_ROUNDS_OF_PUSHES, &any) ||
            (any && i + 1 < TURNS && !sn_body_contacts_stop_again(world, h)))
            return false;
    }
    return true;
}

void sn_contacts_leave(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const uint32_t *mover = c->mover_table.column[0];
    for (uint32_t k = 0; k < c->mover_table.count; ++k) {
        sn_fixed_shape *r = contact_fixed_shape(&world->contact, mover[k]);
        const sn_fixed_motion *m = &motions(c)[mover[k]];
        r->pose = m->step_end;
        sn_fixed_arrive(world, r->body, &m->body_end, &m->course);
    }
}

void sn_contacts_forget(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const sn_static_contact *contact = c->static_table.column[0];
    if (!c->any || !world->history.table.count)
        return;
    for (uint32_t i = 0; i < c->static_contacts; ++i)
        if (contact[i].normal_impulse > 0)
            sn_history_forget(&world->history, contact[i].slot);
    sn_surfaces_forget(world);
    const sn_skin_contact *skin_contact = c->skin_contact_table.column[0];
    for (uint32_t i = 0; i < c->skin_contacts; ++i)
        for (uint32_t k = 0; skin_contact[i].normal_impulse > 0 && k < 4; ++k)
            sn_history_forget(&world->history, skin_contact[i].slot[k]);
    for (uint32_t set = 0; set < SN_PAIR_SETS; ++set) {
        const sn_contact_pairs *pairs = &c->pairs[set];
        for (uint32_t b = 0; b < pairs->near.batches; ++b)
            for (uint32_t i = 0; i < pairs->near.lanes[b]; ++i)
                if (pair_column(pairs, PAIR_NORMAL_IMPULSE)[(size_t)b * SN_NEAR + i] > 0) {
                    sn_history_forget(&world->history, pairs->near.batch[b].a[i]);
                    sn_history_forget(&world->history, pairs->near.batch[b].b[i]);
                }
    }
}
