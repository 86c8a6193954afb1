/* Contact of bodies: boxes around the paths of parts of bodies in a step, and trees of these. */
#include "contact/body_search.h"

#include "bodies/rotation.h"

#include <stdio.h>
#include <string.h>

#define SLACK     ((sn_real)0.05) /* of the inner radius of a part: room for pushes by others */
#define DEFLECTED ((sn_real)0.05) /* of its velocity: room for deflection by impacts */

/* Relative to the inner radius: how far a body may leave its search bounds before it is searched for again. A contact
   out there is not found until the next step: with a half, boxes that were thrown against each other were a tenth of
   their size deep when they were found. */
#define BESIDE ((sn_real)0.05)

#define OLD    8u               /* steps: a tree of this age is rebuilt */
#define LASTS  8u               /* steps, about, for which a wide box has room */
#define SPACE  ((sn_real)0.125) /* of half the smallest edge: by how much it is wider */
#define SHORT  4u               /* steps: wide boxes that last no longer do not pay */
#define WAITS  16u              /* steps without wide boxes after that */
#define HASTY  32u              /* if more than one box in this many is faster, there are no wide boxes */
#define FEW    64u              /* boxes */
#define SIMPLE 128u             /* bodies: up to this number a list is searched faster than a tree is built */

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

/* m: bounds of a displacement. */
static sn_bounds flight_by(sn_vec3 displacement)
{
    return (sn_bounds){vec3(displacement.x < 0 ? displacement.x : 0, displacement.y < 0 ? displacement.y : 0,
                            displacement.z < 0 ? displacement.z : 0),
                       vec3(displacement.x > 0 ? displacement.x : 0, displacement.y > 0 ? displacement.y : 0,
                            displacement.z > 0 ? displacement.z : 0)};
}

static sn_bounds sweep(sn_bounds b, const sn_bounds *flight)
{
    return (sn_bounds){vec3_add(b.low, flight->low), vec3_add(b.high, flight->high)};
}

/* m: how far the parts of a body may move in the step in any direction, besides the displacement by its velocity. */
static sn_real stray_of(const sn_body_contact_finding *f, const sn_body_state *body, sn_real extent, sn_real inner)
{
    const sn_world *world = f->world;
    uint32_t slot = world->ids.value[body->particle];
    double inverse[3], spin[3];
    sn_body_inverse_moments(body, inverse);
    sn_rotate_velocity(body->q, body->l, inverse, spin);
    sn_real turns = (sn_real)sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
    sn_real fall = vec3_length(world->state.settings.gravity) * f->dt * f->dt,
            displacement = fall + turns * f->dt * extent;
    if (world->particles.target[slot]) { /* a kinematic target */
        const sn_target *target = (const sn_target *)world->target_table.column[0] + world->particles.target[slot] - 1;
        displacement += vec3_length(vec3_sub(target->place, vec4_xyz(world->particles.x[slot])));
        displacement += body->kinematic ? 4 * extent : 0;
    }
    return displacement + SLACK * inner + DEFLECTED * f->dt * vec3_length(vec4_xyz(world->particles.v[slot]));
}

/* m: the inner radius of the thinnest part of a body; sensors count if it has no other parts. */
static sn_real inner_of(const sn_bodies *bodies, const sn_body_state *body)
{
    sn_real least = (sn_real)INFINITY, sensor = least;
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        const sn_real inner = sn_convex_inner(&bodies->part[i].convex);
        sn_real *of = bodies->part[i].sensor ? &sensor : &least;
        *of = inner < *of ? inner : *of;
    }
    return isfinite(least) ? least : sensor;
}

static sn_real least_of(const sn_real half[3])
{
    const sn_real least = half[0] < half[1] ? half[0] : half[1];
    return least < half[2] ? least : half[2];
}

static sn_body_contact_box box_of(const sn_body_contact_finding *f, const sn_convex *convex, const sn_pose *pose,
                                  uint32_t slot, sn_real stray)
{
    const sn_bounds own = sn_convex_bounds(convex);
    const sn_quat q = pose->rotation;
    sn_body_contact_box box = {
        .centre = sn_pose_to_world(pose, vec3_scale(vec3_add(own.low, own.high), (sn_real)0.5)),
        .axis = {sn_quat_rotate(q, vec3(1, 0, 0)), sn_quat_rotate(q, vec3(0, 1, 0)), sn_quat_rotate(q, vec3(0, 0, 1))},
        .displacement = vec3_scale(vec4_xyz(f->world->particles.v[slot]), f->dt),
        .stray = stray};
    const sn_vec3 size = vec3_sub(own.high, own.low);
    box.half[0] = size.x / 2;
    box.half[1] = size.y / 2;
    box.half[2] = size.z / 2;
    box.least = least_of(box.half);
    return box;
}

static sn_bounds *wide_boxes(const sn_body_contacts *body_contacts)
{
    return body_contacts->box_table.column[4];
}

static bool is_within(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

/* Sets up the mover of a body, and the boxes of its parts. */
static void make_mover(sn_body_contact_finding *f, uint32_t row, uint32_t at)
{
    const sn_world *world = f->world;
    const sn_body_state *state = &world->bodies.state[row];
    sn_mover *m = &contact_movers(world)[row];
    const sn_mover before = f->again ? *m : (sn_mover){0};
    *m = (sn_mover){.slot = SN_NO_SLOT, .body = row};
    if (f->again) {
        m->spun = before.spun;
        m->from = before.from;
        contact_marks(world)[row] &= (uint8_t)~SN_MARK_LOADED;
    }
    if (!bodies_has(&world->bodies, row))
        return;
    m->slot = world->ids.value[state->particle];
    sn_pose pose = contact_pose(world, m);
    sn_real inner = inner_of(&world->bodies, state), extent = sn_body_reach(world, row, true);
    sn_real stray = state->parts ? stray_of(f, state, extent, inner) : 0;
    sn_bounds flight = contact_grow(flight_by(vec3_scale(vec4_xyz(world->particles.v[m->slot]), f->dt)), stray),
              *bounds = f->body_contacts->box_table.column[0];
    m->extent = extent;
    m->thin = inner / 4;
    sn_body_inverse_moments(state, m->inverse);
    m->odd = (uint32_t)rotate_odd_axis(m->inverse);
    if (m->inverse[0] == m->inverse[1] && m->inverse[1] == m->inverse[2])
        m->odd = SN_ALL_ALIKE;
    m->sought = pose.position;
    m->room = contact_grow(flight, BESIDE * inner);
    m->free = contact_innermost(&m->room);
    for (uint32_t i = state->part; i < state->part + state->parts; ++i, ++at) {
        const sn_body_part *p = &world->bodies.part[i];
        const sn_pose there = contact_part_pose(world, &pose, i);
        bounds[at] = sweep(sn_convex_bounds_at(&p->convex, &there), &flight);
        if (!contact_reaches(bounds[at].low) || !contact_reaches(bounds[at].high))
            contact_raise(&f->too_far);
        if (SN_KEEPS_PAIRS && f->body_contacts->near_known && !f->again &&
            !is_within(&bounds[at], &wide_boxes(f->body_contacts)[at]))
            contact_raise(&f->outside);
        ((uint32_t *)f->body_contacts->box_table.column[1])[at] = row;
        ((uint32_t *)f->body_contacts->box_table.column[2])[at] = i;
        ((sn_body_contact_box *)f->body_contacts->box_table.column[3])[at] =
            box_of(f, &p->convex, &there, m->slot, stray);
    }
}

/* Enlarges the boxes of a body that left by its path in the substep that ends. Its oriented boxes then exclude
   nothing. */
static void widen_boxes(const sn_body_contact_finding *f, uint32_t row, uint32_t at)
{
    const sn_world *world = f->world;
    const sn_body_state *state = &world->bodies.state[row];
    const sn_mover *m = &contact_movers(world)[row];
    const sn_pose pose = contact_pose(world, m);
    for (uint32_t i = state->part; i < state->part + state->parts; ++i, ++at) {
        const sn_body_part *p = &world->bodies.part[i];
        const sn_pose there = contact_part_pose(world, &pose, i);
        const sn_bounds displacement = contact_grow(sn_convex_bounds_at(&p->convex, &there), m->displacement);
        sn_bounds *b = (sn_bounds *)f->body_contacts->box_table.column[0] + at;
        *b = (sn_bounds){vec3(displacement.low.x < b->low.x ? displacement.low.x : b->low.x,
                              displacement.low.y < b->low.y ? displacement.low.y : b->low.y,
                              displacement.low.z < b->low.z ? displacement.low.z : b->low.z),
                         vec3(displacement.high.x > b->high.x ? displacement.high.x : b->high.x,
                              displacement.high.y > b->high.y ? displacement.high.y : b->high.y,
                              displacement.high.z > b->high.z ? displacement.high.z : b->high.z)};
        ((sn_body_contact_box *)f->body_contacts->box_table.column[3])[at].stray = SN_BODY_CONTACT_EVER;
    }
}

static void make_movers_piece(void *data, uint32_t first, uint32_t end)
{
    sn_body_contact_finding *f = data;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t row = f->again ? f->left[i] : bodies_awake(&f->world->bodies)[i];
        if (f->ended)
            widen_boxes(f, row, f->row[row]);
        else
            make_mover(f, row, f->row[row]);
    }
}

/* Names the first body that is too far away: the parallel loop does not tell which it is. */
static sn_result blame_too_far(const sn_body_contact_finding *f)
{
    const sn_bodies *bodies = &f->world->bodies;
    uint32_t at = 0;
    bool far = false;
    for (uint32_t i = 0; i < bodies->awake_table.count && !far; ++i) {
        const uint32_t row = bodies_awake(bodies)[i];
        for (at = f->row[row]; at < f->row[row] + bodies->state[row].parts; ++at)
            if ((far = !contact_reaches(f->bounds[at].low) || !contact_reaches(f->bounds[at].high)))
                break;
    }
    char what[SN_ERROR_SIZE];
    sn_vec3 low = f->bounds[at].low, high = f->bounds[at].high;
    snprintf(
        what, sizeof what,
        "its way in this step is between (%g, %g, %g) and (%g, %g, %g) m; contact computes up to %g m from the origin",
        (double)low.x, (double)low.y, (double)low.z, (double)high.x, (double)high.y, (double)high.z, SN_CONTACT_REACH);
    return sn_world_blame(f->world, contact_movers(f->world)[f->body[at]].slot, what);
}

/* ---- Wide boxes -------------------------------------------------------------------------------------------------- */

static sn_real space_of(const sn_body_contact_box *box)
{
    return SPACE * box->least;
}

/* True if a box stays in a wide one for several steps, wherever it moves. */
static bool is_slow(const sn_body_contact_box *box)
{
    return vec3_length(box->displacement) * (sn_real)LASTS <= space_of(box);
}

/* Makes boxes that have room for several steps, unless many bodies are fast. As long as all parts stay in theirs, pairs
   need not be searched for: the kept pairs include all contacts, and the results are the same. */
static bool widen_all(const sn_body_contact_finding *f)
{
    const sn_table *leaves = &f->body_contacts->leaf_table[SN_TREE_AWAKE];
    const uint32_t *at = leaves->column[1];
    const sn_body_contact_box *box = f->body_contacts->box_table.column[3];
    uint32_t fast = 0;
    for (uint32_t i = 0; i < leaves->count; ++i)
        fast += !is_slow(&box[at[i]]);
    if (fast * HASTY > leaves->count)
        return false;
    for (uint32_t i = 0; i < leaves->count; ++i) {
        const sn_body_contact_box *b = &box[at[i]];
        const sn_bounds flight = flight_by(vec3_scale(b->displacement, is_slow(b) ? 0 : (sn_real)LASTS));
        wide_boxes(f->body_contacts)[at[i]] = contact_grow(sweep(f->bounds[at[i]], &flight), space_of(b));
    }
    return true;
}

/* True if the kept pairs are still complete. If they did not last long enough to pay, none are kept for a while. */
static bool keep_nears(const sn_body_contact_finding *f, bool known)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const bool lost = body_contacts->near_known && (!known || f->outside);
    body_contacts->near_wait -= body_contacts->near_wait > 0;
    if (lost && body_contacts->near_age < SHORT)
        body_contacts->near_wait = WAITS;
    body_contacts->near_age = lost || !body_contacts->near_known ? 0 : body_contacts->near_age + 1;
    body_contacts->near_known = body_contacts->near_known && !lost;
    return body_contacts->near_known;
}

/* ---- Trees ------------------------------------------------------------------------------------------------------- */

/* The end of the boxes of a row. */
static uint32_t end_of(const sn_body_contact_finding *f, uint32_t row)
{
    return row + 1 < f->body_contacts->row_table.count ? f->row[row + 1] : f->boxes;
}

/* Adds the boxes of a row to the leaves of a tree. Returns the number of leaves. */
static uint32_t add_leaves(const sn_body_contact_finding *f, sn_table *leaves, uint32_t row, uint32_t count)
{
    for (uint32_t i = 0; i < end_of(f, row) - f->row[row]; ++i, ++count) {
        ((sn_bounds *)leaves->column[0])[count] = f->bounds[f->row[row] + i];
        ((uint32_t *)leaves->column[1])[count] = f->row[row] + i;
    }
    return count;
}

static void leaves_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_finding *f = data;
    const sn_table *leaves = &f->body_contacts->leaf_table[SN_TREE_AWAKE];
    const uint32_t *box = leaves->column[1];
    for (uint32_t i = first; i < end; ++i)
        ((sn_bounds *)leaves->column[0])[i] = f->spans[box[i]];
}

static void refit_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_finding *f = data;
    sn_bvh_refit_leaves(&f->body_contacts->tree, f->body_contacts->leaf_table[SN_TREE_AWAKE].column[0], first, end);
}

/* Builds the tree of awake bodies, or refits it. A tree over boxes that moved a little is nearly as good as a new one,
   and takes a tenth of the time. Pairs are the same. known: the same bodies are awake as in the step before. */
static sn_result build_tree(sn_body_contact_finding *f, bool known)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    sn_table *leaves = &body_contacts->leaf_table[SN_TREE_AWAKE];
    leaves->count = known ? leaves->count : 0;
    for (uint32_t i = 0; !known && i < world->bodies.awake_table.count; ++i)
        leaves->count = add_leaves(f, leaves, bodies_awake(&world->bodies)[i], leaves->count);
    if (SN_KEEPS_PAIRS && keep_nears(f, known))
        return SN_OK;
    body_contacts->wide = SN_KEEPS_PAIRS && known && !body_contacts->near_wait && widen_all(f);
    f->spans = body_contacts->wide ? wide_boxes(body_contacts) : f->bounds;
    if (known && !sn_body_contacts_share(world, leaves->count, leaves_piece, f))
        return SN_ERROR_HOST;
    if (body_contacts->tree.items == leaves->count && body_contacts->tree_age < OLD) {
        body_contacts->tree_age++;
        if (!sn_body_contacts_share(world, body_contacts->tree.node_table.count, refit_piece, f))
            return SN_ERROR_HOST;
        sn_bvh_refit_inner(&body_contacts->tree);
        return SN_OK;
    }
    body_contacts->tree_age = 0;
    return sn_bvh_build(&body_contacts->tree, &world->allocator, leaves->column[0], leaves->count) ? SN_OK
                                                                                                   : SN_ERROR_MEMORY;
}

/* Builds the tree of bodies that left their bounds in this step. They are few. */
static bool build_stray(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    sn_table *leaves = &body_contacts->leaf_table[SN_TREE_STRAY];
    const uint32_t *strayed = body_contacts->left_table.column[2];
    leaves->count = 0;
    for (uint32_t i = 0; i < body_contacts->strayed; ++i)
        leaves->count = add_leaves(f, leaves, strayed[i], leaves->count);
    sn_bvh *tree = &body_contacts->stray;
    tree->items = 0;
    if (f->lefts <= SIMPLE && f->world->particles.table.count == f->world->bodies.ids.live)
        return true;
    sn_table *tables[] = {&tree->node_table, &tree->item_table, &tree->work_table};
    for (uint32_t i = 0; i < 3; ++i) /* more room than needed, to avoid frequent allocations */
        if (leaves->count > tables[i]->capacity &&
            !sn_table_reserve(tables[i], &f->world->allocator, 2 * (uint64_t)leaves->count + FEW))
            return false;
    return sn_bvh_build(tree, &f->world->allocator, leaves->column[0], leaves->count);
}

static bool is_resting(const sn_world *world, uint32_t row)
{
    return bodies_has(&world->bodies, row) && sn_sleep_holds(world, world->bodies.state[row].particle);
}

/* Builds the tree of sleeping bodies. They do not move, so it is kept. */
static bool build_rest(sn_body_contact_finding *f)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    sn_table *leaves = &body_contacts->leaf_table[SN_TREE_REST];
    leaves->count = 0;
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row) {
        if (!is_resting(world, row)) {
            if (!bodies_has(&world->bodies, row))
                contact_movers(world)[row] = (sn_mover){.slot = SN_NO_SLOT, .body = row};
            continue;
        }
        make_mover(f, row, f->row[row]);
        leaves->count = add_leaves(f, leaves, row, leaves->count);
    }
    return sn_bvh_build(&body_contacts->rest, &world->allocator, leaves->column[0], leaves->count);
}

/* True if bodies are stored as before, and the same bodies sleep. */
static bool rest_is_known(sn_body_contact_finding *f)
{
    const sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_real fall = vec3_length(world->state.settings.gravity) * f->dt * f->dt;
    const bool known = body_contacts->rest_known && body_contacts->rest_moves + 1 == world->moves &&
                       body_contacts->rest_changes == world->contact.sleep.changes && body_contacts->rest_fall == fall;
    body_contacts->rest_known = false;
    body_contacts->rest_moves = world->moves;
    body_contacts->rest_changes = world->contact.sleep.changes;
    body_contacts->rest_fall = fall;
    return known;
}

/* Finds the first box of each body, and the number of boxes. */
static void lay_out_boxes(sn_body_contact_finding *f)
{
    const sn_bodies *bodies = &f->world->bodies;
    uint32_t *start = f->body_contacts->row_table.column[0], count = 0;
    for (uint32_t row = 0; row < bodies_rows(bodies); ++row) {
        start[row] = count;
        count += bodies_has(bodies, row) ? bodies->state[row].parts : 0;
    }
    f->body_contacts->row_table.count = bodies_rows(bodies);
    f->body_contacts->box_table.count = count;
}

static bool reserve_boxes(const sn_body_contact_finding *f)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    const uint32_t rows = bodies_rows(&world->bodies), parts = world->bodies.part_table.count;
    return sn_table_reserve(&body_contacts->box_table, &world->allocator, parts) &&
           sn_table_reserve(&body_contacts->leaf_table[SN_TREE_AWAKE], &world->allocator, parts) &&
           sn_table_reserve(&body_contacts->near_table, &world->allocator, parts) &&
           sn_table_reserve(&body_contacts->leaf_table[SN_TREE_REST], &world->allocator, parts) &&
           sn_table_reserve(&body_contacts->leaf_table[SN_TREE_STRAY], &world->allocator, parts) &&
           sn_table_reserve(&body_contacts->row_table, &world->allocator, rows) &&
           sn_table_reserve(&body_contacts->left_table, &world->allocator, parts > rows ? parts : rows) &&
           sn_table_reserve(&body_contacts->mover_table, &world->allocator, rows) &&
           sn_parallel_reserve_tasks(&world->parallel, &world->allocator, rows / SN_FEW + 1);
}

/* Lists bodies that left their bounds. They are few: eight rows are skipped at once if none did. */
static void list_left(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    uint32_t *left = body_contacts->left_table.column[1], *strayed = body_contacts->left_table.column[2];
    const uint32_t rows = bodies_rows(&f->world->bodies);
    uint8_t *flags = contact_flags(f->world);
    f->left = left;
    for (uint32_t row = 0; row < rows; ++row) {
        uint64_t eight = 1;
        if (rows - row >= sizeof eight)
            memcpy(&eight, flags + row, sizeof eight);
        if (!eight)
            row += (uint32_t)sizeof eight - 1;
        if (!eight || !(flags[row] & SN_ROW_LEFT))
            continue;
        left[f->lefts++] = row;
        if (!(flags[row] & SN_ROW_STRAYED))
            strayed[body_contacts->strayed++] = row;
        flags[row] |= SN_ROW_STRAYED;
    }
}

/* Lists the boxes to be searched for: those of all awake bodies, or of bodies that left. */
static void list_sought(sn_body_contact_finding *f)
{
    const sn_table *leaves = &f->body_contacts->leaf_table[SN_TREE_AWAKE];
    uint32_t *left = f->body_contacts->left_table.column[0];
    f->box = f->again ? left : leaves->column[1];
    f->sought = f->again ? 0 : leaves->count;
    for (uint32_t i = 0; i < f->lefts; ++i)
        for (uint32_t k = 0; k < f->world->bodies.state[f->left[i]].parts; ++k)
            left[f->sought++] = f->row[f->left[i]] + k;
}

sn_result sn_body_contacts_make_boxes(sn_body_contact_finding *f)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    const bool known = f->again || rest_is_known(f);
    if (!known)
        body_contacts->mover_table.count = 0; /* nothing needs to be copied when the table grows */
    if (!reserve_boxes(f))
        return SN_ERROR_MEMORY;
    if (!known)
        lay_out_boxes(f);
    if (!f->again) {
        if (bodies_rows(&world->bodies))
            memset(contact_flags(world), 0, bodies_rows(&world->bodies));
        body_contacts->leaf_table[SN_TREE_STRAY].count = body_contacts->stray.items = body_contacts->strayed = 0;
    } else {
        list_left(f);
    }
    f->row = body_contacts->row_table.column[0];
    f->boxes = body_contacts->box_table.count;
    f->bounds = body_contacts->box_table.column[0];
    f->body = body_contacts->box_table.column[1];
    f->part = body_contacts->box_table.column[2];
    if (!sn_body_contacts_share(world, f->again ? f->lefts : world->bodies.awake_table.count, make_movers_piece, f))
        return SN_ERROR_HOST;
    if (!f->again)
        body_contacts->mover_table.count = bodies_rows(&world->bodies);
    if (atomic_load_explicit(&f->too_far, memory_order_relaxed))
        return blame_too_far(f);
    const sn_result built = f->again ? SN_OK : build_tree(f, known);
    if (built != SN_OK)
        return built;
    if (f->again ? !build_stray(f) : !known && !build_rest(f))
        return SN_ERROR_MEMORY;
    body_contacts->rest_known = true;
    list_sought(f);
    return SN_OK;
}
