/* A scene that is played: loaded, stepped in real time, taken hold of with the mouse. */
#ifndef TESTBED_PLAY_H
#define TESTBED_PLAY_H

#include "scene/load.h"
#include "testbed/canvas.h"

typedef struct play {
    sn_loaded loaded;
    sn_world *world; /* NULL: there is no scene, and message says why */
    const char *name;
    char message[400]; /* what went wrong; "" if nothing did */

    /* What there is to see. */
    vec low, high; /* m: all particles and bodies when they were last looked at, and what stands near them */
    double mass;   /* kg: of all that moves */
    bool has_ground;
    float ground; /* m: its height */

    /* Time. */
    double owed;    /* s: that passed and was not stepped yet */
    double step_ms; /* of a frame of the scene, smoothed */

    /* The mouse. */
    sn_constraint held; /* null: nothing is held */
    sn_point spot;
    vec target; /* m: where it is to go */
} play;

/* Loads a scene in place of the one that is there. False, with a message, if that fails. name must outlive it. */
bool play_open(play *p, const char *name, const char *path);
void play_close(play *p); /* a zeroed one is fine */

/* Sees how large it is: now, or also in what comes next. */
void play_look(play *p, bool ahead);

/* Goes on by so many seconds, as far as that takes no longer than `most` seconds. Once a step failed it stands. */
void play_advance(play *p, double seconds, double most);
bool play_step(play *p); /* one frame */

/* Takes hold of what a ray meets first; reach: m, within which a small particle is found. False if there is nothing. */
bool play_grab(play *p, vec from, vec direction, float reach);
void play_pull(play *p, vec target);
void play_drop(play *p);
bool play_held_at(const play *p, vec *spot); /* where it is held; false if nothing is */

/* Throws a ball of a fiftieth of the scene's size. */
bool play_throw(play *p, vec from, vec direction);

/* How large it is, m. */
float play_size(const play *p);

vec vec_of(sn_vec3 a);
sn_vec3 place_of(vec a);

#endif
