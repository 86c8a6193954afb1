/* What is written over the picture: the state, the layers, the scenes, the keys. */
#ifndef TESTBED_PANEL_H
#define TESTBED_PANEL_H

#include "cli/cli.h"
#include "testbed/play.h"

/* What a key or a click asks for. */
typedef enum action {
    ACTION_NONE,
    ACTION_QUIT,
    ACTION_PAUSE,
    ACTION_STEP,
    ACTION_RESTART,
    ACTION_NEXT,
    ACTION_PREVIOUS,
    ACTION_SLOWER,
    ACTION_FASTER,
    ACTION_ALL, /* all is seen again */
    ACTION_THROW,
    ACTION_FINE,
    ACTION_LIST,
    ACTION_HELP,
    ACTION_PANELS,
    ACTION_SAVE,           /* the picture, to a file */
    ACTION_SCENE,          /* + the number of a scene */
    ACTION_LAYER = 1 << 16 /* + the number of a layer */
} action;

typedef struct panel {
    bool list, help, hidden;
    int list_from; /* the first scene that is shown */
    int hover;     /* the action under the mouse */

    /* What is told. */
    const sn_scene_names *names;
    uint32_t scene;
    const play *play;
    uint32_t layers;
    bool paused, fine;
    double speed, fps, draw_ms;
    const char *note; /* a line at the bottom; may be NULL */
} panel;

/* The layers: what sn_draw calls them, in words, and their keys. */
typedef struct layer {
    const char *name, *key;
    uint32_t bit;
} layer;

#define LAYERS        16
#define FIRST_COLOURS 12 /* those from this one on say how things are coloured */
extern const layer layers[LAYERS];

void panel_draw(const panel *p, canvas *c);

/* What lies at a pixel: an action, or ACTION_NONE. is_over: whether it is part of a panel at all, so that a click there is none on the scene. */
int panel_action(const panel *p, const canvas *c, int x, int y, bool *is_over);
void panel_scroll(panel *p, const canvas *c, int lines);
void panel_show_scene(panel *p, const canvas *c); /* so that the present scene is among those that the list shows */

#endif
