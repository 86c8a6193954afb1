/* Debug drawing: constraints and anchors. */
#include "constraints/evaluate.h"
#include "world/draw.h"

/* ---- Points ------------------------------------------------------------------------------------------------------ */

sn_vec3 sn_world_anchor_place(const sn_world *world, const sn_anchor *anchor)
{
    if (anchor->type == SN_POINT_PLACE)
        return anchor->place;
    sn_vec3 sum = vec3(0, 0, 0);
    if (anchor->type == SN_POINT_BODY) {
        const sn_pose pose = {vec4_xyz(world->particles.x[world->ids.value[anchor->particle[0]]]),
                              world->bodies.turn[anchor->body].start};
        return sn_pose_to_world(&pose, anchor->place);
    }
    for (uint32_t i = 0; i < anchor->count; ++i)
        sum = vec3_add(
            sum, vec3_scale(vec4_xyz(world->particles.x[world->ids.value[anchor->particle[i]]]), anchor->weight[i]));
    return sum;
}

/* The position of a point of a constraint. *anchor is its anchor; NULL for a particle. */
static sn_vec3 point_place(const sn_world *world, const sn_pool *pool, uint32_t row, uint32_t point,
                           const sn_anchor **anchor)
{
    *anchor = NULL;
    if (pool_has_lists(pool)) {
        const sn_list list = pool_list(pool, row);
        return vec4_xyz(world->particles.x[world->ids.value[list.particle[list.local[point]]]]);
    }
    const uint32_t code = pool->point[(size_t)row * pool->kind->points + point];
    if (!(code & SN_ANCHOR_BIT))
        return vec4_xyz(world->particles.x[world->ids.value[code]]);
    *anchor = &world->constraints.anchor[code & ~SN_ANCHOR_BIT];
    return sn_world_anchor_place(world, *anchor);
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

/* Green if C is 0, towards red if C is above 0, and towards blue if it is below. */
static uint32_t strain_colour(double share)
{
    const double much = fabs(share) < 1 ? fabs(share) : 1;
    const uint32_t more = (uint32_t)(0x30 + 0xcf * much), less = (uint32_t)(0xd0 - 0xa0 * much);
    return share > 0 ? more << 16 | less << 8 | 0x30 : (uint32_t)0x30 << 16 | less << 8 | more;
}

/* The error of a constraint as a share of the extent of its points: the distance by which its most affected point would
   have to move. 0 for kinds with any number of points, and where the constraint cannot be evaluated. */
static double strain_of(const sn_world *world, const sn_pool *pool, uint32_t row, double extent)
{
    sn_block_room room;
    sn_block block;
    const sn_frame frame = sn_world_frame(world);
    if (pool_has_lists(pool) || !(extent > 0) || !evaluate(&world->constraints, pool, row, &frame, &block, &room))
        return 0;
    double worst = 0;
    for (uint32_t r = 0; r < block.rows; ++r) {
        double steep = 0;
        for (uint32_t i = 0; i < block.count; ++i) {
            const sn_vec3 g = block.gradient[r * block.count + i];
            const double square = vec3_dot_double(g, g);
            steep = square > steep ? square : steep;
        }
        const double off = steep > 0 ? (double)block.c[r] / sqrt(steep) / extent : 0;
        const bool free = pool->kind->inequality && off > 0; /* an inequality may be above 0 */
        worst = !free && fabs(off) > fabs(worst) ? off : worst;
    }
    return worst;
}

static uint32_t tile_colour(const sn_drawing *d, const sn_pool *pool, uint32_t row)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    const uint32_t *number = sn_store_particles(&d->world->constraints, pool, row, small, &count);
    uint32_t tile = count ? sn_drawing_tile(d, d->world->ids.value[number[0]]) : SN_ID_FREE;
    for (uint32_t i = 1; i < count; ++i)
        if (sn_drawing_tile(d, d->world->ids.value[number[i]]) != tile)
            return SN_COLOUR_STILL;
    return tile == SN_ID_FREE ? SN_COLOUR_STILL : sn_drawing_hue(tile);
}

static uint32_t colour_of(const sn_drawing *d, uint32_t kind, uint32_t row, double extent)
{
    const sn_pool *pool = d->world->constraints.pool[kind];
    if (drawing_wants(d, SN_DRAW_STRAIN))
        return strain_colour(strain_of(d->world, pool, row, extent) / (double)d->draw->full_strain);
    if (!drawing_wants(d, SN_DRAW_ISLANDS) && drawing_wants(d, SN_DRAW_TILES))
        return tile_colour(d, pool, row);
    return sn_drawing_hue(kind);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Kinds with several points are drawn as lines from each point to the next; those with four, such as tetrahedra and
   bending edges, with the diagonals; a shape match as a star. A pin, which has one point, is drawn with a line to its
   anchor if that is a position. */
static void draw_lines(const sn_drawing *d, const sn_pool *pool, uint32_t row, uint32_t points, uint32_t colour)
{
    const sn_anchor *anchor;
    const sn_vec3 first = point_place(d->world, pool, row, 0, &anchor);
    sn_vec3 last = first;
    if (points == 1)
        sn_drawing_point(d, first, 0, colour);
    if (pool_has_lists(pool) && points > 4) {
        sn_vec3 middle = vec3(0, 0, 0);
        for (uint32_t i = 0; i < points; ++i)
            middle = vec3_add(middle, vec3_scale(point_place(d->world, pool, row, i, &anchor), 1 / (sn_real)points));
        for (uint32_t i = 0; i < points; ++i)
            sn_drawing_line(d, middle, point_place(d->world, pool, row, i, &anchor), colour);
        return;
    }
    for (uint32_t i = 1; i < points; ++i) {
        const sn_vec3 x = point_place(d->world, pool, row, i, &anchor);
        sn_drawing_line(d, last, x, colour);
        for (uint32_t k = 0; points == 4 && k + 1 < i; ++k)
            sn_drawing_line(d, point_place(d->world, pool, row, k, &anchor), x, colour);
        last = x;
    }
}

static double extent_of(const sn_world *world, const sn_pool *pool, uint32_t row, uint32_t points)
{
    const sn_anchor *anchor;
    const sn_vec3 first = point_place(world, pool, row, 0, &anchor);
    double most = 0;
    for (uint32_t i = 1; i < points; ++i) {
        const double far = (double)vec3_length(vec3_sub(point_place(world, pool, row, i, &anchor), first));
        most = far > most ? far : most;
    }
    return points > 1 ? most : 1; /* for a single point, metres */
}

/* Draws points that are not particles, and lines from the centre of a body to its anchors. */
static void draw_anchors(const sn_drawing *d, const sn_pool *pool, uint32_t row, uint32_t points)
{
    for (uint32_t i = 0; i < points; ++i) {
        const sn_anchor *anchor;
        const sn_vec3 place = point_place(d->world, pool, row, i, &anchor);
        if (!anchor)
            continue;
        sn_drawing_point(d, place, 0, SN_COLOUR_ANCHOR);
        if (anchor->type == SN_POINT_BODY)
            sn_drawing_line(d, vec4_xyz(d->world->particles.x[d->world->ids.value[anchor->particle[0]]]), place,
                            SN_COLOUR_ANCHOR);
    }
}

static void draw_constraint(const sn_drawing *d, uint32_t kind, uint32_t row, const uint32_t *colour)
{
    const sn_pool *pool = d->world->constraints.pool[kind];
    const uint32_t points = pool_point_count(pool, row);
    if (!points)
        return;
    if (drawing_wants(d, SN_DRAW_CONSTRAINTS)) {
        const double extent = drawing_wants(d, SN_DRAW_STRAIN) ? extent_of(d->world, pool, row, points) : 0;
        draw_lines(d, pool, row, points, colour ? *colour : colour_of(d, kind, row, extent));
    }
    if (drawing_wants(d, SN_DRAW_ANCHORS))
        draw_anchors(d, pool, row, points);
}

/* False if there are edits that are not in the plan yet: the next step or edit will add them. */
static bool is_planned(const sn_world *world)
{
    const sn_store *store = &world->constraints;
    return world->plan.made && !store->edit_table.count && !store->all_changed && !store->log_lost;
}

/* Each run of the plan has its own colour. Constraints that are in none are grey. */
static void draw_batches(const sn_drawing *d)
{
    const sn_plan *plan = &d->world->plan;
    const uint32_t grey = SN_COLOUR_STILL;
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const uint32_t colour = sn_drawing_hue(r);
        for (uint32_t i = 0; i < run->batches * SN_BATCH; ++i)
            if (plan->mask[run->batch + i / SN_BATCH] >> i % SN_BATCH & 1)
                draw_constraint(d, run->kind, plan->row[run->batch * SN_BATCH + i], &colour);
    }
    const sn_visit *alone[] = {plan->visit, plan->many, plan->hub, plan->extra};
    const uint32_t count[] = {plan->visit_table.count, plan->many_table.count, plan->hub_table.count,
                              plan->extra_table.count};
    for (uint32_t list = 0; list < 4; ++list)
        for (uint32_t i = 0; i < count[list]; ++i)
            if (alone[list][i].kind)
                draw_constraint(d, alone[list][i].kind, alone[list][i].row, &grey);
}

void sn_draw_constraints(const sn_drawing *d)
{
    const sn_store *store = &d->world->constraints;
    const uint32_t first = SN_DRAW_STRAIN | SN_DRAW_ISLANDS | SN_DRAW_TILES;
    if (!drawing_wants(d, SN_DRAW_CONSTRAINTS | SN_DRAW_ANCHORS))
        return;
    if (drawing_wants(d, SN_DRAW_BATCHES) && !drawing_wants(d, first) && is_planned(d->world)) {
        draw_batches(d);
        return;
    }
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
        draw_constraint(d, store->run[r].kind, store->run[r].first + i, NULL);
}
