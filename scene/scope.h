/* The variables that an expression may use. */
#ifndef SN_SCENE_SCOPE_H
#define SN_SCENE_SCOPE_H

#include "scene/document.h"

/* A variable, and the earlier ones; it hides an earlier one of the same name. */
typedef struct sn_scope {
    const char *name;
    const sn_value *value;
    const struct sn_scope *outer;
} sn_scope;

/* The value of a variable; NULL if none has that name. */
const sn_value *sn_scope_find(const sn_scope *scope, const char *name, size_t length);

/* Writes "; did you mean 'width'?", or the names that there are, or that there are none. */
void sn_scope_near(const sn_scope *scope, const char *name, size_t length, char *text, size_t size);

#endif
