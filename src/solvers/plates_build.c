/* Makes plates: chooses sheets, and lists their hinges and their matrix. See plates.h. */
#include "base/dvec.h"
#include "solvers/hierarchy_work.h"
#include "solvers/plan_work.h"
#include "solvers/plates.h"
#include "solvers/solids_work.h"

/* The fewest hinges of a plate: with fewer, sweeps converge. */
#define LEAST_PLATE 4u

/* rad: angles with a larger rest angle are left to sweeps. */
#define FOLDED 0.6

/* 1/s^2: the largest w k^2 / a of a hinge. A hinge without compliance has this. */
#define RIGID 1e12

#define NONE SN_PLAN_NONE

typedef struct plates_work {
    sn_plates *p;
    const sn_solver_in *in;
    const sn_allocator *allocator;
    uint32_t slots;
    uint32_t *sheet;     /* by slot: the number of its sheet, or NONE */
    uint32_t *vertex_of; /* by slot */
    bool *tears;         /* by slot: a rod there may tear; NULL: none can */
    uint32_t *rod_start, *rod;
    bool all_tear;
} plates_work;

static void *room(plates_work *w, size_t count, size_t size)
{
    return rooms_take(&w->p->rooms, w->allocator, count, size);
}

/* ---- Hinges ------------------------------------------------------------------------------------------------------ */

static void mark_tears(plates_work *w)
{
    const sn_stiffen *stiffen = &w->in->stiffen;
    const sn_pool *pool = w->in->store->pool[SN_KIND_DISTANCE];
    w->tears = stiffen->tears ? room(w, w->slots, sizeof *w->tears) : NULL;
    for (uint32_t row = 0; w->tears && row < pool->table.count; ++row) {
        const uint32_t *point = pool->point + 2 * (size_t)row;
        if (pool->ids.value[row] == SN_ID_FREE || !stiffen->tears(stiffen->world, SN_KIND_DISTANCE, row))
            continue;
        for (uint32_t i = 0; i < 2; ++i)
            if (!(point[i] & SN_ANCHOR_BIT) && w->in->frame.slot[point[i]] < w->slots)
                w->tears[w->in->frame.slot[point[i]]] = true;
    }
}

/* Lists the rods by slot, as the slots at their other ends. */
static void list_rods(plates_work *w)
{
    const sn_pool *pool = w->in->store->pool[SN_KIND_DISTANCE];
    w->rod_start = room(w, (size_t)w->slots + 2, sizeof *w->rod_start);
    w->rod = room(w, 2 * (size_t)pool->ids.live, sizeof *w->rod);
    for (uint32_t pass = 0; pass < 2 && !w->p->rooms.failed; ++pass) {
        for (uint32_t row = 0; row < pool->table.count; ++row) {
            const uint32_t *point = pool->point + 2 * (size_t)row;
            if (pool->ids.value[row] == SN_ID_FREE || (point[0] | point[1]) & SN_ANCHOR_BIT)
                continue;
            const uint32_t slot[2] = {w->in->frame.slot[point[0]], w->in->frame.slot[point[1]]};
            for (uint32_t i = 0; i < 2 && slot[0] < w->slots && slot[1] < w->slots; ++i)
                if (pass)
                    w->rod[w->rod_start[slot[i] + 1]++] = slot[!i];
                else
                    w->rod_start[slot[i] + 2]++;
        }
        for (uint32_t i = 0; i < w->slots && !pass; ++i)
            w->rod_start[i + 2] += w->rod_start[i + 1];
    }
}

/* Two particles that are immovable, or held by rigid pins, are as far apart as with a rod. */
static bool is_rod(const plates_work *w, uint32_t a, uint32_t b)
{
    bool is = sn_hierarchy_limit_mass(w->in, a) == 0 && sn_hierarchy_limit_mass(w->in, b) == 0;
    for (uint32_t i = w->rod_start[a]; !is && i < w->rod_start[a + 1]; ++i)
        is = w->rod[i] == b;
    return is;
}

/* Whether the sides or edges of an angle are rods, and its rest angle is small. */
static bool is_framed(const plates_work *w, uint32_t kind, uint32_t row, const uint32_t slot[4])
{
    const double rest = (double)w->in->store->pool[kind]->param[row];
    if (kind == SN_KIND_BENDING)
        return true;
    if (!(fabs(rest) <= FOLDED))
        return false;
    return kind == SN_KIND_ANGLE
               ? is_rod(w, slot[0], slot[1]) && is_rod(w, slot[1], slot[2])
               : is_rod(w, slot[0], slot[2]) && is_rod(w, slot[0], slot[3]) && is_rod(w, slot[1], slot[2]) &&
                     is_rod(w, slot[1], slot[3]) && is_rod(w, slot[2], slot[3]);
}

/* An iteration over the hinges of all sheets. */
typedef struct walk {
    uint32_t which, row; /* the next one */
    uint32_t kind, at, slot[4];
} walk;

static const uint32_t kinds[] = {SN_KIND_BENDING, SN_KIND_DIHEDRAL, SN_KIND_ANGLE};
#define KINDS (sizeof kinds / sizeof *kinds)

/* What becomes of a hinge. */
enum {
    /* TAKEN: it belongs to a plate. It is in a batch, between particles of the plan, and neither breaks nor tears.
       Lower values: the reason why it is left to sweeps. IGNORED: it does not count. */
    TAKEN = SN_LEFT_COUNT,
    IGNORED
};

static uint32_t fate_of(plates_work *w, uint32_t kind, uint32_t row, uint32_t slot[4])
{
    const sn_pool *pool = w->in->store->pool[kind];
    const sn_stiffen *stiffen = &w->in->stiffen;
    const uint32_t points = pool->kind->points, *point = pool->point + (size_t)points * row;
    bool tears = false;
    if (pool->ids.value[row] == SN_ID_FREE)
        return IGNORED;
    slot[3] = 0;
    for (uint32_t i = 0; i < points; ++i) {
        slot[i] = point[i] & SN_ANCHOR_BIT ? NONE : w->in->frame.slot[point[i]];
        if (slot[i] >= w->slots)
            return IGNORED;
        tears = tears || (w->tears && w->tears[slot[i]]);
    }
    slot[3] = points < 4 ? slot[0] : slot[3]; /* a fourth vertex, without weight */
    if (tears)
        return SN_LEFT_BREAKS;
    w->all_tear = false;
    if (!pool->place[row] || (pool->place[row] - 1) >> PLACE_SHIFT != PLACE_LANE || pool->give[row].stiffness != 1 ||
        store_compromise(w->in->store, pool, row))
        return IGNORED;
    if (stiffen->breaks && stiffen->breaks(stiffen->world, kind, row))
        return SN_LEFT_BREAKS;
    return is_framed(w, kind, row, slot) ? (uint32_t)TAKEN : SN_LEFT_EDGES;
}

static bool next(plates_work *w, walk *k)
{
    for (; k->which < KINDS; ++k->which, k->row = 0) {
        k->kind = kinds[k->which];
        while (k->row < w->in->store->pool[k->kind]->table.count) {
            k->at = k->row++;
            if (fate_of(w, k->kind, k->at, k->slot) == TAKEN)
                return true;
        }
    }
    return false;
}

/* The position of a particle in the rest shape, or the present one if it has none. */
static sn_dvec3 rest_place(const plates_work *w, uint32_t slot)
{
    const sn_stiffen *stiffen = &w->in->stiffen;
    const uint32_t number = stiffen->number[slot];
    const sn_rest_place *shape = stiffen->shape->column[0];
    const bool has = number < stiffen->shape->count && shape[number].since;
    const sn_vec3 at = has ? shape[number].place : vec4_xyz(w->in->frame.x[slot]);
    return (sn_dvec3){(double)at.x, (double)at.y, (double)at.z};
}

/* The distance of a from the line through c and d. *foot: the projection of a on this line, 0 at d, 1 at c. */
static double height(sn_dvec3 a, sn_dvec3 c, sn_dvec3 d, double *foot)
{
    const sn_dvec3 e = dvec3_sub(d, c), da = dvec3_sub(a, d);
    *foot = -dvec3_dot(da, e) / dvec3_dot(e, e);
    return dvec3_length(dvec3_cross(e, da)) / dvec3_length(e);
}

/* The gradient of a dihedral angle by displacements along the normal of its unfolded triangles: the inverse heights,
   and the opposite shares of the ends of the edge. */
static void weigh_dihedral(const plates_work *w, const uint32_t slot[4], double k[4])
{
    const sn_dvec3 a = rest_place(w, slot[0]), b = rest_place(w, slot[1]), c = rest_place(w, slot[2]),
                   d = rest_place(w, slot[3]);
    double foot_a, foot_b;
    k[0] = 1 / height(a, c, d, &foot_a);
    k[1] = 1 / height(b, c, d, &foot_b);
    k[2] = -(k[0] * foot_a + k[1] * foot_b);
    k[3] = -(k[0] + k[1] + k[2]);
    for (uint32_t i = 0; i < 4; ++i)
        k[i] = isfinite(k[i]) ? k[i] : 0;
}

/* The same for an angle between two sides. */
static void weigh_angle(const plates_work *w, const uint32_t slot[4], double k[4])
{
    const sn_dvec3 a = rest_place(w, slot[0]), b = rest_place(w, slot[1]), c = rest_place(w, slot[2]);
    k[0] = 1 / dvec3_length(dvec3_sub(b, a));
    k[2] = 1 / dvec3_length(dvec3_sub(c, b));
    k[1] = -(k[0] + k[2]);
    k[3] = 0;
    for (uint32_t i = 0; i < 4; ++i)
        k[i] = isfinite(k[i]) ? k[i] : 0;
}

/* The weights k of a hinge. Returns the mobility of the hinge, 1 / (kg m^2). */
static double weigh(const plates_work *w, const walk *at, double k[4])
{
    const sn_real *param = w->in->store->pool[at->kind]->param;
    double sum = 0;
    if (at->kind == SN_KIND_DIHEDRAL) {
        weigh_dihedral(w, at->slot, k);
    } else if (at->kind == SN_KIND_ANGLE) {
        weigh_angle(w, at->slot, k);
    } else {
        for (uint32_t i = 1; i < 4; ++i)
            k[i] = (double)param[3 * (size_t)at->at + i - 1];
        k[0] = -(k[1] + k[2] + k[3]);
    }
    for (uint32_t i = 0; i < 4; ++i)
        sum += (double)sn_hierarchy_limit_mass(w->in, at->slot[i]) * k[i] * k[i];
    return sum;
}

static double compliance_of(const plates_work *w, const walk *at, double moves)
{
    const double given = (double)w->in->store->pool[at->kind]->give[at->at].compliance, least = moves / RIGID;
    return given > least ? given : least;
}

/* ---- Sheets ------------------------------------------------------------------------------------------------------ */

typedef struct sheet_facts {
    uint32_t flags;  /* SN_SOFT_CLOSED: it has substeps of its own (tiled_closed.c), or may have */
    uint32_t number; /* of the plate, or NONE */
    uint32_t hinges;
    bool folds;   /* it has angles */
    double ratio; /* sum over all hinges */
} sheet_facts;

/* Collects the facts of each sheet, by its lowest slot. */
static void look_at_sheets(plates_work *w, sheet_facts *facts)
{
    double k[4];
    for (uint32_t i = 0; i < w->slots; ++i)
        w->sheet[i] = sets_find(w->sheet, i);
    for (walk at = {0}; next(w, &at);) {
        sheet_facts *f = &facts[w->sheet[at.slot[0]]];
        const double moves = weigh(w, &at, k);
        f->hinges++;
        f->folds = f->folds || at.kind != SN_KIND_BENDING;
        f->ratio += moves > 0 ? moves / compliance_of(w, &at, moves) : 0;
    }
}

/* Collects the facts of the hinges that are left to sweeps. */
static void look_at_left(plates_work *w)
{
    double k[4];
    walk at = {0};
    for (; at.which < KINDS; ++at.which, at.row = 0)
        for (at.kind = kinds[at.which]; at.row < w->in->store->pool[at.kind]->table.count; ++at.row) {
            at.at = at.row;
            const uint32_t why = fate_of(w, at.kind, at.at, at.slot);
            if (why >= SN_LEFT_COUNT)
                continue;
            const double moves = weigh(w, &at, k);
            w->p->left[why].hinges++;
            w->p->left[why].ratio += moves > 0 ? moves / compliance_of(w, &at, moves) : 0;
        }
}

/* Notes the rest shapes of sheets and lines with angles, if they are stiff or nearly so. */
static void note_shapes(plates_work *w, const sheet_facts *facts, double h)
{
    bool any = false;
    for (uint32_t i = 0; i < w->slots; ++i) {
        const sheet_facts *f = &facts[w->sheet[i]];
        const bool noted = f->folds && f->hinges >= LEAST_PLATE && f->ratio * h * h >= f->hinges * SN_PLATE_RATIO / 4;
        w->vertex_of[i] = noted ? w->sheet[i] : NONE;
        any = any || noted;
    }
    if (any && !sn_hierarchy_note_shapes(w->in, w->allocator, w->vertex_of, w->slots))
        w->p->rooms.failed = true;
}

/* Numbers the sheets that are stiff; the slots of others get NONE. */
static void choose(plates_work *w, double h)
{
    sn_plates *p = w->p;
    w->sheet = room(w, w->slots, sizeof *w->sheet);
    w->vertex_of = room(w, w->slots, sizeof *w->vertex_of);
    sheet_facts *facts = room(w, w->slots, sizeof *facts);
    mark_tears(w);
    list_rods(w);
    if (p->rooms.failed)
        return;
    look_at_left(w);
    for (uint32_t i = 0; i < w->slots; ++i)
        w->sheet[i] = i;
    for (walk at = {0}; next(w, &at);)
        for (uint32_t i = 1; i < 4; ++i)
            sets_join(w->sheet, at.slot[0], at.slot[i]);
    look_at_sheets(w, facts);
    sn_solids_mark_closed(w->in, w->sheet, w->slots, &facts->flags, sizeof *facts / sizeof facts->flags);
    note_shapes(w, facts, h);
    p->count = 0;
    p->least_h = HUGE_VAL;
    for (uint32_t i = 0; i < w->slots; ++i) {
        sheet_facts *f = &facts[i];
        const double ratio = f->hinges ? f->ratio / f->hinges : 0;
        const bool large = f->hinges >= LEAST_PLATE && ratio > 0 && !(f->flags & SN_SOFT_CLOSED);
        const bool is = large && ratio * h * h >= SN_PLATE_RATIO;
        f->ratio = ratio;
        if (large && !is && sqrt(SN_PLATE_RATIO / ratio) < p->least_h)
            p->least_h = sqrt(SN_PLATE_RATIO / ratio);
        f->number = is ? p->count++ : NONE;
    }
    p->plate = room(w, p->count, sizeof *p->plate);
    for (uint32_t i = 0; i < w->slots && !p->rooms.failed; ++i) {
        const sheet_facts *f = &facts[w->sheet[i]];
        if (f->number != NONE)
            p->plate[f->number].ratio = f->ratio;
        w->sheet[i] = f->number;
    }
}

/* ---- Vertices and hinges ----------------------------------------------------------------------------------------- */

/* Lists the particles of each plate, movable ones first. */
static void list_vertices(plates_work *w)
{
    sn_plates *p = w->p;
    for (uint32_t i = 0; i < w->slots; ++i)
        if (w->sheet[i] != NONE) {
            p->plate[w->sheet[i]].vertices++;
            p->plate[w->sheet[i]].unknowns += sn_hierarchy_limit_mass(w->in, i) > 0;
            p->vertices++;
        }
    p->slot = room(w, p->vertices, sizeof *p->slot);
    p->mass = room(w, p->vertices, sizeof *p->mass);
    uint32_t *next = room(w, 2 * (size_t)p->count, sizeof *next);
    if (p->rooms.failed)
        return;
    for (uint32_t i = 0, vertex = 0; i < p->count; ++i) {
        p->plate[i].vertex = next[2 * i] = vertex;
        next[2 * i + 1] = vertex + p->plate[i].unknowns;
        vertex += p->plate[i].vertices;
    }
    for (uint32_t i = 0; i < w->slots; ++i) {
        if (w->sheet[i] == NONE)
            continue;
        const double inverse = (double)sn_hierarchy_limit_mass(w->in, i);
        const uint32_t v = next[2 * w->sheet[i] + !(inverse > 0)]++;
        p->plate[w->sheet[i]].body = w->in->plan->tile[sn_plan_owner(w->in->plan, i)].body;
        p->slot[v] = i;
        p->mass[v] = inverse > 0 ? 1 / inverse : 0;
        w->vertex_of[i] = v;
    }
}

/* Whether a plate is a wire, and up to which stiffness it can be solved. */
static void look_at_curves(const sn_plates *p, sn_plate *plate)
{
    double sum = 0;
    uint32_t count = 0;
    bool angles = true;
    for (uint32_t i = plate->hinge; i < plate->hinge + plate->hinges; ++i) {
        const double rest = fabs(p->hinge[i].rest);
        angles = angles && p->hinge[i].kind == SN_KIND_ANGLE;
        sum += rest >= SN_PLATE_FLAT ? rest : 0;
        count += rest >= SN_PLATE_FLAT;
    }
    plate->curved = count > 0;
    plate->wire = count && angles;
    plate->most = count ? fmin(SN_PLATE_CURVED, SN_PLATE_FOLDED * count / sum) : HUGE_VAL;
}

static void list_hinges(plates_work *w)
{
    sn_plates *p = w->p;
    for (walk at = {0}; next(w, &at);)
        if (w->sheet[at.slot[0]] != NONE) {
            p->plate[w->sheet[at.slot[0]]].hinges++;
            p->hinges++;
        }
    p->hinge = room(w, p->hinges, sizeof *p->hinge);
    if (p->rooms.failed)
        return;
    for (uint32_t i = 0, hinge = 0; i < p->count; ++i) {
        p->plate[i].hinge = hinge;
        hinge += p->plate[i].hinges;
        p->plate[i].hinges = 0;
    }
    for (walk at = {0}; next(w, &at);) {
        const sn_pool *pool = w->in->store->pool[at.kind];
        if (w->sheet[at.slot[0]] == NONE)
            continue;
        sn_plate *plate = &p->plate[w->sheet[at.slot[0]]];
        sn_plate_hinge *hinge = &p->hinge[plate->hinge + plate->hinges++];
        const double moves = weigh(w, &at, hinge->k), compliance = compliance_of(w, &at, moves);
        hinge->kind = at.kind;
        hinge->points = pool->kind->points;
        hinge->row = at.at;
        hinge->rest = at.kind != SN_KIND_BENDING ? (double)pool->param[at.at] : 0;
        hinge->stiffness = moves > 0 ? 1 / compliance : 0; /* it has no effect between immovable particles */
        hinge->damping = moves > 0 ? (double)pool->give[at.at].damping : 0;
        plate->damped = plate->damped || hinge->damping > 0;
        plate->folds = plate->folds || at.kind != SN_KIND_BENDING;
        for (uint32_t i = 0; i < 4; ++i)
            hinge->vertex[i] = w->vertex_of[at.slot[i]];
    }
    for (uint32_t i = 0; i < p->count; ++i)
        look_at_curves(p, &p->plate[i]);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static void reserve_substeps(plates_work *w)
{
    sn_plates *p = w->p;
    p->mask = room(w, w->in->plan->mask_table.count, sizeof *p->mask);
    p->solved = room(w, w->in->plan->run_table.count, sizeof *p->solved);
    p->at = room(w, p->vertices, sizeof *p->at);
    p->from = room(w, p->vertices, sizeof *p->from);
    p->push = room(w, p->vertices, sizeof *p->push);
    p->moved = room(w, p->vertices, sizeof *p->moved);
    p->mark = room(w, p->vertices, sizeof *p->mark);
}

static void make(plates_work *w, double h)
{
    sn_plates *p = w->p;
    choose(w, h);
    if (p->rooms.failed || !p->count)
        return;
    list_vertices(w);
    if (p->rooms.failed)
        return;
    list_hinges(w);
    if (p->rooms.failed)
        return;
    sn_plates_plan_factors(p, w->allocator);
    if (p->rooms.failed)
        return;
    sn_plates_plan_wires(p, w->allocator);
    p->slots = w->slots;
    p->vertex_of = w->vertex_of;
    for (uint32_t i = 0; i < w->slots; ++i)
        p->vertex_of[i] = NONE;
    for (uint32_t v = 0; v < p->vertices; ++v)
        p->vertex_of[p->slot[v]] = v;
    if (!p->rooms.failed)
        reserve_substeps(w);
}

/* Whether masses are those for which the plates were made. */
static bool are_masses_same(const sn_plates *p, const sn_solver_in *in)
{
    for (uint32_t i = 0; i < p->vertices; ++i) {
        const double inverse = (double)sn_hierarchy_limit_mass(in, p->slot[i]);
        if (p->mass[i] != (inverse > 0 ? 1 / inverse : 0))
            return false;
    }
    return true;
}

void sn_plates_release(sn_plates *p, const sn_allocator *allocator)
{
    rooms_release(&p->rooms, allocator);
    *p = (sn_plates){0};
}

bool sn_plates_reserve(sn_plates *p, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_store *store = in->store;
    const double h = (double)in->h / in->settings->substeps; /* `in` is the input of the step */
    bool may = false;
    p->h = h;
    p->steps = in->settings->substeps;
    for (uint32_t i = 0; i < KINDS && in->stiffen.on && in->stiffen.solids; ++i)
        may = may || store->pool[kinds[i]]->ids.live > 0;
    if (may && p->made && p->edits == in->stiffen.edits && h < p->least_h &&
        (p->all_tear || (p->makes == in->plan->makes && p->changes == store->changes && are_masses_same(p, in))))
        return true;
    p->made = p->any = false;
    p->count = p->vertices = p->hinges = p->rooms.count = 0;
    p->rooms.failed = false;
    memset(p->left, 0, sizeof p->left);
    if (!may)
        return true;
    plates_work w = {.p = p, .in = in, .allocator = allocator, .slots = in->plan->particles, .all_tear = true};
    make(&w, h);
    if (p->rooms.failed) {
        p->count = 0;
        return false;
    }
    p->made = true;
    p->all_tear = w.all_tear;
    p->makes = in->plan->makes;
    p->changes = store->changes;
    p->edits = in->stiffen.edits;
    return true;
}
