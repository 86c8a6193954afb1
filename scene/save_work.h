/* What saving a scene is made of: save.c and save_constraints.c only. */
#ifndef SN_SCENE_SAVE_WORK_H
#define SN_SCENE_SAVE_WORK_H

#include "scene/state.h"

typedef struct sn_saver {
    sn_scene *scene;
    sn_document *out;
    sn_arena scratch;
    sn_arena ranks_arena;
    uint32_t *rank[SN_KIND_BUILTIN_END]; /* by kind: the place of the constraint in a row among those of its kind */
    uint32_t rank_count[SN_KIND_BUILTIN_END];
    uint32_t *number; /* by the number of a particle in this world: its number in the one that loads what is saved */
    uint32_t number_count;
    uint32_t given; /* where points as they were given were last found */
    bool gaps;      /* named constraints were removed since, so that names count differently */
    char *message;
    size_t size;
} sn_saver;

/* Says why it cannot be saved. False, always. */
bool sn_saver_fail(sn_saver *s, const char *text);

/* save_constraints.c: before anything is saved, numbers for particles and constraints in the world that loads it; then all constraints;
   and one point, as constraints and records have them. False after sn_saver_fail. */
bool sn_saver_number_particles(sn_saver *s);
bool sn_saver_rank_constraints(sn_saver *s);
bool sn_saver_put_constraints(sn_saver *s, sn_value *root);
void sn_saver_put_point(sn_saver *s, sn_value *list, const sn_point *point);

#endif
