/* The sections of `sinew list`, from the tables of the engine and of the scene format. */
#ifndef SN_CLI_LIST_H
#define SN_CLI_LIST_H

#include "scene/document.h"

/* Adds a record {name, about, ...} to the list for each entry of the section. False when memory runs out. */
typedef bool sn_list_section(sn_document *document, sn_value *list);

sn_list_section sn_list_scenes, sn_list_objects, sn_list_shapes, sn_list_kinds, sn_list_solvers, sn_list_integrators,
    sn_list_orders, sn_list_gradients, sn_list_settings, sn_list_formats;

/* Describes a type of value, such as "name or record", for keys of type SN_KEY_VALUE. */
const char *sn_value_words(const char *sort);

#endif
