/* Tethers of particles and aggregates to immovable particles: their distance is at most the one along rods.

   Connected immovable particles are a group: the edge of a curtain is one. Each particle or aggregate is held by the
   nearest particle of the two nearest groups. With only one, the rods half way between two groups would carry all that
   hangs there, since held particles move no farther. */
#include "solvers/hierarchy_work.h"

#include <string.h>

/* Particles within this number of average rods from an immovable particle are held: there the load of a whole mesh is
   concentrated in a few rods. For aggregates it is a number of average links; those of the next level reach three times
   as far. */
#define TETHER_RODS  32.0
#define TETHER_LINKS 16.0

#define SLACK SN_TETHER_SLACK

#define NONE SN_PLAN_NONE

/* ---- Immovable particles ----------------------------------------------------------------------------------------- */

void sn_hierarchy_find_pins(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    w->pin_of = sn_hierarchy_scratch(w, w->slots, sizeof *w->pin_of);
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i) {
        w->pin_of[i] = NONE;
        if (w->mesh[i] == NONE || w->w[i] != 0 || !sn_hierarchy_grow(w, &h->pin_table, 1))
            continue;
        w->pin_of[i] = h->pin_table.count - 1;
        h->pin_slot[h->pin_table.count - 1] = i;
    }
    const uint32_t tiles = w->in->plan->layer[1];
    if (!sn_hierarchy_grow(w, &h->pin_of_table, tiles + 1))
        return;
    for (uint32_t t = 0, p = 0; t <= tiles; ++t) {
        while (p < h->pin_table.count && w->tile[h->pin_slot[p]] < t)
            ++p;
        h->pin_of[t] = p;
    }
    w->group = sn_hierarchy_scratch(w, h->pin_table.count, sizeof *w->group);
    w->failed = w->failed || !sn_table_reserve(&h->heap_table, w->allocator, w->slots); /* enough in most cases */
    if (w->failed)
        return;
    for (uint32_t p = 0; p < h->pin_table.count; ++p)
        w->group[p] = p;
    for (uint32_t p = 0; p < h->pin_table.count; ++p)
        for (uint32_t e = w->start[h->pin_slot[p]]; e < w->start[h->pin_slot[p] + 1]; ++e) {
            const uint32_t other = w->pin_of[w->edge[e].to];
            const uint32_t a = sets_find(w->group, p), b = other == NONE ? a : sets_find(w->group, other);
            if (a != b)
                w->group[a > b ? a : b] = a < b ? a : b;
        }
    for (uint32_t p = 0; p < h->pin_table.count; ++p)
        w->group[p] = sets_find(w->group, p);
}

/* ---- Paths to immovable particles -------------------------------------------------------------------------------- */

/* A heap, the nearest visit first. */
static bool is_before(hierarchy_visit a, hierarchy_visit b)
{
    return a.far < b.far || (a.far == b.far && (a.node < b.node || (a.node == b.node && a.pin < b.pin)));
}

static bool push(hierarchy_work *w, hierarchy_visit e)
{
    if (!sn_hierarchy_grow(w, &w->h->heap_table, 1))
        return false;
    hierarchy_visit *entry = w->h->heap_table.column[0];
    uint32_t i = w->h->heap_table.count - 1;
    for (; i > 0 && is_before(e, entry[(i - 1) / 2]); i = (i - 1) / 2)
        entry[i] = entry[(i - 1) / 2];
    entry[i] = e;
    return true;
}

static hierarchy_visit pop(hierarchy_work *w)
{
    hierarchy_visit *entry = w->h->heap_table.column[0];
    const uint32_t count = --w->h->heap_table.count;
    const hierarchy_visit top = entry[0], last = entry[count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && is_before(entry[child + 1], entry[child]);
        if (!is_before(entry[child], last))
            break;
        entry[i] = entry[child];
    }
    entry[i] = last;
    return top;
}

static bool has_normal(const hierarchy_form *a)
{
    return a->normal[0] != 0 || a->normal[1] != 0 || a->normal[2] != 0;
}

/* The first aggregate around a particle that is movable and has a normal or is solid; NONE: there is none. */
static uint32_t around(const hierarchy_work *w, uint32_t slot)
{
    for (uint32_t e = w->start[slot]; e < w->start[slot + 1]; ++e) {
        const uint32_t node = w->w[w->edge[e].to] > 0 ? w->node[w->edge[e].to] : NONE;
        if (node != NONE && (w->form[node].solid || has_normal(&w->form[node])))
            return node;
    }
    return NONE;
}

/* The same around an immovable particle. Its neighbours may be a line, then theirs are tried. */
static uint32_t beside(const hierarchy_work *w, uint32_t slot)
{
    uint32_t node = around(w, slot);
    for (uint32_t e = w->start[slot]; node == NONE && e < w->start[slot + 1]; ++e)
        if (w->w[w->edge[e].to] > 0)
            node = around(w, w->edge[e].to);
    return node;
}

/* The flatness of the path to b, seen from the aggregate beside the immovable particle: the cosine of the angle between
   their normals. A line is as flat as the path to it. 0: unknown. */
static sn_real flatness(const hierarchy_work *w, uint32_t node, const hierarchy_form *b)
{
    const hierarchy_form *a = node == NONE ? NULL : &w->form[node];
    if (!a || !a->sound || !b->sound || a->solid != b->solid || a->since != b->since)
        return 0;
    if (a->solid || !has_normal(b))
        return 1;
    return (sn_real)fabs(a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2]);
}

/* How far from immovable particles the particles of a mesh are held. */
typedef struct mesh_reach {
    double all, search; /* m: all particles; and how far paths are searched for, for heavy ones */
} mesh_reach;

/* The graph of particles, or of the aggregates of one level. */
typedef struct spreading {
    const uint32_t *start;
    const hierarchy_edge *edge;
    const uint32_t *form;    /* by number: its aggregate */
    double link;             /* m, of aggregates: the average length; 0: particles */
    const mesh_reach *reach; /* of particles: by mesh */
    hierarchy_visit *visit;  /* SN_TETHER_GROUPS by number: the visits, the nearest first */
    uint8_t *visits;         /* by number: visits in use */
    uint32_t *path;          /* of particles: scratch, visits */
} spreading;

/* Whether a node has not been reached from this group yet, and from fewer than SN_TETHER_GROUPS. */
static bool is_new(const hierarchy_work *w, const spreading *s, uint32_t node, uint32_t pin)
{
    bool fresh = s->visits[node] < SN_TETHER_GROUPS;
    for (uint32_t k = 0; k < s->visits[node] && fresh; ++k)
        fresh = w->group[s->visit[SN_TETHER_GROUPS * node + k].pin] != w->group[pin];
    return fresh;
}

static void spread(hierarchy_work *w, const spreading *s)
{
    while (w->h->heap_table.count && !w->failed) {
        const hierarchy_visit top = pop(w);
        if (!is_new(w, s, top.node, top.pin))
            continue;
        const uint32_t index = SN_TETHER_GROUPS * top.node + s->visits[top.node]++;
        s->visit[index] = top;
        const uint32_t near = beside(w, w->h->pin_slot[top.pin]);
        for (uint32_t e = s->start[top.node]; e < s->start[top.node + 1]; ++e) {
            const uint32_t to = s->edge[e].to;
            const sn_real next = top.far + s->edge[e].rest;
            const double reach = s->reach ? s->reach[w->mesh[to]].search : TETHER_LINKS * s->link;
            if (!is_new(w, s, to, top.pin) || (double)next > reach)
                continue;
            const hierarchy_form *form = &w->form[s->form[to]];
            const sn_real here = flatness(w, near, form);
            push(w, (hierarchy_visit){next, here < top.flat ? here : top.flat, to, top.pin, index, NONE, 0, false});
        }
    }
}

/* The cosine of the largest angle by which the mesh may bend along the path. */
#define LEAST_FLAT ((sn_real)0.9)

/* The distance of a point from a line through `from` along a unit vector, and its position *at along the line. */
static double beside_line(const double from[3], const double along[3], const double point[3], double *at)
{
    double square = 0;
    *at = 0;
    for (int i = 0; i < 3; ++i) {
        *at += (point[i] - from[i]) * along[i];
        square += (point[i] - from[i]) * (point[i] - from[i]);
    }
    return sqrt(square > *at * *at ? square - *at * *at : 0);
}

/* In links: a point farther from the straight path is not on it; and the least advance of a step. */
#define BESIDE 1.0
#define STEP   0.2

/* Notes that the path of an item leads over an aggregate: a tear there releases the item. */
static void note_path_item(hierarchy_work *w, uint32_t node, uint32_t item)
{
    if (sn_hierarchy_grow(w, &w->h->path_table, 1))
        w->h->path[w->h->path_table.count - 1] = (sn_hierarchy_path){node, item};
}

/* Notes all aggregates on the path of a visit. */
static void note_path(hierarchy_work *w, const spreading *s, const hierarchy_visit *visit, uint32_t item)
{
    for (note_path_item(w, s->form[visit->node], item); visit->from != NONE;
         note_path_item(w, s->form[visit->node], item))
        visit = &s->visit[visit->from];
}

/* Whether the straight path from an aggregate to an immovable particle is inside the mesh. A hole is where no step
   along the path is possible. Solids are not checked. Notes the path for `item`. */
static bool sees(hierarchy_work *w, const spreading *s, uint32_t node, uint32_t slot, uint32_t item)
{
    hierarchy_form pin = {0};
    note_path_item(w, s->form[node], item);
    sn_hierarchy_put_form(w, &pin, slot);
    const double *from = w->form[s->form[node]].centre;
    double path[3];
    const double all = (double)sn_hierarchy_distance(&w->form[s->form[node]], &pin);
    for (int i = 0; i < 3; ++i)
        path[i] = (pin.centre[i] - from[i]) / all;
    for (double last = 0, step = 0; !w->form[s->form[node]].solid && all - last > 1.5 * step;) {
        uint32_t next = NONE;
        double least = 0, rest = 0, to = 0;
        for (uint32_t e = s->start[node]; e < s->start[node + 1]; ++e) {
            double at;
            const double aside = beside_line(from, path, w->form[s->form[s->edge[e].to]].centre, &at);
            if (!(at > last + STEP * (double)s->edge[e].rest) || (next != NONE && aside >= least))
                continue;
            next = s->edge[e].to;
            least = aside;
            rest = (double)s->edge[e].rest;
            to = at;
        }
        if (next == NONE || least > BESIDE * rest)
            return all - last <= 1.5 * s->link;
        node = next;
        note_path_item(w, s->form[node], item);
        step = rest;
        last = to;
    }
    return true;
}

/* The length of the straight path, where the mesh is flat and braced: in a mesh of squares or triangles the path along
   rods is longer. Where the mesh is slightly curved, it is longer by at most 1 / flat. 0: it is not flat. */
static double straight_from(const hierarchy_work *w, const hierarchy_visit *visit, hierarchy_form b)
{
    const uint32_t pin = w->h->pin_slot[visit->pin];
    if (visit->flat < LEAST_FLAT)
        return 0;
    hierarchy_form a = w->form[beside(w, pin)];
    sn_hierarchy_put_form(w, &a, pin);
    if (sn_hierarchy_is_detour(&a, &b, (double)visit->far))
        return 0;
    return sn_hierarchy_limit(&a, &b) / (double)visit->flat;
}

sn_real sn_hierarchy_far_from(const hierarchy_work *w, uint32_t node, uint32_t pin)
{
    hierarchy_form at = {0};
    sn_hierarchy_put_form(w, &at, w->h->pin_slot[pin]);
    return sn_hierarchy_distance(&at, &w->form[node]);
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static mesh_reach *find_reaches(hierarchy_work *w)
{
    const uint32_t meshes = w->h->mesh_table.count;
    mesh_reach *reach = sn_hierarchy_scratch(w, meshes, sizeof *reach);
    uint32_t *rods = sn_hierarchy_scratch(w, meshes, sizeof *rods);
    for (uint32_t i = 0; i < w->rods && !w->failed; ++i) {
        reach[w->mesh[w->rod[i].a]].all += (double)w->rod[i].rest;
        rods[w->mesh[w->rod[i].a]]++;
    }
    for (uint32_t m = 0; m < meshes && !w->failed; ++m)
        reach[m].search = reach[m].all *= TETHER_RODS / rods[m];
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i)
        if (w->held[i])
            reach[w->mesh[i]].search = HUGE_VAL;
    return reach;
}

/* Whether the aggregate of a particle is held by the same group: then the straight path is inside the mesh. */
static bool is_seen(const hierarchy_work *w, const hierarchy_visit *visit)
{
    const uint32_t *by = w->held_by + (size_t)SN_TETHER_GROUPS * w->node[visit->node], group = w->group[visit->pin] + 1;
    bool seen = false;
    for (uint32_t k = 0; k < SN_TETHER_GROUPS; ++k)
        seen = seen || by[k] == group;
    return seen;
}

/* Adds a span, if two visits to the same particle or aggregate are about half way between their groups. In the rest
   shape, no straight path is longer than one over a point between. */
static bool add_span(hierarchy_work *w, uint32_t mesh, const hierarchy_visit *visit, const double most[2], double link,
                     uint32_t slot)
{
    sn_hierarchy *h = w->h;
    if (!(fabs((double)visit[0].far - (double)visit[1].far) <= link) || !sn_hierarchy_grow(w, &h->span_table, 1))
        return false;
    h->span[h->span_table.count - 1] =
        (sn_hierarchy_span){mesh, {visit[0].pin, visit[1].pin}, slot, (sn_real)(most[0] + most[1]) * SLACK};
    return true;
}

/* Sets the length of a tether: the straight distance where that is inside the mesh, or the tether of the particle before
   it on the path, and the rod between. So what hangs from a mesh is held as exactly as the particle that it hangs
   from. */
static void set_most(const hierarchy_work *w, const hierarchy_visit *before, hierarchy_visit *visit)
{
    hierarchy_form form = w->form[w->node[visit->node]];
    sn_hierarchy_put_form(w, &form, visit->node);
    const double straight = is_seen(w, visit) ? straight_from(w, visit, form) : 0;
    const sn_real over = before->most + (visit->far - before->far) * SLACK;
    visit->most = straight > 0 && straight < (double)visit->far ? (sn_real)straight : visit->far * SLACK;
    visit->leans = over < visit->most;
    visit->most = visit->leans ? over : visit->most;
}

static sn_real most_of(const hierarchy_work *w, const spreading *s, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = index; !(s->visit[i].most > 0) && s->visit[i].from != NONE; i = s->visit[i].from)
        s->path[count++] = i;
    while (count--)
        set_most(w, &s->visit[s->visit[s->path[count]].from], &s->visit[s->path[count]]);
    return s->visit[index].most;
}

static bool tether_particle(hierarchy_work *w, const spreading *s, uint32_t at, uint32_t index)
{
    sn_hierarchy *h = w->h;
    hierarchy_visit *visit = &s->visit[index];
    if (!sn_hierarchy_grow(w, &h->tether_table, 1))
        return false;
    visit->tether = h->tether_table.count - 1;
    h->tether[visit->tether] = (sn_hierarchy_tether){visit->node, at, NONE, visit->pin, most_of(w, s, index)};
    return true;
}

/* The rank of a tether among those of its particle; 0: the first and nearest. */
static uint32_t rank_of(const sn_hierarchy_tether *tether, const sn_hierarchy_tether *first)
{
    uint32_t turn = 0;
    while (tether - turn > first && tether[-1 - (ptrdiff_t)turn].slot == tether->slot)
        ++turn;
    return turn;
}

/* Adds an entry of sixteen tethers, in a row or side by side. Empty lanes have this particle and this immovable one. */
static bool add_lanes(hierarchy_work *w, uint32_t row, uint32_t slot, uint32_t pin)
{
    sn_hierarchy *h = w->h;
    if (!sn_hierarchy_grow(w, &h->row_tether_table, 1))
        return false;
    sn_wide_tether *made = &h->row_tether[h->row_tether_table.count - 1];
    *made = (sn_wide_tether){.row = row};
    for (uint32_t k = 0; k < SN_BATCH; ++k) {
        made->pin[k] = 2 * pin;
        made->slot[k] = slot;
        made->most[k] = INFINITY;
    }
    return true;
}

/* Sorts entries with the same immovable particles together. */
static void sort_rows(sn_wide_tether *tether, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t next = i + 1;
        for (uint32_t k = next; k < count; ++k)
            if (!memcmp(tether[k].pin, tether[i].pin, sizeof tether->pin)) {
                const sn_wide_tether same = tether[k];
                tether[k] = tether[next];
                tether[next] = same;
                tether[next++].again = true;
            }
        i = next;
    }
}

/* Lists the tethers of a part in planes, by row: the first ones of all particles, then the second ones. */
static void tether_rows(hierarchy_work *w, sn_hierarchy_part *part)
{
    sn_hierarchy *h = w->h;
    const uint32_t rows = w->in->plan->tile[part->tile].rows;
    sn_hierarchy_tether *first = h->tether + part->tether, *end = first + part->tethers;
    part->row_tether = h->row_tether_table.count;
    for (uint32_t turn = 0; turn < SN_TETHER_GROUPS; ++turn) {
        const uint32_t from = h->row_tether_table.count;
        memset(w->row_tether, 0, rows * sizeof *w->row_tether);
        for (sn_hierarchy_tether *tether = first; tether < end; ++tether) {
            const uint32_t row = tether->at / SN_ROW, lane = tether->at % SN_ROW;
            if (rank_of(tether, first) != turn)
                continue;
            if (!w->row_tether[row]) {
                if (!add_lanes(w, row, tether->slot, tether->pin))
                    return;
                w->row_tether[row] = h->row_tether_table.count;
            }
            h->row_tether[w->row_tether[row] - 1].slot[lane] = tether->slot;
            h->row_tether[w->row_tether[row] - 1].pin[lane] = 2 * tether->pin;
            h->row_tether[w->row_tether[row] - 1].most[lane] = (float)tether->most;
        }
        sort_rows(h->row_tether + from, h->row_tether_table.count - from);
        for (uint32_t i = from; i < h->row_tether_table.count; ++i)
            w->row_tether[h->row_tether[i].row] = i;
        for (sn_hierarchy_tether *tether = first; tether < end; ++tether)
            if (rank_of(tether, first) == turn)
                tether->row = w->row_tether[tether->at / SN_ROW];
    }
    part->row_tethers = h->row_tether_table.count - part->row_tether;
}

/* Lists the tethers of a part that is not in planes, sixteen side by side. */
static void tether_lanes(hierarchy_work *w, sn_hierarchy_part *part)
{
    sn_hierarchy *h = w->h;
    sn_hierarchy_tether *first = h->tether + part->tether, *end = first + part->tethers;
    part->row_tether = h->row_tether_table.count;
    for (uint32_t turn = 0; turn < SN_TETHER_GROUPS; ++turn) {
        uint32_t lane = 0;
        for (sn_hierarchy_tether *tether = first; tether < end; ++tether) {
            if (rank_of(tether, first) != turn)
                continue;
            if (lane == 0 && !add_lanes(w, 0, tether->slot, tether->pin))
                return;
            tether->row = h->row_tether_table.count - 1;
            tether->at = lane;
            h->row_tether[tether->row].slot[lane] = tether->slot;
            h->row_tether[tether->row].pin[lane] = 2 * tether->pin;
            h->row_tether[tether->row].most[lane] = (float)tether->most;
            lane = (lane + 1) % SN_BATCH;
        }
    }
    part->row_tethers = h->row_tether_table.count - part->row_tether;
}

/* Lists the tethers of aggregates of a part in planes. */
static void tether_groups(hierarchy_work *w, sn_hierarchy_part *part)
{
    sn_hierarchy *h = w->h;
    part->row_far = h->row_tether_table.count;
    for (uint32_t turn = 0; turn < SN_TETHER_GROUPS && part->groups; ++turn) {
        memset(w->row_tether, 0, part->groups * sizeof *w->row_tether);
        for (uint32_t i = part->far; i < part->far + part->fars; ++i) {
            sn_hierarchy_far *far = &h->far[i];
            const uint32_t group = (far->node - part->node) / SN_BATCH,
                           before = i > part->far && far[-1].node == far->node; /* each aggregate has at most two */
            if (group >= part->groups || before != turn)
                continue;
            if (!w->row_tether[group]) {
                if (!add_lanes(w, group, 0, far->pin))
                    return;
                w->row_tether[group] = h->row_tether_table.count;
            }
            far->row = w->row_tether[group] - 1;
            far->lane = (far->node - part->node) % SN_BATCH;
            h->row_tether[far->row].pin[far->lane] = 2 * far->pin;
            h->row_tether[far->row].most[far->lane] = (float)far->most;
        }
    }
    part->row_fars = h->row_tether_table.count - part->row_far;
}

/* The number of visits to a movable particle by which it is held: the nearest come first. */
static uint32_t visits_of(const hierarchy_work *w, const spreading *s, uint32_t slot)
{
    const double reach = w->held[slot] ? HUGE_VAL : s->reach[w->mesh[slot]].all;
    uint32_t visits = 0;
    while (visits < s->visits[slot] && (double)s->visit[SN_TETHER_GROUPS * slot + visits].far <= reach)
        ++visits;
    return visits;
}

void sn_hierarchy_find_tethers(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    spreading s = {.start = w->start,
                   .edge = w->edge,
                   .form = w->node,
                   .reach = find_reaches(w),
                   .visit = sn_hierarchy_scratch(w, SN_TETHER_GROUPS * (size_t)w->slots, sizeof *s.visit),
                   .visits = sn_hierarchy_scratch(w, w->slots, sizeof *s.visits),
                   .path = sn_hierarchy_scratch(w, w->slots, sizeof *s.path)};
    uint32_t rows = 0, count = 0; /* of the largest tile */
    for (uint32_t t = 0; t < w->in->plan->layer[1]; ++t) {
        const sn_tile *tile = &w->in->plan->tile[t];
        rows = tile->rows > rows ? tile->rows : rows;
        count = tile->rows && tile->count > count ? tile->count : count;
    }
    w->row_tether = sn_hierarchy_scratch(w, rows, sizeof *w->row_tether);
    for (uint32_t p = 0; p < h->pin_table.count && !w->failed; ++p)
        push(w, (hierarchy_visit){0, 1, h->pin_slot[p], p, NONE, NONE, 0, false});
    spread(w, &s);
    w->tether_visit = s.visit;
    w->tether_visits = s.visits;
    for (uint32_t p = 0; p < h->part_table.count && !w->failed; ++p) {
        h->part[p].tether = h->tether_table.count;
        for (uint32_t k = h->first[h->part[p].node]; k < h->first[h->part[p].node + h->part[p].nodes]; ++k) {
            const uint32_t slot = h->member[k];
            const uint32_t visits = w->w[slot] > 0 ? visits_of(w, &s, slot) : 0;
            for (uint32_t i = 0; i < visits; ++i)
                if (!tether_particle(w, &s, h->at[k], SN_TETHER_GROUPS * slot + i))
                    return;
            if (visits != 2)
                continue;
            const sn_hierarchy_tether *last = h->tether + h->tether_table.count - 1;
            add_span(w, h->part[p].mesh, &s.visit[SN_TETHER_GROUPS * slot],
                     (double[2]){(double)last[-1].most, (double)last->most}, s.reach[h->part[p].mesh].all / TETHER_RODS,
                     slot);
        }
        h->part[p].tethers = h->tether_table.count - h->part[p].tether;
        if (!w->failed)
            (w->in->plan->tile[h->part[p].tile].rows ? tether_rows : tether_lanes)(w, &h->part[p]);
        if (!w->failed)
            tether_groups(w, &h->part[p]);
    }
}

/* ---- Aggregates -------------------------------------------------------------------------------------------------- */

/* The aggregate of a particle in the largest level so far. */
static uint32_t node_of(const hierarchy_work *w, uint32_t slot)
{
    uint32_t node = w->node[slot];
    while (w->h->parent[node] != NONE)
        node = w->h->parent[node];
    return node;
}

/* The nearest immovable particle of a group, found from a near one. */
static uint32_t nearest(const hierarchy_work *w, uint32_t pin, const hierarchy_form *to)
{
    const uint32_t *all = w->h->pin_slot;
    hierarchy_form at = {0};
    sn_hierarchy_put_form(w, &at, all[pin]);
    sn_real far = sn_hierarchy_distance(&at, to);
    for (uint32_t next = pin;; pin = next) {
        for (uint32_t e = w->start[all[pin]]; e < w->start[all[pin] + 1]; ++e) {
            const uint32_t other = w->pin_of[w->edge[e].to];
            if (other == NONE)
                continue;
            sn_hierarchy_put_form(w, &at, all[other]);
            const sn_real here = sn_hierarchy_distance(&at, to);
            next = here < far ? other : next;
            far = here < far ? here : far;
        }
        if (next == pin)
            return pin;
    }
}

/* Adds a tether for an aggregate. Returns its largest distance, m; the one along links if it cannot be held. */
static double tether_node(hierarchy_work *w, const spreading *s, hierarchy_visit *from)
{
    hierarchy_visit visit = *from;
    sn_hierarchy *h = w->h;
    const hierarchy_form *form = &w->form[s->form[visit.node]];
    visit.pin = from->pin = nearest(w, visit.pin, form);
    const sn_real flat = flatness(w, beside(w, h->pin_slot[visit.pin]), form);
    visit.flat = flat < visit.flat ? flat : visit.flat;
    const double straight = straight_from(w, &visit, *form);
    const uint32_t node = s->form[visit.node], id = h->far_table.count, paths = h->path_table.count;
    if (!(straight > 0) || !sees(w, s, visit.node, h->pin_slot[visit.pin], id) ||
        !sn_hierarchy_grow(w, &h->far_table, 1)) {
        h->path_table.count = paths;
        return (double)visit.far;
    }
    if (form->solid)
        note_path(w, s, from, id);
    const sn_real most = (sn_real)straight;
    h->far[id] = (sn_hierarchy_far){.node = node,
                                    .pin = visit.pin,
                                    .most = most,
                                    .by = most / sn_hierarchy_far_from(w, node, visit.pin),
                                    .row = NONE,
                                    .id = id};
    for (uint32_t k = 0; node < w->firsts && k < SN_TETHER_GROUPS; ++k)
        if (!w->held_by[SN_TETHER_GROUPS * node + k]) {
            w->held_by[SN_TETHER_GROUPS * node + k] = w->group[visit.pin] + 1;
            break;
        }
    return straight;
}

void sn_hierarchy_tether_level(hierarchy_work *w, uint32_t mesh, const uint32_t *id, uint32_t count)
{
    const sn_hierarchy *h = w->h;
    spreading s = {.start = w->graph.start, .edge = w->graph.edge, .form = id, .visit = w->visit, .visits = w->visits};
    const uint32_t edges = s.start[count];
    for (uint32_t e = 0; e < edges; ++e)
        s.link += (double)s.edge[e].rest / edges;
    memset(s.visits, 0, count);
    for (uint32_t p = 0; p < h->pin_table.count && !w->failed; ++p)
        for (uint32_t e = w->start[h->pin_slot[p]]; e < w->start[h->pin_slot[p] + 1]; ++e) {
            const uint32_t to = w->edge[e].to, node = w->w[to] > 0 ? node_of(w, to) : NONE;
            if (node == NONE || w->local[node] >= count || id[w->local[node]] != node)
                continue;
            hierarchy_form at = {0};
            sn_hierarchy_put_form(w, &at, h->pin_slot[p]);
            push(w, (hierarchy_visit){sn_hierarchy_distance(&at, &w->form[node]), 1, w->local[node], p, NONE, NONE, 0,
                                      false});
        }
    spread(w, &s);
    for (uint32_t i = 0; i < count && !w->failed; ++i) {
        hierarchy_visit *visit = s.visit + SN_TETHER_GROUPS * (size_t)i;
        double most[SN_TETHER_GROUPS] = {0};
        for (uint32_t k = 0; k < s.visits[i] && h->w[id[i]] > 0; ++k)
            most[k] = tether_node(w, &s, &visit[k]);
        if (s.visits[i] != 2 || !(h->w[id[i]] > 0) || !add_span(w, mesh, visit, most, s.link, NONE))
            continue;
        for (uint32_t k = 0; k < 2; ++k)
            note_path(w, &s, &visit[k], SN_PATH_SPAN | (h->span_table.count - 1));
    }
}
