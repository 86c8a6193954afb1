/* The variables that an expression may name. */
#ifndef SN_SCENE_SCOPE_H
#define SN_SCENE_SCOPE_H

#include "scene/document.h"

/* One variable, and those before it; a later one hides an earlier one of the same name. */
typedef struct sn_scope {
    const char *name;
    const sn_value *value;
    const struct sn_scope *outer;
} sn_scope;

/* NULL if there is none of that name. */
const sn_value *sn_scope_find(const sn_scope *scope, const char *name, size_t length);

/* "; did you mean 'width'?", or which there are, or that there are none. Written to text. */
void sn_scope_near(const sn_scope *scope, const char *name, size_t length, char *text, size_t size);

#endif
