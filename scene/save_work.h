/* Data for saving a scene, shared by save.c and save_constraints.c. */
#ifndef SN_SCENE_SAVE_WORK_H
#define SN_SCENE_SAVE_WORK_H

#include "scene/state.h"

typedef struct sn_saver {
    sn_scene *scene;
    sn_document *out;
    sn_arena scratch;
    sn_arena ranks_arena;
    uint32_t *rank[SN_KIND_BUILTIN_END]; /* by kind: the new number of each constraint among those of its kind */
    uint32_t rank_count[SN_KIND_BUILTIN_END];
    uint32_t *number; /* by the number of a particle in this world: its number in the world that loads the file */
    uint32_t number_count;
    uint32_t *torn;     /* numbers of particles that tears and cuts have added, object after object, in their skins */
    uint32_t *torn_end; /* by object: where its own end in that list */
    uint32_t *item;     /* of the object that is being saved: the numbers of its particles, the torn ones last */
    uint32_t items;
    uint32_t given; /* where given points were last found */
    bool gaps;      /* named constraints were removed, so that numbers within a name have changed */
    char *message;
    size_t size;
} sn_saver;

/* Reports why the scene cannot be saved. Returns false. */
bool sn_saver_fail(sn_saver *s, const char *text);

/* The particles that tears and cuts have added to an object. */
static inline const uint32_t *saver_torn(const sn_saver *s, uint32_t object, uint32_t *count)
{
    const uint32_t first = object ? s->torn_end[object - 1] : 0;
    *count = s->torn_end[object] - first;
    return s->torn + first;
}

/* In save_constraints.c. First, the new numbers of particles and constraints; then all constraints; and a point, as
   constraints and records have them. False after sn_saver_fail. */
bool sn_saver_number_particles(sn_saver *s);
bool sn_saver_rank_constraints(sn_saver *s);
bool sn_saver_put_constraints(sn_saver *s, sn_value *root);
void sn_saver_put_point(sn_saver *s, sn_value *list, const sn_point *point);

#endif
