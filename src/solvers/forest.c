/* Finds the trees. A walk goes from constraints to particles and from particles to constraints, depth first. A node
   that is reached twice closes a cycle. Parents are listed before their children, and along a rope link after
   link. This is the order in which forest_solve.c works. */
#include "solvers/chain.h"
#include "solvers/forest_work.h"

void sn_forest_init(sn_forest *forest)
{
    static const size_t id[] = {1, 1, sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t)},
                        mention[] = {sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t)},
                        particle[] = {sizeof(uint32_t), sizeof(uint32_t), 1, 1, sizeof(uint32_t), sizeof(uint32_t)},
                        nodes[] = {sizeof(sn_node),  sizeof(uint32_t),  sizeof(uint32_t), 1,
                                   sizeof(uint32_t), sizeof(sn_support)};
    *forest = (sn_forest){.analysed = UINT64_MAX};
    for (uint32_t i = 0; i < SN_ID_COLUMNS; ++i)
        sn_table_column(&forest->id_table, id[i], false);
    for (uint32_t i = 0; i < SN_MENTION_COLUMNS; ++i)
        sn_table_column(&forest->mention_table, mention[i], false);
    for (uint32_t i = 0; i < SN_PARTICLE_COLUMN_COUNT; ++i)
        sn_table_column(&forest->particle_table, particle[i], false);
    for (uint32_t i = 0; i < SN_NODE_COLUMNS; ++i)
        sn_table_column(&forest->node_table, nodes[i], false);
    sn_table_column(&forest->item_table, sizeof(sn_item), false);
    sn_table_column(&forest->tree_table, sizeof(sn_tree), false);
    sn_table_column(&forest->record_table, sizeof(double), false);
    sn_table_column(&forest->whole_table, sizeof(sn_whole), false);
    sn_chain_init(forest);
}

void sn_forest_release(sn_forest *forest, const sn_allocator *allocator)
{
    sn_table *const table[] = {&forest->id_table,           &forest->mention_table, &forest->particle_table,
                               &forest->item_table,         &forest->node_table,    &forest->tree_table,
                               &forest->record_table,       &forest->whole_table,   &forest->chain_table,
                               &forest->chain_scratch_table};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        sn_table_release(table[i], allocator);
    forest->edits = forest->count = 0;
    forest->analysed = UINT64_MAX;
}

/* ---- The graph
   ---------------------------------------------------------------------------------------------------- */

static void get_bodies(const sn_store *store, const sn_pool *pool, uint32_t row, sn_span *s)
{
    s->turns = sn_evaluate_bodies(store, pool, row, s->body);
    for (uint32_t i = 0; s->turns && i < pool->kind->points; ++i) {
        const sn_anchor *anchor = sn_point_on_body(store, pool, row, i);
        for (uint32_t j = 0; anchor && j < s->turns; ++j)
            if (s->body[j] == anchor->body)
                s->centre[j] = anchor->particle[0];
    }
}

void sn_forest_span(const sn_store *store, const sn_pool *pool, uint32_t row, sn_span *s)
{
    s->particle = sn_store_particles(store, pool, row, s->small, &s->count);
    get_bodies(store, pool, row, s);
    if (pool_has_lists(pool)) /* particles in these lists differ anyway */
        return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t j = 0;
        while (j < count && s->small[j] != s->small[i])
            ++j;
        if (j == count)
            s->small[count++] = s->small[i];
    }
    s->count = count;
}

/* An iterator over the constraints that may be in a forest. Initialise it with zeros. */
typedef struct walk {
    uint32_t run, next; /* of the store, or index in the list */
    uint32_t kind, row, id;
} walk;

static bool go_on(const sn_forest *forest, const sn_store *store, walk *at)
{
    if (forest->some) {
        while (at->next < forest->listed && !forest->list[at->next].kind)
            ++at->next;
        if (at->next == forest->listed)
            return false;
        at->kind = forest->list[at->next].kind;
        at->row = forest->list[at->next].row;
        at->id = at->next++;
        return true;
    }
    for (; sn_store_next(store, &at->run, &at->next); ++at->next) {
        at->kind = store->run[at->run].kind;
        at->row = store->run[at->run].first + at->next;
        at->id = forest->base[at->kind] + at->row;
        if (store->pool[at->kind]->kind->force)
            continue;
        ++at->next;
        return true;
    }
    return false;
}

/* The room that the constraints need. */
typedef struct sizes {
    uint64_t ids, constraints, mentions, limit, records, extras, turns;
} sizes;

static sizes measure(sn_forest *forest, const sn_store *store)
{
    sizes size = {0};
    sn_span s;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        forest->base[kind] = (uint32_t)size.ids;
        size.ids += store->pool[kind]->ids.table.count;
    }
    if (forest->some)
        size.ids = forest->listed;
    for (walk at = {0}; go_on(forest, store, &at);) {
        const sn_pool *pool = store->pool[at.kind];
        sn_forest_span(store, pool, at.row, &s);
        size.constraints++;
        size.mentions += s.count + s.turns;
        size.turns += s.turns;
        size.records += pool_has_lists(pool) ? 0 : record_size(pool->kind->rows, s.count + s.turns);
        size.records += extra_size(pool->kind->rows, 0, false, pool->kind->own_rows);
        size.extras += pool_has_lists(pool) ? 0 : extra_size(pool->kind->rows, s.turns, true, false);
        for (uint32_t j = 0; j < s.count; ++j)
            if (s.particle[j] >= size.limit)
                size.limit = (uint64_t)s.particle[j] + 1;
    }
    if (size.turns) /* then a constraint without a point of a body may also have the centre of one */
        size.records += size.extras;
    return size;
}

/* Lists the particles of every constraint, and the constraints of every particle. */
static void list_mentions(sn_forest *forest, const sn_store *store)
{
    uint32_t *first = forest->id_table.column[SN_ID_FIRST],
             *particle = forest->mention_table.column[SN_MENTION_PARTICLE],
             *of = forest->mention_table.column[SN_MENTION_OF],
             *start = forest->particle_table.column[SN_PARTICLE_START],
             *body = forest->particle_table.column[SN_PARTICLE_BODY];
    uint32_t *listed = forest->particle_table.column[SN_PARTICLE_LISTED];
    uint32_t mention = 0, limit = forest->limit;
    sn_span s;
    memset(start, 0, ((size_t)limit + 2) * sizeof *start);
    memset(body, 0, ((size_t)limit + 2) * sizeof *body);
    forest->particles = 0;
    for (walk at = {0}; go_on(forest, store, &at);) {
        sn_forest_span(store, store->pool[at.kind], at.row, &s);
        first[at.id] = mention;
        for (uint32_t j = 0; j < s.count; ++j, ++mention) {
            particle[mention] = s.particle[j];
            if (!start[s.particle[j] + 2]++)
                listed[forest->particles++] = s.particle[j];
        }
        for (uint32_t j = 0; j < s.turns; ++j, ++mention)
            body[s.centre[j]] = s.body[j] + 1;
    }
    for (uint32_t n = 0; n < limit; ++n)
        start[n + 2] += start[n + 1];
    /* start[n + 1] is now where the constraints of particle n begin; filling them in moves it to where they end */
    for (walk at = {0}; go_on(forest, store, &at);) {
        sn_forest_span(store, store->pool[at.kind], at.row, &s);
        for (uint32_t j = 0; j < s.count; ++j)
            of[start[s.particle[j] + 1]++] = at.id;
    }
}

static bool reserve(sn_forest *forest, const sn_allocator *allocator, const sn_store *store, uint64_t edits)
{
    forest->fresh = false;
    if (forest->edits == edits)
        return true;
    forest->analysed = UINT64_MAX;
    sizes size = measure(forest, store);
    uint64_t nodes = (size.limit < size.mentions ? size.limit : size.mentions) + size.turns + 1; /* and the ground */
    forest->edits = 0; /* in case of a failure; a store with constraints has another number */
    if (!sn_table_reserve(&forest->id_table, allocator, size.ids) ||
        !sn_table_reserve(&forest->mention_table, allocator, size.mentions) ||
        !sn_table_reserve(&forest->particle_table, allocator, size.limit + 2) ||
        !sn_table_reserve(&forest->node_table, allocator, nodes) ||
        !sn_table_reserve(&forest->item_table, allocator, size.constraints) ||
        !sn_table_reserve(&forest->tree_table, allocator, size.constraints) ||
        !sn_table_reserve(&forest->record_table, allocator, size.records) ||
        !sn_table_reserve(&forest->whole_table, allocator, size.turns) ||
        !sn_chain_reserve(forest, allocator, size.constraints))
        return false;
    forest->id_table.count = (uint32_t)size.ids;
    forest->limit = (uint32_t)size.limit;
    forest->all = (uint32_t)size.constraints;
    forest->kind_count = store->kind_count;
    list_mentions(forest, store);
    forest->edits = edits;
    return true;
}

bool sn_forest_reserve(sn_forest *forest, const sn_allocator *allocator, const sn_store *store)
{
    return reserve(forest, allocator, store, store->edits);
}

bool sn_forest_reserve_some(sn_forest *forest, const sn_allocator *allocator, const sn_store *store,
                            const sn_visit *list, uint32_t count, uint64_t edits)
{
    forest->some = true;
    forest->list = list;
    forest->listed = count;
    return reserve(forest, allocator, store, edits);
}

/* ---- Trees
   -------------------------------------------------------------------------------------------------------- */

/* A walk over one connected part of the graph. */
typedef struct growth {
    sn_forest *forest;
    const sn_store *store;
    unsigned char *in_forest, *visited, *movable, *particle_visited, *inner;
    const uint32_t *first, *start, *of, *particle, *body;
    uint32_t *node_of, *parent, *stack, *particle_node, *whole_of;
    sn_item *items;
    sn_node *nodes;
    uint32_t *node_number;
    uint32_t waiting;                 /* on the stack */
    uint32_t item, node, tree, whole; /* so far */
    uint64_t records;                 /* so far */
    bool is_tree;
} growth;

static growth growth_of(sn_forest *forest, const sn_store *store)
{
    void **id = forest->id_table.column, **mention = forest->mention_table.column,
         **particle = forest->particle_table.column;
    return (growth){.forest = forest,
                    .store = store,
                    .in_forest = id[SN_ID_IN_FOREST],
                    .visited = id[SN_ID_VISITED],
                    .first = id[SN_ID_FIRST],
                    .parent = id[SN_ID_PARENT],
                    .stack = id[SN_ID_STACK],
                    .particle = mention[SN_MENTION_PARTICLE],
                    .node_of = mention[SN_MENTION_NODE],
                    .of = mention[SN_MENTION_OF],
                    .start = particle[SN_PARTICLE_START],
                    .particle_node = particle[SN_PARTICLE_NODE],
                    .movable = particle[SN_PARTICLE_MOVABLE],
                    .particle_visited = particle[SN_PARTICLE_VISITED],
                    .body = particle[SN_PARTICLE_BODY],
                    .items = forest->item_table.column[0],
                    .nodes = forest->node_table.column[SN_NODE_STATE],
                    .inner = forest->node_table.column[SN_NODE_INNER],
                    .whole_of = forest->node_table.column[SN_NODE_WHOLE],
                    .node_number = forest->node_table.column[SN_NODE_NUMBER]};
}

/* Records which particles are movable. False if that has not changed. */
static bool look_at_particles(sn_forest *forest, const sn_frame *frame)
{
    unsigned char *movable = forest->particle_table.column[SN_PARTICLE_MOVABLE];
    const uint32_t *listed = forest->particle_table.column[SN_PARTICLE_LISTED];
    bool changed = false;
    for (uint32_t i = 0; i < forest->particles; ++i) {
        const uint32_t n = listed[i];
        unsigned char now = frame->x[frame->slot[n]].w > 0;
        changed |= forest->analysed != forest->edits || now != movable[n];
        movable[n] = now;
    }
    return changed;
}

/* Adds a particle to the tree, and puts its constraints other than `from` on the stack. If it is in the tree already,
   there is a cycle. */
static void grow_particle(growth *g, uint32_t particle, uint32_t from)
{
    if (g->particle_visited[particle]) {
        g->is_tree = false;
        return;
    }
    g->particle_visited[particle] = 1;
    g->particle_node[particle] = g->node;
    g->whole_of[g->node] = g->body[particle] ? ++g->whole : 0;
    g->node_number[g->node++] = particle;
    if (g->body[particle]) {
        g->whole_of[g->node] = 0;
        g->node_number[g->node++] = SN_TURN_BIT | (g->body[particle] - 1);
    }
    for (uint32_t i = g->start[particle + 1]; i-- > g->start[particle];) {
        uint32_t id = g->of[i];
        if (id == from)
            continue;
        if (g->visited[id]) {
            g->is_tree = false;
            continue;
        }
        g->visited[id] = 1;
        g->parent[id] = particle;
        g->stack[g->waiting++] = id;
    }
}

/* Finds a constraint by its number. */
static sn_visit visit_of(const sn_forest *forest, uint32_t id)
{
    if (forest->some)
        return forest->list[id];
    uint32_t kind = forest->kind_count - 1;
    while (forest->base[kind] > id)
        --kind;
    return (sn_visit){kind, id - forest->base[kind]};
}

/* Adds a constraint to the tree, and its other movable particles. */
static void grow_constraint(growth *g, uint32_t id)
{
    const sn_visit visit = visit_of(g->forest, id);
    const uint32_t parent = g->parent[id];
    const sn_pool *pool = g->store->pool[visit.kind];
    sn_span s;
    sn_forest_span(g->store, pool, visit.row, &s);
    if (pool_has_lists(pool) || pool->kind->project)
        g->is_tree = false;
    sn_item *it = &g->items[g->item++];
    *it = (sn_item){.kind = visit.kind,
                    .row = visit.row,
                    .number = id,
                    .mention = g->first[id],
                    .record = (uint32_t)g->records,
                    .rows = (uint8_t)pool->kind->rows,
                    .count = (uint8_t)(s.count + s.turns),
                    .turns = (uint8_t)s.turns,
                    .own = pool->kind->own_rows,
                    .parent = SN_NO_PARENT,
                    .is_leaf = true};
    for (uint32_t i = 0; i < s.count; ++i) {
        uint32_t number = s.particle[i];
        g->node_of[it->mention + i] = SN_GROUND;
        if (!g->movable[number])
            continue;
        it->whole |= g->body[number] != 0;
        uint32_t arms = g->start[number + 1] - g->start[number];
        it->arms = arms < it->arms ? it->arms : arms < UINT8_MAX ? (uint8_t)arms : UINT8_MAX;
        uint32_t waiting = g->waiting;
        if (number == parent) {
            it->parent = (uint8_t)i;
            g->node_of[it->mention + i] = g->particle_node[number];
            continue;
        }
        g->node_of[it->mention + i] = g->node;
        it->is_leaf = false;
        grow_particle(g, number, id);
        it->chained = g->waiting == waiting + 1;
    }
    for (uint32_t i = 0; i < s.turns; ++i) /* also rotations of a body that is no node: these are the ground */
        g->node_of[it->mention + s.count + i] = g->movable[s.centre[i]] ? g->particle_node[s.centre[i]] + 1 : SN_GROUND;
    it->whole |= s.turns > 0;
    if (g->is_tree)
        g->records += record_size(it->rows, it->count) + extra_size(it->rows, it->turns, it->whole, it->own);
    if (g->records > UINT32_MAX)
        g->is_tree = false;
}

/* Marks the constraints of a tree that has been walked, and finds its chains. */
static void finish_tree(growth *g, sn_tree *t)
{
    for (uint32_t i = t->node; i < t->node_end; ++i)
        g->inner[i] = 0;
    for (uint32_t i = t->item_end; i-- > t->item;) {
        sn_item *it = &g->items[i];
        g->in_forest[it->number] = 1;
        t->whole |= it->whole;
        it->is_link = it->rows == 1 && it->count == 2 && it->parent != SN_NO_PARENT && !it->whole;
        it->swapped = it->is_link && it->parent == 1;
        if (it->swapped) {
            uint32_t *at = g->node_of + it->mention, first = at[0];
            at[0] = at[1];
            at[1] = first;
            it->parent = 0;
        }
        it->chained = it->is_link && it->chained && it[1].is_link;
        if (it->chained) {
            it[1].hanging = true;
            g->inner[g->node_of[it[1].mention + it[1].parent]] = 1;
        }
    }
}

static void grow_tree(growth *g, uint32_t id, uint32_t root)
{
    sn_tree *trees = g->forest->tree_table.column[0];
    sn_tree t = {.item = g->item, .node = g->node};
    uint64_t records = g->records;
    uint32_t whole = g->whole;
    g->is_tree = true;
    g->waiting = 0;
    if (root == UINT32_MAX) {
        g->visited[id] = 1;
        g->parent[id] = UINT32_MAX;
        g->stack[g->waiting++] = id;
    } else {
        grow_particle(g, root, UINT32_MAX);
    }
    while (g->waiting)
        grow_constraint(g, g->stack[--g->waiting]);
    t.item_end = g->item;
    t.node_end = g->node;
    if (g->is_tree) {
        finish_tree(g, &t);
        sn_chain_find(g->forest, g->store, &t);
        trees[g->tree++] = t;
    } else {
        g->item = t.item;
        g->node = t.node;
        g->records = records;
        g->whole = whole;
    }
}

static void find_trees(sn_forest *forest, const sn_store *store)
{
    growth g = growth_of(forest, store);
    forest->chain_table.count = forest->largest_chain = 0;
    if (forest->limit) { /* there is a constraint, and so a node */
        g.whole_of[g.node] = 0;
        g.nodes[g.node++] = (sn_node){.w = 0};
    }
    if (forest->id_table.count) {
        memset(g.in_forest, 0, forest->id_table.count);
        memset(g.visited, 0, forest->id_table.count);
        memset(g.particle_visited, 0, forest->limit);
    }
    for (walk at = {0}; go_on(forest, store, &at);) {
        uint32_t root = UINT32_MAX;
        if (g.visited[at.id])
            continue;
        sn_span s;
        sn_forest_span(store, store->pool[at.kind], at.row, &s);
        for (uint32_t j = s.count; j-- > 0;)
            root = g.movable[s.particle[j]] ? s.particle[j] : root;
        grow_tree(&g, at.id, root);
    }
    forest->item_table.count = forest->count = g.item;
    forest->node_table.count = g.node;
    forest->whole_table.count = g.whole;
    forest->tree_table.count = g.tree;
    forest->analysed = forest->edits;
}

/* The softness of the rows of a tree. */
static double softness(const sn_forest *forest, const sn_frame *frame, const sn_tree *t)
{
    const uint32_t *number = forest->node_table.column[SN_NODE_NUMBER];
    double least = DBL_MAX, most = 0;
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        if (number[i] & SN_TURN_BIT)
            continue;
        const double w = (double)frame->x[frame->slot[number[i]]].w;
        least = fmin(least, w);
        most = fmax(most, w);
    }
    const double soft = SN_TREE_SOFT_SHARE * least / (most * (t->item_end - t->item));
    return soft < SN_TREE_SOFT ? fmax(soft, SN_TREE_SOFT_LEAST) : SN_TREE_SOFT; /* also where nothing is movable */
}

void sn_forest_prepare(sn_forest *forest, const sn_store *store, const sn_frame *frame)
{
    if (forest->fresh)
        return;
    bool changed = look_at_particles(forest, frame);
    forest->fresh = true;
    if (changed || forest->analysed != forest->edits)
        find_trees(forest, store);
    sn_tree *trees = forest->tree_table.column[0];
    for (uint32_t i = 0; i < forest->tree_table.count; ++i) {
        trees[i].turning = false;
        trees[i].soft = softness(forest, frame, &trees[i]);
        sn_chain_look(forest, store, frame, &trees[i]);
    }
    sn_chain_team_up(forest, store, frame);
}
