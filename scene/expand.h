/* Variables, expressions and repetition in scene files: a document with these is converted to one without. */
#ifndef SN_SCENE_EXPAND_H
#define SN_SCENE_EXPAND_H

#include "scene/record.h"

/* Whether a document has something to expand: a key `variables` or `for`, or a text with an expression. */
bool sn_expand_needed(const sn_value *root);

/* Copies root into an empty document, without `variables` and `for`. These are replaced:

      "2 * $width", "= 2 * pi"    a text with $ and a name in it, or with = at its beginning: the value of the
                                  expression. "$name" alone: any value that the variable has
      "post${i}.end"              expressions within a text, in ${}
      {"for": 5, ...}             an item of a list: so many items, with the variable i from 0 on. Nested:
                                  {"for": {"row": 3, "column": 4}}

   "$$" stands for a plain $, "==" at the beginning of a text for a plain =. Titles, comments and the like are not
   changed. Items keep their index in the file (sn_value_index). False, with the reasons in problems; also if the
   result takes more than `most` bytes. */
bool sn_expand(const sn_value *root, uint64_t most, sn_document *out, sn_problems *problems);

/* The root of a document; or, if it has something to expand, the root of `expanded`, an empty document that may take
   a quarter of `memory` bytes. NULL after an error. */
const sn_value *sn_expanded(const sn_document *document, uint64_t memory, sn_document *expanded, sn_problems *problems);

/* The value of an expression; scope NULL: there are no variables. False, with the reason in message. */
struct sn_scope;
bool sn_expression(const char *text, size_t length, const struct sn_scope *scope, double *value, char *message,
                   size_t size);

#endif
