/* The gnuplot side of first_look.c: one panel for each picture. A panel is drawn twice, alone on a page of its own and
   as a part of first_look.png; both times into the rectangle of W x H pixels whose lower left corner is X, Y. */
#ifndef FIRST_LOOK_PLOT_H
#define FIRST_LOOK_PLOT_H

#define TERMINAL "pngcairo rounded font 'sans,11' background '#fdfcfa'"

/* Pixels: the size of first_look.png, and what surrounds a panel on a page of its own. */
enum { HERO_WIDTH = 1600, HERO_HEIGHT = 850, PAGE_SIDE = 60, PAGE_HEAD = 70, PAGE_FOOT = 60 };

typedef struct rectangle {
    int x, y, width, height;
} rectangle;

typedef struct panel {
    const char *name;
    rectangle hero; /* its place in first_look.png */
    const char *draw;
} panel;

/* Common to all: a bare light canvas, a headline, equal scales in x and y, colours that darken with time. */
static const char *const panel_style =
    "unset label; unset border; unset tics; unset grid; unset key; unset colorbox\n"
    "set lmargin at screen X / PAGE_W; set rmargin at screen (X + W) / PAGE_W\n"
    "set bmargin at screen Y / PAGE_H; set tmargin at screen (Y + H) / PAGE_H\n"
    "set palette defined (0 '#d5e0ec', 0.45 '#86a9cb', 1 '#1d3f66')\n"
    "set style line 1 lc rgb '#2b527c' lw 2\n"
    "set style line 2 lc rgb '#e2592d' lw 1.2\n"
    "set style line 3 lc rgb '#3a3f47' lw 2\n"
    "set style line 4 lc rgb '#b5aea2' lw 2\n"
    "set style line 5 lc rgb '#e9e5de' lw 7\n"
    "set style line 6 lc rgb '#8a8f98' lw 1\n"
    "set style fill solid noborder\n"
    "headline = \"set label 1 '{/:Bold '.name.'}   '.note at screen X / PAGE_W, (Y + H + 24) / PAGE_H tc ls 3\"\n"
    "window = \"set xrange [left : right]; set yrange [bottom : bottom + (right - left) * H / W]\"\n";

static const panel panels[] = {
    {"rope",
     {40, 475, 550, 320},
     "name = 'Rope'; note = '20 links and a bob of 10 kg, 10 pictures a second'\n"
     "left = -2.15; right = 2.15; bottom = -0.22; end = 1.55\n"
     "@headline; @window; set cbrange [0 : end]\n"
     "plot 'rope_path.dat' using ($1 < end ? $2 : NaN):3 with lines ls 2, \\\n"
     "     'rope.dat' using 2:($1 < end ? $3 : NaN):1 with lines lw 1.6 lc palette, \\\n"
     "     'rope_path.dat' every 6 using ($1 < end ? $2 : NaN):3:(0.055):1 with circles lc palette, \\\n"
     "     'rope.dat' index 0 every ::::0 using 2:3:(0.025) with circles ls 3\n"},

    {"box",
     {660, 475, 540, 320},
     "name = 'Box'; note = 'four particles and six rods, thrown into a room'\n"
     "left = -0.02; right = 4.02; bottom = -0.02\n"
     "@headline; @window; set cbrange [0 : 5]; set palette defined (0 '#d5e0ec', 1 '#86a9cb', 2.2 '#2b527c', 5 "
     "'#1d3f66')\n"
     "$room << END\n0 2.35\n0 0\n4 0\n4 2.35\nEND\n"
     "shown = '0 1 2 3 4 5 6 7 8 9 11 13 15 17 20 24 37'\n"
     "plot $room with lines ls 4, \\\n"
     "     'box_path.dat' using ($1 < 3.2 ? $2 : NaN):3 with lines ls 2, \\\n"
     "     for [k in shown] 'box.dat' index int(k) every :::4 using 2:3:1 with lines lw 0.7 lc palette, \\\n"
     "     for [k in shown] 'box.dat' index int(k) every :::0::3 using 2:3:1 with lines lw 2.4 lc palette\n"},

    {"curtain",
     {1260, 475, 300, 320},
     "name = 'Curtain'; note = '475 particles in a breeze'\n"
     "@headline\n"
     "set view 82, 24; set view equal xyz; set xyplane at 0.5\n"
     "set lmargin at screen (X - W / 4) / PAGE_W; set rmargin at screen (X + 1.25 * W) / PAGE_W\n"
     "set bmargin at screen (Y - H / 4) / PAGE_H; set tmargin at screen (Y + 1.2 * H) / PAGE_H\n"
     "set xrange [-1 : 1]; set yrange [-1 : 1]; set zrange [0.5 : 2.1]\n"
     "set palette defined (0 '#3f6f9f', 1 '#a9c4de'); set cbrange [0.4 : 2.1]\n"
     "set pm3d depthorder border lc rgb '#2b527c' lw 0.4 lighting primary 0.5 specular 0.15\n"
     "splot 'curtain.dat' index 12 using 2:4:3 with pm3d, \\\n"
     "      '' index 12 every 24::0:0:24:0 using 2:4:3 with points pt 7 ps 0.8 lc rgb '#3a3f47'\n"
     "unset pm3d\n"},

    {"figure",
     {40, 40, 1070, 350},
     "name = 'Stick figure'; note = '14 particles, 19 rods and 24 least distances; one fall from left to right'\n"
     "left = -0.45; right = 8.2; bottom = -0.36\n"
     "@headline; @window\n"
     "array pose[7] = [0, 4, 5, 7, 10, 13, 39]\n"
     "array place[7] = [0, 1.05, 2.05, 3.1, 4.25, 5.62, 7.3]\n"
     "turn = 0.9; dip = 0.2\n"
     "across(x, z) = x * cos(turn) + z * sin(turn)\n"
     "up(x, y, z) = y * cos(dip) - (z * cos(turn) - x * sin(turn)) * sin(dip)\n"
     "do for [k = 1 : 7] {\n"
     "    set label 1 + k sprintf('%.1f s', 0.1 * pose[k]) at place[k], -0.3 center tc ls 6\n"
     "    stats 'figure.dat' index pose[k] using (across($2, $4)) nooutput\n"
     "    place[k] = place[k] - (STATS_min + STATS_max) / 2\n"
     "}\n"
     "plot for [k = 1 : 7] 'figure.dat' index pose[k] \\\n"
     "         using (place[k] + across($2, $4)):(up($2, 0, $4)) with lines ls 5, \\\n"
     "     for [k = 1 : 7] 'figure.dat' index pose[k] \\\n"
     "         using (place[k] + across($2, $4)):(up($2, $3, $4)) with lines ls 1 lw 4, \\\n"
     "     for [k = 1 : 7] 'figure.dat' index pose[k] every ::0:0:0:0 \\\n"
     "         using (place[k] + across($2, $4)):(up($2, $3, $4)):(0.11) with circles ls 2\n"},

    {"energy",
     {1200, 65, 360, 325},
     "name = 'Rope'; note = 'energies in J'\n"
     "@headline; set xrange [0 : 10]; set yrange [0 : 180]\n"
     "set border 3 ls 6; set tics scale 0.5 tc ls 6\n"
     "set xtics 2 nomirror format '%g s'; set ytics 50 nomirror\n"
     "set label 2 'total' at screen (X + W - 137) / PAGE_W, (Y + H + 24) / PAGE_H right tc ls 3\n"
     "set label 3 'potential' at screen (X + W - 60) / PAGE_W, (Y + H + 24) / PAGE_H right tc ls 1\n"
     "set label 4 'kinetic' at screen (X + W) / PAGE_W, (Y + H + 24) / PAGE_H right tc ls 2\n"
     "plot 'rope_path.dat' using 1:5 with lines ls 2 lw 2, '' using 1:6 with lines ls 1, \\\n"
     "     '' using 1:($5 + $6 + $7) with lines ls 3\n"},
};

#endif
