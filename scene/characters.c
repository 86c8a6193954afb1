#include "scene/characters.h"

#include <math.h>

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

void sn_character_defaults(void *record)
{
    const sn_character c = sn_default_character();
    *(sn_character_keys *)record = (sn_character_keys){.radius = c.radius,
                                                       .height = c.height,
                                                       .step_height = c.step_height,
                                                       .slope_limit = c.slope_limit,
                                                       .mass = c.mass,
                                                       .push = c.push,
                                                       .foot = {(sn_real)NAN, (sn_real)NAN, (sn_real)NAN}};
}

#define MOVE(key) offsetof(sn_move_keys, key)

static const sn_key move_keys[] = {{"time", SN_KEY_REAL, MOVE(time), .unit = "s", .flags = SN_KEY_REQUIRED,
                                    .about = "the time from which on this holds; later than that of the move before"},
                                   {"velocity", SN_KEY_VECTOR, MOVE(velocity), .unit = "m/s",
                                    .about = "the velocity with which it walks; its y component does not count"},
                                   {"jump", SN_KEY_REAL, MOVE(jump), .unit = "m/s", .least = 0, .most = 1e6,
                                    .about = "the speed with which it jumps, once, as soon as it stands"},
                                   {.name = NULL}};

const sn_record sn_move_record = {"move", "What a character does from a time on.", sizeof(sn_move_keys), move_keys,
                                  NULL};

#define KEY(key) offsetof(sn_character_keys, key)

static const sn_key character_keys[] = {
    {"of", SN_KEY_VALUE, KEY(of), .of = "selectors", .flags = SN_KEY_REQUIRED,
     .about = "the body that walks: an immovable one, with its middle half its height above the ground"},
    {"radius", SN_KEY_REAL, KEY(radius), .unit = "m", .flags = SN_KEY_POSITIVE, .about = "the radius of its capsule"},
    SN_CHARACTER_KEYS,
    {"mass", SN_KEY_REAL, KEY(mass), .unit = "kg", .least = 0, .most = 1e9,
     .about = "the mass with which it hits bodies and presses on what it stands on; 0: it pushes nothing"},
    {"foot", SN_KEY_VECTOR, KEY(foot), .unit = "m",
     .about = "where it stands, if that is not below the middle of the body: for saved scenes"},
    {"velocity", SN_KEY_VECTOR, KEY(velocity), .unit = "m/s", .about = "the velocity at the start"},
    {"grounded", SN_KEY_TRUTH, KEY(grounded), .about = "it stands at the start: for saved scenes"},
    {.name = NULL}};

const sn_record sn_character_record = {"walker", "A body that walks.", sizeof(sn_character_keys), character_keys,
                                       sn_character_defaults};

static bool check_moves(const sn_scene *scene, sn_reader *reader, const sn_character_keys *keys)
{
    const sn_move_keys *move = keys->moves.items;
    if (keys->height < 2 * keys->radius)
        return sn_reader_fail_key(reader, "height", "found %g m, expected at least twice the radius, %g m",
                                  (double)keys->height, 2 * (double)keys->radius);
    for (uint32_t i = 0; i < keys->moves.count; ++i) {
        if (i && !(move[i].time > move[i - 1].time))
            return sn_reader_fail_key(reader, "moves", "move %u is at %g s, not later than the one before at %g s", i,
                                      (double)move[i].time, (double)move[i - 1].time);
        if (sn_world_dimensions(scene->world) == 2 && move[i].velocity.z != 0)
            return sn_reader_fail_key(reader, "moves",
                                      "move %u has the velocity %g along z, and this world has two "
                                      "dimensions",
                                      i, (double)move[i].velocity.z);
    }
    if (keys->repeat && keys->moves.count < 2)
        return sn_reader_fail_key(reader, "repeat", "found %u moves, expected two or more to repeat",
                                  keys->moves.count);
    return true;
}

bool sn_scene_add_character(sn_scene *scene, sn_reader *reader, const sn_character_keys *keys, sn_body body)
{
    if (!check_moves(scene, reader, keys))
        return false;
    if (!isinf(sn_body_mass(scene->world, body)))
        return sn_reader_fail(reader, "the body can be moved by others; a character is 'immovable' to them");
    const sn_scene_character *other = scene->characters.items;
    for (uint32_t i = 0; i < scene->characters.count; ++i)
        if (other[i].body.index == body.index && other[i].body.generation == body.generation)
            return sn_reader_fail(reader, "this body is a character already");
    sn_scene_character *added = sn_growing_add(&scene->characters, &scene->arena, sizeof *added);
    sn_move_keys *moves = sn_arena_take(&scene->arena, keys->moves.count, sizeof *moves);
    if (!added || !moves)
        return sn_reader_fail(reader, "no memory for a character");
    for (uint32_t i = 0; i < keys->moves.count; ++i)
        moves[i] = ((const sn_move_keys *)keys->moves.items)[i];
    const sn_vec3 x = sn_body_position(scene->world, body);
    sn_character c = sn_default_character();
    c.radius = keys->radius;
    c.height = keys->height;
    c.step_height = keys->step_height;
    c.slope_limit = keys->slope_limit;
    c.skin = keys->radius / 50; /* in proportion to the size of the character */
    c.mass = keys->mass;
    c.push = keys->push;
    c.position = isnan(keys->foot.x) ? (sn_vec3){x.x, x.y - keys->height / 2, x.z} : keys->foot;
    c.velocity = keys->velocity;
    c.grounded = keys->grounded;
    *added = (sn_scene_character){.character = c,
                                  .body = body,
                                  .move_count = keys->moves.count,
                                  .move = moves,
                                  .repeat = keys->repeat,
                                  .jumped = UINT32_MAX};
    return true;
}

bool sn_scene_read_character(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_character_keys keys;
    sn_selection of = {0};
    if (!sn_record_read_one(reader, value, &sn_character_record, &keys))
        return false;
    size_t length = sn_reader_enter_key(reader, "of");
    bool good = sn_select(scene, reader, keys.of, NULL, &scene->scratch, &of);
    const sn_body body = good && of.count == 1
                             ? sn_particle_body(scene->world, sn_particle_from_index(scene->world, of.number[0]))
                             : (sn_body){0, 0};
    if (good && !body.generation)
        good = sn_reader_fail(reader, "expected one body");
    sn_arena_release(&scene->scratch);
    sn_reader_leave(reader, length);
    return good && sn_scene_add_character(scene, reader, &keys, body);
}

/* ---- Walking ----------------------------------------------------------------------------------------------------- */

static sn_vec3 middle_of(const sn_character *c)
{
    return (sn_vec3){c->position.x, c->position.y + c->height / 2, c->position.z};
}

/* A body that is at its place already is not moved, so that what rests on it can sleep. */
sn_result sn_scene_lead_characters(sn_scene *scene)
{
    const sn_scene_character *one = scene->characters.items;
    for (uint32_t i = 0; i < scene->characters.count; ++i) {
        if (!sn_body_is_valid(scene->world, one[i].body))
            continue;
        const sn_vec3 to = middle_of(&one[i].character), x = sn_body_position(scene->world, one[i].body);
        if (to.x == x.x && to.y == x.y && to.z == x.z)
            continue;
        const sn_result result =
            sn_body_move_to(scene->world, one[i].body, to, sn_body_rotation(scene->world, one[i].body));
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

/* The move that holds at a time; NULL before the first. *round: how often the list has been repeated. */
static const sn_move_keys *move_at(const sn_scene_character *one, double time, uint32_t *round)
{
    const sn_move_keys *move = one->move;
    uint32_t i = one->move_count;
    *round = 0;
    if (!i)
        return NULL;
    const double slack = 1e-9 * (fabs(time) + 1), begin = (double)move[0].time,
                 length = (double)move[i - 1].time - begin;
    if (one->repeat && length > 0 && time + slack >= begin + length) {
        const double rounds = floor((time + slack - begin) / length);
        *round = rounds < 1e9 ? (uint32_t)rounds : 1000000000u;
        time -= rounds * length;
    }
    while (i && (double)move[i - 1].time > time + slack)
        --i;
    return i ? &move[i - 1] : NULL;
}

/* Excludes the body of the character itself from its queries. */
static bool is_other(void *context, const sn_hit *hit)
{
    const sn_body *own = context;
    return hit->body.generation != own->generation || hit->body.index != own->index;
}

sn_result sn_scene_move_characters(sn_scene *scene, double time, double dt)
{
    sn_scene_character *one = scene->characters.items;
    const sn_real fall = sn_world_settings(scene->world).gravity.y * (sn_real)dt;
    for (uint32_t i = 0; i < scene->characters.count; ++i) {
        sn_character *c = &one[i].character;
        uint32_t round;
        const sn_move_keys *move = move_at(&one[i], time, &round);
        if (!sn_body_is_valid(scene->world, one[i].body))
            continue;
        c->velocity.x = move ? move->velocity.x : 0;
        c->velocity.z = move ? move->velocity.z : 0;
        c->velocity.y = c->grounded ? 0 : c->velocity.y + fall;
        const uint32_t number = move ? (uint32_t)(move - one[i].move) + round * one[i].move_count : UINT32_MAX;
        if (move && move->jump > 0 && c->grounded && one[i].jumped != number) {
            c->velocity.y = move->jump;
            one[i].jumped = number;
        }
        c->filter.function = is_other;
        c->filter.context = &one[i].body;
        const sn_result result = sn_character_move(scene->world, c, (sn_real)dt);
        c->filter.function = NULL;
        c->filter.context = NULL;
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}
