/* Characters of a scene: bodies that walk (sinew/character.h) according to a list of moves. */
#ifndef SN_SCENE_CHARACTERS_H
#define SN_SCENE_CHARACTERS_H

#include "scene/record.h"
#include "scene/state.h"

/* The motion of a character from a time on, until the next move. */
typedef struct sn_move_keys {
    sn_real time;     /* s */
    sn_vec3 velocity; /* m/s: walking velocity; its vertical component is ignored */
    sn_real jump;     /* m/s: upward speed of one jump, as soon as the character is on the ground; 0: no jump */
} sn_move_keys;

/* The keys of a character, apart from those of its body. */
typedef struct sn_character_keys {
    const sn_value *of;
    sn_real radius, height, step_height, slope_limit, mass, push;
    sn_list_of moves; /* of sn_move_keys */
    bool repeat;
    sn_vec3 foot, velocity; /* foot: NaN: below the middle of the body */
    bool grounded;
} sn_character_keys;

extern const sn_record sn_character_record, sn_move_record;

/* The keys that an object of type "character" and an item of the list "characters" share. */
/* clang-format off */
#define SN_CHARACTER_KEYS \
    {"height", SN_KEY_REAL, offsetof(sn_character_keys, height), .unit = "m", .flags = SN_KEY_POSITIVE, \
     .about = "from foot to head, at least twice the radius"}, \
    {"step_height", SN_KEY_REAL, offsetof(sn_character_keys, step_height), .unit = "m", .least = 0, .most = 1e9, \
     .about = "the highest step that it climbs"}, \
    {"slope_limit", SN_KEY_REAL, offsetof(sn_character_keys, slope_limit), .unit = "rad", .least = 0, .most = 1.5707, \
     .about = "the steepest slope that it walks on"}, \
    {"push", SN_KEY_REAL, offsetof(sn_character_keys, push), .unit = "N", .least = 0, .most = 1e30, \
     .about = "the largest force with which it pushes bodies"}, \
    {"moves", SN_KEY_RECORDS, offsetof(sn_character_keys, moves), .of = &sn_move_record, \
     .about = "where it walks and when it jumps, by time; before the first it stands"}, \
    {"repeat", SN_KEY_TRUTH, offsetof(sn_character_keys, repeat), \
     .about = "when the last move comes it begins with the first again"}
/* clang-format on */

void sn_character_defaults(void *record);

/* Makes a character of a body. False after an error. */
bool sn_scene_add_character(sn_scene *scene, sn_reader *reader, const sn_character_keys *keys, sn_body body);

/* An item of the list "characters". */
bool sn_scene_read_character(sn_scene *scene, sn_reader *reader, const sn_value *value);

/* sn_scene_lead_characters, before a step, moves each body to its character. sn_scene_move_characters, after the
   step, moves the characters on; time is that at the end of the step. */
sn_result sn_scene_lead_characters(sn_scene *scene);
sn_result sn_scene_move_characters(sn_scene *scene, double time, double dt);

#endif
