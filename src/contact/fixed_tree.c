#include "contact/fixed_tree.h"

#include <string.h>

/* Columns of item_table. */
enum { ITEM_BOUNDS, ITEM_LIST, ITEM_PLACE };

/* Where a fixed shape is stored. */
enum { LIST_LOOSE, LIST_UNBOUNDED, LIST_LAST = LIST_UNBOUNDED, IN_TREE, ABSENT };
#define WAITS 0x80u /* of a loose one: it is at rest, and waits for the first tree */

/* Up to this many loose shapes are tested one by one. */
#define FEW 8u

/* The first tree is rebuilt when more shapes wait for it than WAITING_LEAST, and than one in WAITING_SHARE of those
   that it has. */
#define WAITING_LEAST 64u
#define WAITING_SHARE 16u

void sn_fixed_tree_init(sn_fixed_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    sn_table_column(&tree->item_table, sizeof(sn_bounds), false);
    sn_table_column(&tree->item_table, sizeof(uint8_t), false);
    sn_table_column(&tree->item_table, sizeof(uint32_t), false);
    for (uint32_t i = 0; i <= LIST_LAST; ++i)
        sn_table_column(&tree->list_table[i], sizeof(uint32_t), false);
    sn_table_column(&tree->standing_table, sizeof(uint32_t), false);
    sn_table_column(&tree->standing_table, sizeof(sn_bounds), false);
    sn_table_column(&tree->loose_box_table, sizeof(sn_bounds), false);
    sn_bvh_init(&tree->standing);
    sn_bvh_init(&tree->loose);
}

void sn_fixed_tree_release(sn_fixed_tree *tree, const sn_allocator *allocator)
{
    sn_table_release(&tree->item_table, allocator);
    for (uint32_t i = 0; i <= LIST_LAST; ++i)
        sn_table_release(&tree->list_table[i], allocator);
    sn_table_release(&tree->standing_table, allocator);
    sn_table_release(&tree->loose_box_table, allocator);
    sn_bvh_release(&tree->standing, allocator);
    sn_bvh_release(&tree->loose, allocator);
}

static sn_bounds *boxes(const sn_fixed_tree *tree)
{
    return tree->item_table.column[ITEM_BOUNDS];
}

static uint8_t *lists(const sn_fixed_tree *tree)
{
    return tree->item_table.column[ITEM_LIST];
}

static uint32_t *places(const sn_fixed_tree *tree)
{
    return tree->item_table.column[ITEM_PLACE];
}

bool sn_fixed_tree_reserve(sn_fixed_tree *tree, const sn_allocator *allocator, uint32_t count)
{
    bool good = sn_table_reserve(&tree->item_table, allocator, count);
    for (uint32_t i = 0; i <= LIST_LAST; ++i)
        good = good && sn_table_reserve(&tree->list_table[i], allocator, count);
    if (!good)
        return false;
    for (; tree->item_table.count < count; tree->item_table.count++)
        lists(tree)[tree->item_table.count] = ABSENT;
    return true;
}

/* ---- Editing ----------------------------------------------------------------------------------------------------- */

/* Removes a shape from its list; the last of the list moves into the gap. A shape in the first tree stays an item of
   it, which queries skip. */
static void take_out(sn_fixed_tree *tree, uint32_t number)
{
    const uint8_t list = lists(tree)[number] & (uint8_t)~WAITS;
    tree->waiting -= lists(tree)[number] == (LIST_LOOSE | WAITS);
    lists(tree)[number] = ABSENT;
    if (list > LIST_LAST)
        return;
    uint32_t *all = tree->list_table[list].column[0], last = all[--tree->list_table[list].count];
    all[places(tree)[number]] = last;
    places(tree)[last] = places(tree)[number];
    tree->loose_is_built = tree->loose_is_built && list != LIST_LOOSE;
}

static bool is_bounded(const sn_bounds *b)
{
    return vec3_is_finite(b->low) && vec3_is_finite(b->high);
}

static bool is_same(const sn_bounds *a, const sn_bounds *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

void sn_fixed_tree_set(sn_fixed_tree *tree, uint32_t number, const sn_bounds *bounds, bool moves)
{
    if (lists(tree)[number] == IN_TREE && !moves && is_same(&boxes(tree)[number], bounds))
        return;
    take_out(tree, number);
    const uint8_t list = is_bounded(bounds) ? LIST_LOOSE : LIST_UNBOUNDED;
    const bool waits = list == LIST_LOOSE && !moves;
    sn_table *table = &tree->list_table[list];
    ((uint32_t *)table->column[0])[table->count] = number;
    places(tree)[number] = table->count++;
    lists(tree)[number] = waits ? list | WAITS : list;
    boxes(tree)[number] = *bounds;
    tree->waiting += waits;
    tree->loose_is_built = tree->loose_is_built && list != LIST_LOOSE;
}

void sn_fixed_tree_remove(sn_fixed_tree *tree, uint32_t number)
{
    if (number < tree->item_table.count)
        take_out(tree, number);
}

void sn_fixed_tree_clear(sn_fixed_tree *tree)
{
    for (uint32_t i = 0; i <= LIST_LAST; ++i)
        tree->list_table[i].count = 0;
    tree->item_table.count = tree->waiting = 0;
    tree->standing.items = tree->standing_table.count = 0;
    tree->loose_is_built = false;
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

/* Builds the tree of all shapes at rest. */
static bool build_standing(sn_fixed_tree *tree, const sn_allocator *allocator)
{
    uint32_t count = 0;
    if (!sn_table_reserve(&tree->standing_table, allocator, tree->item_table.count))
        return false;
    uint32_t *number = tree->standing_table.column[0];
    sn_bounds *box = tree->standing_table.column[1];
    for (uint32_t i = 0; i < tree->item_table.count; ++i)
        if (lists(tree)[i] == IN_TREE || lists(tree)[i] == (LIST_LOOSE | WAITS)) {
            number[count] = i;
            box[count++] = boxes(tree)[i];
        }
    tree->standing_table.count = count;
    if (!sn_bvh_build(&tree->standing, allocator, box, count))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        take_out(tree, number[i]);
        lists(tree)[number[i]] = IN_TREE;
    }
    return true;
}

bool sn_fixed_tree_build(sn_fixed_tree *tree, const sn_allocator *allocator)
{
    if (tree->waiting > WAITING_LEAST && tree->waiting > tree->standing_table.count / WAITING_SHARE &&
        !build_standing(tree, allocator))
        return false;
    const sn_table *loose = &tree->list_table[LIST_LOOSE];
    if (tree->loose_is_built || loose->count <= FEW)
        return true;
    if (!sn_table_reserve(&tree->loose_box_table, allocator, loose->count))
        return false;
    sn_bounds *box = tree->loose_box_table.column[0];
    for (uint32_t i = 0; i < loose->count; ++i)
        box[i] = boxes(tree)[((const uint32_t *)loose->column[0])[i]];
    tree->loose_is_built = sn_bvh_build(&tree->loose, allocator, box, loose->count);
    return tree->loose_is_built;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

typedef struct query {
    const sn_fixed_tree *tree;
    const sn_bounds *box;
    const uint32_t *number; /* by item */
    bool in_tree;           /* items are those of the first tree */
    sn_bvh_visit *visit;
    void *data;
    bool goes_on;
} query;

static bool touches(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* A fixed shape that left the first tree is still an item of it. */
static bool visit_item(void *data, uint32_t item)
{
    query *q = data;
    const uint32_t number = q->number[item];
    if ((lists(q->tree)[number] == IN_TREE) == q->in_tree && touches(&boxes(q->tree)[number], q->box))
        q->goes_on = q->visit(q->data, number);
    return q->goes_on;
}

static void visit_list(query *q, const sn_table *list)
{
    q->number = list->column[0];
    for (uint32_t i = 0; i < list->count && q->goes_on; ++i)
        visit_item(q, i);
}

void sn_fixed_tree_overlap(const sn_fixed_tree *tree, const sn_bounds *box, sn_bvh_visit *visit, void *data)
{
    const sn_table *loose = &tree->list_table[LIST_LOOSE];
    query q = {.tree = tree, .box = box, .visit = visit, .data = data, .goes_on = true};
    visit_list(&q, &tree->list_table[LIST_UNBOUNDED]);
    if (loose->count <= FEW) {
        visit_list(&q, loose);
    } else if (q.goes_on) {
        q.number = loose->column[0];
        sn_bvh_overlap(&tree->loose, box, visit_item, &q);
    }
    if (!q.goes_on)
        return;
    q.number = tree->standing_table.column[0];
    q.in_tree = true;
    sn_bvh_overlap(&tree->standing, box, visit_item, &q);
}

static bool stop(void *data, uint32_t number)
{
    (void)number;
    *(bool *)data = true;
    return false;
}

bool sn_fixed_tree_touches(const sn_fixed_tree *tree, const sn_bounds *box)
{
    bool found = false;
    sn_fixed_tree_overlap(tree, box, stop, &found);
    return found;
}
