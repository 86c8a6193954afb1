/* Solution of limits between aggregates: see hierarchy.h. */
#include "solvers/hierarchy.h"

#include <string.h>

static void sweep_one_by_one(const sn_hierarchy *h, const sn_limit_run *run)
{
    for (uint32_t b = run->batch; b < run->batch + run->batches; ++b)
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
            if (!(h->mask[b] >> lane & 1))
                continue;
            sn_vec4 *i = &h->node[h->end[2 * (size_t)b * SN_BATCH + lane]],
                    *j = &h->node[h->end[(2 * (size_t)b + 1) * SN_BATCH + lane]], *di = i + 1, *dj = j + 1;
            const sn_real most = h->most[(size_t)b * SN_BATCH + lane], give = i->w + j->w;
            sn_vec3 apart = vec3_add(vec3_sub(vec4_xyz(*i), vec4_xyz(*j)), vec3_sub(vec4_xyz(*di), vec4_xyz(*dj)));
            const sn_real length = vec3_length(apart);
            if (!(length > most) || !(give * length > 0))
                continue;
            const sn_real share = (most - length) / (give * length);
            const sn_vec3 a = vec3_scale(apart, share * i->w), c = vec3_scale(apart, share * j->w);
            *di = (sn_vec4){di->x + a.x, di->y + a.y, di->z + a.z, di->w};
            *dj = (sn_vec4){dj->x - c.x, dj->y - c.y, dj->z - c.z, dj->w};
        }
}

static void sweep_wide(const sn_hierarchy *h, const sn_limit_run *run, const sn_wide *wide)
{
    const sn_wide_limits limits = {.batches = run->batches,
                                   .end = h->end + 2 * (size_t)run->batch * SN_BATCH,
                                   .node = h->node,
                                   .most = (const float *)(const void *)h->most + (size_t)run->batch * SN_BATCH,
                                   .mask = h->mask + run->batch};
    wide->sweep_limits(&limits);
}

static void sweep(const sn_hierarchy *h, uint32_t first, uint32_t runs, uint32_t sweeps, const sn_wide *wide)
{
    for (uint32_t s = 0; s < sweeps; ++s)
        for (uint32_t r = first; r < first + runs; ++r) {
            if (h->notes)
                sn_hierarchy_note_limits(h, &h->run[r], NULL, NULL);
            if (wide)
                sweep_wide(h, &h->run[r], wide);
            else
                sweep_one_by_one(h, &h->run[r]);
        }
}

/* ---- Four numbers at once ---------------------------------------------------------------------------------------- */

#ifdef __GNUC__
typedef sn_real four __attribute__((vector_size(4 * sizeof(sn_real))));
#define FOUR_ADD(a, b)   ((a) + (b))
#define FOUR_SUB(a, b)   ((a) - (b))
#define FOUR_SCALE(a, s) ((a) * (s))
#else
typedef sn_vec4 four;
#define FOUR_ADD(a, b)   ((sn_vec4){(a).x + (b).x, (a).y + (b).y, (a).z + (b).z, (a).w + (b).w})
#define FOUR_SUB(a, b)   ((sn_vec4){(a).x - (b).x, (a).y - (b).y, (a).z - (b).z, (a).w - (b).w})
#define FOUR_SCALE(a, s) ((sn_vec4){(a).x * (s), (a).y * (s), (a).z * (s), (a).w * (s)})
#endif

/* memcpy does not need alignment. */
#define FOUR_LOAD(to, from)  memcpy(&(to), (from), sizeof(sn_vec4))
#define FOUR_STORE(to, from) memcpy((to), &(from), sizeof(sn_vec4))

/* ---- Upwards ----------------------------------------------------------------------------------------------------- */

static const sn_hierarchy_part *parts_of(const sn_hierarchy *h, uint32_t tile, uint32_t *count)
{
    *count = h->part_of[tile + 1] - h->part_of[tile];
    return h->part + h->part_of[tile];
}

void sn_hierarchy_gather(const sn_hierarchy *h, uint32_t tile, const sn_vec4 *x, const sn_vec4 *low)
{
    uint32_t parts;
    const sn_hierarchy_part *part = parts_of(h, tile, &parts);
    for (const sn_hierarchy_part *end = part + parts; part < end; ++part) {
        const sn_hierarchy_mesh *mesh = &h->mesh[part->mesh];
        four origin;
        FOUR_LOAD(origin, &mesh->origin);
        for (uint32_t n = part->node; mesh->acts && n < part->node + part->nodes; ++n) {
            four sum = {0};
            const uint32_t *slot = h->member + h->first[n], *last = h->member + h->last[n];
            for (const sn_real *weight = h->weight + h->first[n]; slot < last; ++slot, ++weight) {
                four at, more;
                FOUR_LOAD(at, &x[*slot]);
                at = FOUR_SUB(at, origin);
                if (low) {
                    FOUR_LOAD(more, &low[*slot]);
                    at = FOUR_ADD(at, more);
                }
                at = FOUR_SCALE(at, *weight);
                sum = FOUR_ADD(sum, at);
            }
            sn_vec4 *to = hierarchy_x(h, n);
            const sn_real w = to->w;
            FOUR_STORE(to, sum);
            to->w = w;
        }
    }
}

/* Aggregates in groups of one in each lane. The sums are those of sn_hierarchy_gather, to the bit: particles of no
   aggregate add 0. */
static sn_wide_groups groups_of(const sn_hierarchy *h, const sn_hierarchy_part *part, float *plane, bool coarse)
{
    return (sn_wide_groups){.groups = part->groups,
                            .first = h->group + part->group,
                            .row = h->row,
                            .plane = plane,
                            .node = hierarchy_x(h, part->node),
                            .origin = vec4_xyz(h->mesh[part->mesh].origin),
                            .coarse = coarse};
}

void sn_hierarchy_gather_planes(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, float *plane, bool coarse)
{
    uint32_t parts;
    const sn_hierarchy_part *part = parts_of(h, tile, &parts);
    for (const sn_hierarchy_part *end = part + parts; part < end; ++part) {
        const sn_hierarchy_mesh *mesh = &h->mesh[part->mesh];
        const sn_vec3 origin = vec4_xyz(mesh->origin);
        const sn_wide_groups groups = groups_of(h, part, plane, coarse);
        if (mesh->acts && part->groups)
            wide->gather_rows(&groups);
        for (uint32_t n = part->node + part->groups * SN_BATCH; mesh->acts && n < part->node + part->nodes; ++n) {
            sn_vec3 sum = {0, 0, 0};
            for (uint32_t k = h->first[n]; k < h->last[n]; ++k) {
                const float *p = plane + h->at[k], *d = p + SN_PLANE_D * SN_BATCH;
                sn_vec3 at = {(sn_real)p[0] - origin.x, (sn_real)p[SN_BATCH] - origin.y,
                              (sn_real)p[2 * SN_BATCH] - origin.z};
                if (!coarse)
                    at = (sn_vec3){at.x + (sn_real)d[0], at.y + (sn_real)d[SN_BATCH], at.z + (sn_real)d[2 * SN_BATCH]};
                sum = vec3_add(sum, vec3_scale(at, h->weight[k]));
            }
            sn_vec4 *to = hierarchy_x(h, n);
            *to = (sn_vec4){sum.x, sum.y, sum.z, to->w};
        }
    }
}

static void gather_nodes(const sn_hierarchy *h, uint32_t first, uint32_t count)
{
    for (uint32_t n = first; n < first + count; ++n) {
        sn_vec4 *to = hierarchy_x(h, n);
        const sn_real w = to->w;
        four sum = {0}, at;
        for (uint32_t k = h->first[n]; k < h->last[n]; ++k) {
            FOUR_LOAD(at, hierarchy_x(h, h->member[k]));
            at = FOUR_SCALE(at, h->weight[k]);
            sum = FOUR_ADD(sum, at);
        }
        FOUR_STORE(to, sum);
        to->w = w;
    }
}

/* ---- Downwards --------------------------------------------------------------------------------------------------- */

static void inherit(const sn_hierarchy *h, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; ++i) {
        const uint32_t n = h->listed[i];
        *hierarchy_d(h, n) = h->parent[n] == SN_PLAN_NONE ? (sn_vec4){0} : *hierarchy_d(h, h->parent[n]);
    }
}

void sn_hierarchy_note_pins(const sn_hierarchy *h, uint32_t tile, const sn_frame *frame)
{
    for (uint32_t i = h->pin_of[tile]; i < h->pin_of[tile + 1]; ++i) {
        sn_hierarchy_pin *pin = &h->pin[i];
        pin->x = frame->x[h->pin_slot[i]];
        pin->low = frame->d[h->pin_slot[i]];
    }
}

/* How far a held particle is pulled back, as a share of its distance from the pin. The root is always computed: a
   branch would be unpredictable. */
static sn_real pull_of(sn_vec3 away, sn_real most)
{
    const sn_real square = vec3_dot(away, away), pull = most / real_sqrt(square) - 1;
    return square > most * most ? pull : 0;
}

static sn_vec3 from_pin(const sn_hierarchy_pin *pin, sn_vec3 x, sn_vec3 low)
{
    return vec3_add(vec3_sub(x, vec4_xyz(pin->x)), vec3_sub(low, vec4_xyz(pin->low)));
}

static void note_pull(sn_dvec3 *to, sn_vec3 by)
{
    *to = (sn_dvec3){to->x + (double)by.x, to->y + (double)by.y, to->z + (double)by.z};
}

/* Pulls aggregates back to the length of their tethers. */
static void tether_nodes(const sn_hierarchy *h, uint32_t first, uint32_t count, const sn_hierarchy_mesh *mesh)
{
    const sn_vec3 origin = vec4_xyz(mesh->origin);
    for (uint32_t i = first; i < first + count; ++i) {
        const sn_hierarchy_far *far = &h->far[i];
        const sn_hierarchy_pin *pin = &h->pin[far->pin];
        sn_vec4 *d = hierarchy_d(h, far->node);
        const sn_vec3 at = vec3_add(vec3_sub(vec4_xyz(pin->x), origin), vec4_xyz(pin->low));
        const sn_vec3 away = vec3_add(vec3_sub(vec4_xyz(*hierarchy_x(h, far->node)), at), vec4_xyz(*d));
        const sn_real pull = pull_of(away, far->most);
        *d = (sn_vec4){d->x + away.x * pull, d->y + away.y * pull, d->z + away.z * pull, d->w};
        if (h->notes)
            note_pull(&h->far_pulled[i], vec3_scale(away, pull / hierarchy_x(h, far->node)->w));
    }
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

typedef struct staging {
    const sn_hierarchy *h;
    const sn_wide *wide;
    const sn_hierarchy_stage *stage;
} staging;

static void run_task(void *data, uint32_t index, uint32_t worker)
{
    const staging *s = data;
    const sn_hierarchy *h = s->h;
    const sn_hierarchy_task *task = &h->task[s->stage->task + index];
    (void)worker;
    for (const sn_hierarchy_turn *turn = h->turn + task->turn, *end = turn + task->turns; turn < end; ++turn) {
        const sn_hierarchy_share *share = &h->share[turn->share];
        if (!h->mesh[share->mesh].acts)
            continue;
        if (turn->gathers)
            gather_nodes(h, share->node, share->nodes);
        if (turn->begins)
            inherit(h, share->fresh, share->fresh_count);
        sweep(h, share->run, share->runs, turn->sweeps, s->wide);
        if (turn->ends)
            tether_nodes(h, share->far, share->fars, &h->mesh[share->mesh]);
    }
}

/* ns; threads are awake here, and need three or four thousand to synchronise. */
#define LEAST_STAGE 3500.0

bool sn_hierarchy_solve(const sn_hierarchy *h, const sn_wide *wide, sn_parallel *parallel)
{
    staging s = {h, wide, h->stage};
    bool done = true;
    for (uint32_t i = 0; done && i < h->stage_table.count; ++i, ++s.stage) {
        const bool share = parallel && (parallel->eager || s.stage->work >= LEAST_STAGE);
        done = sn_parallel_tasks(share ? parallel : NULL, s.stage->tasks, run_task, &s);
    }
    return done;
}

/* The number of sweeps over the limits inside a tile. In meshes of triangles, the second sweep lowers their mean
   stretch by a twentieth. */
static uint32_t sweeps_inside(const sn_hierarchy_part *part)
{
    return part->groups ? 1 : 2;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

static void note_lane(sn_wide_pulled *to, uint32_t lane, sn_vec3 by)
{
    to->by[0][lane] += (float)by.x;
    to->by[1][lane] += (float)by.y;
    to->by[2][lane] += (float)by.z;
}

void sn_hierarchy_move(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, const sn_frame *frame, sn_vec4 *moved)
{
    uint32_t parts;
    const sn_hierarchy_part *part = parts_of(h, tile, &parts);
    for (const sn_hierarchy_part *end = part + parts; part < end; ++part) {
        if (!h->mesh[part->mesh].acts)
            continue;
        inherit(h, part->fresh, part->fresh_count);
        sweep(h, part->run, part->runs, sweeps_inside(part), wide);
        sweep(h, part->row_run, part->row_runs, 1, wide);
        tether_nodes(h, part->far, part->fars, &h->mesh[part->mesh]);
        if (h->notes)
            sn_hierarchy_note_moves(h, part->node, part->nodes, NULL);
        for (uint32_t n = part->node; n < part->node + part->nodes; ++n) {
            sn_vec4 by = *hierarchy_d(h, n);
            by.w = 0;
            four d, to;
            FOUR_LOAD(d, &by);
            const uint32_t *slot = h->member + h->first[n], *last = h->member + h->last[n];
            for (last = hierarchy_x(h, n)->w != 0 ? last : slot; slot < last; ++slot) {
                FOUR_LOAD(to, &moved[*slot]);
                to = FOUR_ADD(to, d);
                FOUR_STORE(&moved[*slot], to);
            }
        }
        if (wide) {
            const sn_wide_tethers tethers = {.tether = h->row_tether + part->row_tether,
                                             .pulled = h->notes ? h->row_pulled + part->row_tether : NULL,
                                             .count = part->row_tethers,
                                             .pin = h->pin,
                                             .x = frame->x,
                                             .moved = moved,
                                             .coarse = moved == frame->x};
            wide->tether_lanes(&tethers);
            continue;
        }
        for (uint32_t i = part->tether; i < part->tether + part->tethers; ++i) {
            const sn_hierarchy_tether *tether = &h->tether[i];
            sn_vec4 *to = &moved[tether->slot];
            const sn_vec3 low = moved == frame->x ? (sn_vec3){0, 0, 0} : vec4_xyz(*to);
            const sn_vec3 away = from_pin(&h->pin[tether->pin], vec4_xyz(frame->x[tether->slot]), low);
            const sn_real pull = pull_of(away, tether->most);
            if (pull == 0)
                continue;
            *to = (sn_vec4){to->x + away.x * pull, to->y + away.y * pull, to->z + away.z * pull, to->w};
            if (h->notes)
                note_lane(&h->row_pulled[tether->row], tether->at % SN_ROW,
                          vec3_scale(away, pull / frame->x[tether->slot].w));
        }
    }
}

/* Sweeps over limits between groups, in planes of aggregates: a limit is a largest distance. The sums are those of
   sweep(), to the bit. */
static void sweep_rows(const sn_hierarchy *h, const sn_hierarchy_part *part, const sn_wide *wide, float *margin)
{
    sn_wide_run limits = {.plane = margin, .number = SN_KIND_DISTANCE_MAX};
    for (uint32_t r = part->row_run, end = r + part->row_runs; r < end;) {
        const uint32_t first = h->run[r].batch;
        if (h->notes)
            sn_hierarchy_note_limits(h, &h->run[r], part, margin + SN_BATCH);
        limits.batches = h->run[r++].batches;
        for (; !h->notes && r < end; ++r)
            limits.batches += h->run[r].batches; /* their batches are consecutive */
        limits.offset = h->offset + 2 * (size_t)first;
        limits.mask = h->mask + first;
        limits.param = (const float *)(const void *)h->most + (size_t)first * SN_BATCH;
        wide->fused[limits.number].planes(&limits);
    }
}

/* Pulls aggregates back, as tether_nodes does. */
static void tether_groups(const sn_hierarchy *h, const sn_hierarchy_part *part, const sn_wide *wide, float *nodes)
{
    const sn_hierarchy_mesh *mesh = &h->mesh[part->mesh];
    const sn_wide_tethers tethers = {.tether = h->row_tether + part->row_far,
                                     .pulled = h->notes ? h->row_pulled + part->row_far : NULL,
                                     .count = part->row_fars,
                                     .pin = h->pin,
                                     .plane = nodes,
                                     .nodes = true,
                                     .origin = vec4_xyz(mesh->origin)};
    wide->tether_rows(&tethers);
}

/* Moves groups in planes of aggregates, with a margin before and after them. */
static void move_groups(const sn_hierarchy *h, const sn_hierarchy_part *part, const sn_wide *wide,
                        sn_wide_groups groups, float *margin)
{
    groups.nodes = margin + SN_BATCH;
    memset(margin, 0, SN_BATCH * sizeof *margin); /* lanes read beside the aggregates, and must find numbers there */
    memset(groups.nodes + (size_t)part->groups * SN_ROW, 0, SN_BATCH * sizeof *margin);
    wide->take_nodes(&groups);
    sweep_rows(h, part, wide, margin);
    tether_groups(h, part, wide, groups.nodes);
    if (h->notes)
        sn_hierarchy_note_moves(h, part->node, part->groups * SN_BATCH, groups.nodes);
    wide->move_rows(&groups);
}

void sn_hierarchy_move_planes(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, float *plane, float *nodes,
                              bool coarse)
{
    uint32_t parts;
    const sn_hierarchy_part *part = parts_of(h, tile, &parts);
    float *moved = plane + (coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH;
    for (const sn_hierarchy_part *end = part + parts; part < end; ++part) {
        if (!h->mesh[part->mesh].acts)
            continue;
        inherit(h, part->fresh, part->fresh_count);
        sweep(h, part->run, part->runs, sweeps_inside(part), wide);
        if (part->groups)
            move_groups(h, part, wide, groups_of(h, part, plane, coarse), nodes);
        else
            tether_nodes(h, part->far, part->fars, &h->mesh[part->mesh]);
        const uint32_t others = part->node + part->groups * SN_BATCH;
        if (h->notes)
            sn_hierarchy_note_moves(h, others, part->node + part->nodes - others, NULL);
        for (uint32_t n = others; n < part->node + part->nodes; ++n)
            for (uint32_t k = h->first[n]; hierarchy_x(h, n)->w != 0 && k < h->last[n]; ++k) {
                const sn_vec4 *by = hierarchy_d(h, n);
                float *to = moved + h->at[k];
                to[0] += (float)by->x;
                to[SN_BATCH] += (float)by->y;
                to[2 * SN_BATCH] += (float)by->z;
            }
        const sn_wide_tethers tethers = {.tether = h->row_tether + part->row_tether,
                                         .pulled = h->notes ? h->row_pulled + part->row_tether : NULL,
                                         .count = part->row_tethers,
                                         .pin = h->pin,
                                         .plane = plane,
                                         .coarse = coarse};
        wide->tether_rows(&tethers);
    }
}
