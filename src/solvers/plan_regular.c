/* Tiles of planes: bodies whose constraints repeat from one particle number to the next.

   A stretch of consecutive numbers is cut into sixteen lanes of `rows` numbers each: number lo + j * rows + k is lane j
   of row k. Constraints with particles p, p + s, ... for the same steps s are a class. A constraint of a class belongs
   to row k = (p - lo) % rows. The sixteen constraints of a row and class are one batch. Its particles are sixteen
   neighbours in memory: those of step s are in row (k + s) mod rows, shifted by some lanes. Grids need not be declared:
   the form is tried, and kept if the batches are full enough.

   A grid that is too large for one tile is cut into strips of whole lines, and each of its lines into sixteen lanes of
   `span` numbers. Then the lines at the borders of a strip, on which later layers act, are whole rows of planes, and
   whole ranges of storage. The first form is a strip of one line. */
#include "solvers/plan_work.h"

#include <string.h>

#define LANES        SN_BATCH
#define LEAST        64u /* particles: below, gathering is as fast */
#define LONG         32u /* a step that may lead to the next line of a grid */
#define FAIR_LINES   16u /* of a strip, so that its borders are a small part of it */
#define LEAST_LINES  8u  /* of a strip, if there would be fewer strips than FAIR_STRIPS */
#define FAIR_STRIPS  16u /* one for each of sixteen cores */
#define MOST_CLASSES 32u
#define MOST_POINTS  4u
#define COLOURS      64u

/* Constraints of one kind with the same steps. */
typedef struct class
{
    uint32_t kind;
    int32_t step[MOST_POINTS];                      /* from the first particle; the first one's is 0 */
    int32_t lines[MOST_POINTS], along[MOST_POINTS]; /* the same step, as lines and numbers along the line */
} class;

/* A stretch of numbers that is tried. */
typedef struct stretch {
    uint32_t lo, count; /* numbers */
    uint32_t rows;      /* of a lane */
    uint32_t width;     /* numbers in a line */
    uint32_t span;      /* numbers of a line in a lane */
    bool strip;         /* several lines: steps may lead from one to another */
    uint32_t classes;
    uint32_t fitting; /* number of constraints in classes */
    bool collided;    /* some are in none only because of the number of rows */
    bool gives;       /* some have damping, or a stiffness k other than 1 */
    class class[MOST_CLASSES];
} stretch;

/* ---- Stretches --------------------------------------------------------------------------------------------------- */

/* A body without gaps in its numbers. */
typedef struct body {
    uint32_t lo, count;
} body;

/* The position of a number while going through a stretch. */
typedef struct cursor {
    uint32_t row, lane, column; /* column: in the line */
} cursor;

SN_INLINE void advance(const stretch *s, cursor *at)
{
    at->row++;
    at->column++;
    if (at->column == s->width) { /* begin the next line */
        at->lane = at->column = 0;
    } else if (at->column == (at->lane + 1) * s->span) {
        at->lane++;
        at->row -= s->span;
    }
}

/* Whether all particles of the item are in the stretch. */
static bool lies_in(const plan_work *w, const plan_item *item, uint32_t lo, uint32_t count)
{
    for (uint32_t i = 0; i < item->count; ++i)
        if (w->particle[item->first + i] - lo >= count)
            return false;
    return true;
}

/* Whether a constraint of the class that starts in this column stays in its lines. */
static bool stays_in_line(const stretch *s, const class *c, uint32_t points, uint32_t column)
{
    for (uint32_t i = 1; i < points; ++i)
        if (column + (uint32_t)c->along[i] >= s->width)
            return false;
    return true;
}

static bool fits_class(const plan_work *w, const plan_item *item, const class *c)
{
    const uint32_t *p = w->particle + item->first;
    if (item->kind != c->kind)
        return false;
    for (uint32_t i = 1; i < item->count; ++i)
        if ((int32_t)(p[i] - p[0]) != c->step[i])
            return false;
    return true;
}

/* The class of an item, optionally a new one. MOST_CLASSES: there are too many, or no such class. */
static uint32_t class_of(const plan_work *w, stretch *s, const plan_item *item, bool make)
{
    const uint32_t *p = w->particle + item->first;
    for (uint32_t i = 0; i < s->classes; ++i)
        if (fits_class(w, item, &s->class[i]))
            return i;
    if (!make || s->classes == MOST_CLASSES)
        return MOST_CLASSES;
    class *c = &s->class[s->classes];
    *c = (class){.kind = item->kind};
    for (uint32_t i = 1; i < item->count; ++i) {
        int32_t step = (int32_t)(p[i] - p[0]), width = (int32_t)s->width;
        c->step[i] = step;
        c->lines[i] = !s->strip ? 0 : (step >= 0 ? step + width / 2 : step - width / 2) / width;
        c->along[i] = step - c->lines[i] * width;
    }
    return s->classes++;
}

/* Whether an item can be in planes: it has several particles, all in the stretch. */
static bool is_candidate(const plan_work *w, const stretch *s, const plan_item *item)
{
    return item->form == SN_FORM_PLAIN && !w->store->pool[item->kind]->kind->own_rows && item->count > 1 &&
           item->count <= MOST_POINTS && lies_in(w, item, s->lo, s->count);
}

/* The row of point i of a class, in the batch of a row, and its shift in lanes. */
static uint32_t row_of(const stretch *s, const class *c, uint32_t row, uint32_t i, int32_t *lanes)
{
    int32_t span = (int32_t)s->span, line = (int32_t)row / span, at = (int32_t)row % span + c->along[i];
    *lanes = at >= 0 ? at / span : -((-at + span - 1) / span);
    return (uint32_t)((line + c->lines[i]) * span + at - *lanes * span);
}

/* Where the sixteen numbers of that point start. Planes start one batch early, because empty lanes may be before the
   first row. */
static uint32_t offset_of(const stretch *s, const class *c, uint32_t row, uint32_t i)
{
    int32_t lanes;
    uint32_t at = row_of(s, c, row, i, &lanes);
    return (uint32_t)((int32_t)(at * SN_ROW + LANES) + lanes);
}

/* Whether two points of a batch are in the same row. This happens where a step is a whole number of lanes, as in a grid
   with lines as long as lanes. */
static bool collides(const stretch *s, const class *c, uint32_t points, uint32_t row)
{
    int32_t lanes;
    for (uint32_t i = 1; i < points; ++i)
        for (uint32_t k = 0; k < i; ++k)
            if (row_of(s, c, row, i, &lanes) == row_of(s, c, row, k, &lanes))
                return true;
    return false;
}

/* The batch of a class in a row: 1 + its number; 0: none; PLAN_NONE: there cannot be one. */
static uint32_t *batch_at(uint32_t *batch, const stretch *s, uint32_t c, uint32_t row)
{
    return &batch[(size_t)c * s->rows + row];
}

/* Sorts the constraints of the stretch into classes. Whether planes pay: few classes, and full batches. */
static bool is_regular(plan_work *w, stretch *s, uint32_t *batch)
{
    uint32_t batches = 0, others = 0;
    cursor here = {0};
    s->classes = s->fitting = 0;
    s->collided = false;
    for (uint32_t number = s->lo; number < s->lo + s->count; ++number, advance(s, &here))
        for (uint32_t i = w->first[number]; i < w->first[number + 1]; ++i) {
            const plan_item *item = &w->item[w->of_first[i]];
            if (!is_candidate(w, s, item))
                continue;
            s->gives = s->gives || sn_plan_gives(w->store, item->kind, item->row);
            uint32_t known = s->classes, c = class_of(w, s, item, true);
            if (c == MOST_CLASSES) {
                if (++others > LEAST + s->fitting / 4)
                    return false;
                continue;
            }
            if (c == known)
                memset(batch_at(batch, s, c, 0), 0, s->rows * sizeof *batch);
            if (!stays_in_line(s, &s->class[c], item -> count, here.column))
                continue;
            uint32_t *at = batch_at(batch, s, c, here.row);
            if (!*at) {
                *at = collides(s, &s->class[c], item -> count, here.row) ? PLAN_NONE : 1;
                batches += *at == 1;
                s->collided = s->collided || *at != 1;
            }
            if (*at == 1)
                s->fitting++;
            else if (++others > LEAST + s->fitting / 4)
                return false;
        }
    return s->fitting > 4 * others && s->fitting >= s->count / 2 &&
           (uint64_t)s->fitting * 10 >= (uint64_t)batches * LANES * 6;
}

/* ---- Planning a stretch ------------------------------------------------------------------------------------------ */

static void store_particles(plan_work *w, const stretch *s, uint32_t tile)
{
    for (uint32_t row = 0; row < s->rows; ++row)
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            uint32_t column = lane * s->span + row % s->span, number = row / s->span * s->width + column;
            if (number >= s->count)
                continue;
            w->tile[w->ordered] = tile;
            w->slot[s->lo + number] = w->ordered;
            w->order[w->ordered++] = s->lo + number;
        }
}

/* The use of rows, for the colours of batches, or their levels in bodies without loops: as for constraints, with rows
   in place of particles. */
typedef struct row_use {
    uint64_t used;
    uint32_t last;
} row_use;

static uint32_t when(row_use *use, const stretch *s, const class *c, uint32_t points, uint32_t row, bool loops,
                     uint32_t *beyond)
{
    uint32_t touched[MOST_POINTS], colour = 0, level = 0;
    uint64_t used = 0;
    int32_t lanes;
    for (uint32_t i = 0; i < points; ++i)
        touched[i] = row_of(s, c, row, i, &lanes);
    for (uint32_t i = 0; i < points; ++i) {
        used |= use[touched[i]].used;
        level = use[touched[i]].last > level ? use[touched[i]].last : level;
    }
    while (colour < COLOURS && used >> colour & 1)
        ++colour;
    for (uint32_t i = 0; i < points; ++i) {
        if (colour < COLOURS)
            use[touched[i]].used |= UINT64_C(1) << colour;
        use[touched[i]].last = level + 1;
    }
    if (!loops)
        return level;
    return colour < COLOURS ? colour : COLOURS + (*beyond)++;
}

/* Orders the batches colour by colour, all kinds of a colour together: the first half of a kind's colours on the way
   there, and the other half, in descending order, on the way back. The colours of a grid go direction by direction, and
   in that order alone a long strip gains energy; see docs/stability.md. The keys hold kind and colour. */
static void take_turns(sn_sort_item *items, uint32_t count)
{
    uint32_t colours[SN_KIND_BUILTIN_END] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t kind = (uint32_t)(items[i].key >> 32), colour = (uint32_t)items[i].key;
        colours[kind] = colour >= colours[kind] ? colour + 1 : colours[kind];
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t kind = (uint32_t)(items[i].key >> 32), colour = (uint32_t)items[i].key;
        uint64_t turn = colour >= (colours[kind] + 1) / 2 ? UINT32_MAX - colour : colour;
        items[i].key = turn << 8 | kind;
    }
}

static uint32_t length_of(int32_t step)
{
    return step < 0 ? 0 - (uint32_t)step : (uint32_t)step;
}

static bool comes_before(const class *a, const class *b)
{
    for (uint32_t i = 1; i < MOST_POINTS; ++i)
        if (length_of(a->step[i]) != length_of(b->step[i]))
            return length_of(a->step[i]) < length_of(b->step[i]);
    for (uint32_t i = 1; i < MOST_POINTS; ++i)
        if (a->step[i] != b->step[i])
            return a->step[i] < b->step[i];
    return false;
}

/* Short steps are coloured first, whatever the order of addition. Of the sequences tried this one stretches least. With
   others, cells much longer than wide gained energy; see docs/stability.md. */
static void sort_classes(const stretch *s, uint32_t *list)
{
    for (uint32_t i = 0; i < s->classes; ++i) {
        uint32_t at = i;
        for (; at > 0 && comes_before(&s->class[i], &s -> class[list[at - 1]]); --at)
            list[at] = list[at - 1];
        list[at] = i;
    }
}

/* Lists the batches in the order in which they run: a is the class and b the row. Returns their number. */
static uint32_t order_batches(plan_work *w, const stretch *s, uint32_t *batch, row_use *use)
{
    uint32_t found = 0, beyond = 0, list[MOST_CLASSES];
    bool loops = w->loop[s->lo];
    sort_classes(s, list);
    memset(use, 0, (s->rows + 3) * sizeof *use);
    for (uint32_t kind = 1; kind < w->store->kind_count; ++kind) {
        bool any = false;
        for (uint32_t i = 0; i < s->classes; ++i) {
            uint32_t c = list[i];
            if (s->class[c].kind != kind)
                continue;
            if (!any && loops)
                for (uint32_t k = 0; k < s->rows + 3; ++k)
                    use[k].used = 0;
            any = true;
            for (uint32_t row = 0; row < s->rows; ++row)
                if (*batch_at(batch, s, c, row) == 1) {
                    uint64_t at =
                        when(use, s, &s->class[c], w -> store -> pool[kind] -> kind -> points, row, loops, &beyond);
                    uint64_t key = loops ? (uint64_t)kind << 32 | at : at << 8 | kind;
                    w->sort[found++] = (sn_sort_item){key, c, row};
                }
        }
    }
    if (loops)
        take_turns(w->sort, found);
    sn_sort(w->sort, w->sort_scratch, found);
    return found;
}

static void emit_run(plan_work *w, const stretch *s, uint32_t *batch, const sn_sort_item *group, uint32_t count,
                     sn_tile *tile)
{
    uint32_t kind = s->class[group[0].a].kind, points = w->store->pool[kind]->kind->points;
    const sn_plan_run *run = sn_plan_open_run(
        w, tile, &(plan_run_def){.kind = kind, .batches = count, .form = SN_FORM_PLAIN, .gives = s->gives});
    if (!run)
        return;
    uint32_t *offset = (uint32_t *)w->plan->offset_table.column[0] + run->index;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < points; ++k)
            offset[i * points + k] = offset_of(s, &s->class[group[i].a], group[i].b, k);
        *batch_at(batch, s, group[i].a, group[i].b) = run->batch + i + 1;
    }
}

static void fill_lanes(plan_work *w, stretch *s, uint32_t *batch)
{
    const sn_plan_run whole = {0};
    cursor here = {0};
    for (uint32_t number = s->lo; number < s->lo + s->count; ++number, advance(s, &here)) {
        for (uint32_t i = w->first[number]; i < w->first[number + 1]; ++i) {
            plan_item *item = &w->item[w->of_first[i]];
            if (item->done || !is_candidate(w, s, item))
                continue;
            uint32_t c = class_of(w, s, item, false);
            if (c == MOST_CLASSES || !stays_in_line(s, &s->class[c], item -> count, here.column))
                continue;
            uint32_t to = *batch_at(batch, s, c, here.row) - 1;
            if (to == PLAN_NONE - 1)
                continue;
            if (((uint16_t *)w->plan->mask_table.column[0])[to] >> here.lane & 1)
                continue; /* a second constraint of the same class and particle goes to a later layer */
            sn_plan_fill_lane(w, &whole, to, here.lane, item);
            item->done = true;
        }
    }
}

static void plan_stretch(plan_work *w, stretch *s, uint32_t *batch, row_use *use)
{
    sn_plan *plan = w->plan;
    sn_tile *tile = sn_plan_grow(w, &plan->tile_table, 1);
    if (!tile)
        return;
    sn_tile made = {
        .first = w->ordered, .count = s->count, .rows = s->rows, .run = plan->run_table.count, .work = s->fitting};
    store_particles(w, s, plan->tile_table.count - 1);
    uint32_t found = order_batches(w, s, batch, use);
    for (uint32_t i = 0, end; i < found && !w->failed; i = end) {
        for (end = i + 1; end < found && w->sort[end].key == w->sort[i].key;)
            ++end;
        emit_run(w, s, batch, w->sort + i, end - i, &made);
    }
    if (w->failed)
        return;
    fill_lanes(w, s, batch);
    plan->widest_rows = s->rows > plan->widest_rows ? s->rows : plan->widest_rows;
    ((sn_tile *)plan->tile_table.column[0])[plan->tile_table.count - 1] = made;
}

/* ---- All stretches ----------------------------------------------------------------------------------------------- */

typedef struct search {
    plan_work *w;
    uint32_t *batch;
    row_use *use;
} search;

/* Tries a stretch. Where neighbours are exactly a lane apart, so that their batches collide, one or two more rows are
   tried. */
static void try_stretch(const search *look, uint32_t lo, uint32_t count, uint32_t rows)
{
    stretch s = {.lo = lo, .count = count, .rows = rows, .width = count};
    if (count < LEAST || look->w->failed)
        return;
    for (; s.rows <= TILE_MOST / LANES && count > (LANES - 1) * s.rows; ++s.rows) { /* all lanes are used */
        s.span = s.rows;
        if (is_regular(look->w, &s, look->batch)) {
            plan_stretch(look->w, &s, look->batch, look->use);
            return;
        }
        if (!s.collided || s.rows > rows + 1)
            return;
    }
}

/* The longest step of a constraint among the first particles of a body. *line: the shortest step above LONG, which is
   about the length of a line if the body is a grid. */
static uint32_t longest_step(const plan_work *w, uint32_t lo, uint32_t count, uint32_t *line)
{
    uint32_t longest = 1;
    *line = UINT32_MAX;
    for (uint32_t number = lo; number < lo + count && number < lo + LEAST; ++number)
        for (uint32_t i = w->first[number]; i < w->first[number + 1]; ++i) {
            const plan_item *item = &w->item[w->of_first[i]];
            for (uint32_t k = 0; k < item->count; ++k) {
                uint32_t other = w->particle[item->first + k];
                uint32_t step = other > number ? other - number : number - other;
                longest = step > longest && step < count ? step : longest;
                *line = step > LONG && step < *line ? step : *line;
            }
        }
    return longest;
}

static uint32_t lines_of_strip(uint32_t count, uint32_t width)
{
    uint32_t lines = count / width / FAIR_STRIPS, most = TILE_STRIP / width;
    most = most < FAIR_LINES ? FAIR_LINES : most;
    return lines < LEAST_LINES ? LEAST_LINES : lines > most ? most : lines;
}

/* Tries a grid with lines of about this length, as strips. The width of the lines must be a multiple of the lanes,
   within two numbers; otherwise the grid is left to try_large. */
static bool try_strips(const search *look, uint32_t lo, uint32_t count, uint32_t line)
{
    uint32_t width = (line + 2) / LANES * LANES, lines = 0;
    if (line == UINT32_MAX || width + 2 < line || count < 2 * TILE_PLANES || count / width < FAIR_LINES ||
        width * FAIR_LINES > TILE_MOST)
        return false;
    for (uint32_t at = 0; at < count; at += lines * width) {
        uint32_t left = (count - at) / width, most = lines_of_strip(count, width);
        uint32_t pieces = left ? (left + most - 1) / most : 0;
        if (!left)
            break; /* an incomplete line */
        lines = (left + pieces - 1) / pieces;
        stretch s = {.lo = lo + at,
                     .count = lines * width,
                     .rows = lines * (width / LANES),
                     .width = width,
                     .span = width / LANES,
                     .strip = true};
        if (is_regular(look->w, &s, look->batch))
            plan_stretch(look->w, &s, look->batch, look->use);
        else if (at == 0)
            return false;
    }
    return true;
}

/* Cuts a large body into stretches of equal length. */
static void try_large(const search *look, uint32_t lo, uint32_t count)
{
    uint32_t line, longest = longest_step(look->w, lo, count, &line), most = 64 * longest, fair;
    if (try_strips(look, lo, count, line))
        return;
    most = most < TILE_PLANES ? TILE_PLANES : most > TILE_MOST ? TILE_MOST : most;
    fair = longest * lines_of_strip(count, longest);
    if (look->w->loop[lo] && count >= 2 * TILE_PLANES && fair < most) /* a grid with lines of another length */
        most = fair < TILE_PIECE ? TILE_PIECE : fair;
    uint32_t pieces = (count + most - 1) / most, each = (count + pieces - 1) / pieces;
    each = (each + LANES - 1) / LANES * LANES;
    for (uint32_t at = 0; at < count; at += each) {
        uint32_t here = count - at < each ? count - at : each;
        try_stretch(look, lo + at, here, (here + LANES - 1) / LANES);
    }
}

/* Tries several bodies of one size: each lane gets the same number of them. */
static void try_many(const search *look, uint32_t lo, uint32_t size, uint32_t bodies)
{
    while (bodies >= LANES) {
        uint32_t each = TILE_PLANES / (LANES * size); /* bodies of a lane */
        each = each < 1 ? 1 : each;
        each = each > bodies / LANES ? bodies / LANES : each;
        try_stretch(look, lo, LANES * each * size, each * size);
        lo += LANES * each * size;
        bodies -= LANES * each;
    }
    for (; size >= LEAST && bodies > 0; --bodies, lo += size)
        try_large(look, lo, size);
}

/* Lists the bodies that have all numbers between their lowest and their highest, in ascending order. */
static uint32_t list_bodies(plan_work *w, body *bodies)
{
    uint32_t found = 0, numbers = w->particles->numbers;
    uint32_t *count = w->queue, *high = w->claim;
    memset(count, 0, numbers * sizeof *count);
    for (uint32_t i = 0; i < numbers; ++i)
        if (w->particles->slot[i] != SN_NO_SLOT) {
            uint32_t root = sets_find_marked(w->parent, i);
            count[root] = w->in_tree[i] || count[root] == UINT32_MAX ? UINT32_MAX : count[root] + 1; /* no planes */
            high[root] = i;
        }
    for (uint32_t i = 0; i < numbers; ++i)
        if (count[i] > 1 && high[i] - i + 1 == count[i])
            bodies[found++] = (body){i, count[i]};
    memset(w->claim, 0, numbers * sizeof *w->claim);
    return found;
}

void sn_plan_regular(plan_work *w)
{
    search look = {w, sn_plan_scratch(w, (size_t)MOST_CLASSES * (TILE_MOST / LANES + 1), sizeof(uint32_t)),
                   sn_plan_scratch(w, TILE_MOST / LANES + 4, sizeof(row_use))};
    body *bodies = sn_plan_scratch(w, w->particles->numbers / 2 + 1, sizeof *bodies);
    if (w->failed)
        return;
    uint32_t found = list_bodies(w, bodies);
    for (uint32_t i = 0, end; i < found && !w->failed; i = end) {
        uint32_t size = bodies[i].count;
        end = i + 1;
        if (LANES * size <= TILE_PLANES)
            while (end < found && bodies[end].count == size && bodies[end].lo == bodies[end - 1].lo + size &&
                   w->loop[bodies[end].lo] == w->loop[bodies[i].lo])
                ++end;
        if (end - i >= LANES)
            try_many(&look, bodies[i].lo, size, end - i);
        else
            for (uint32_t k = i; k < end; ++k)
                try_large(&look, bodies[k].lo, size);
    }
}
