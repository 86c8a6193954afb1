/* Letters of 5 by 8 dots, ASCII only. */
#ifndef TESTBED_LETTERS_H
#define TESTBED_LETTERS_H

#include <stdbool.h>

/* Whether a letter that is drawn `size` times as large covers this pixel of 5 * size by 8 * size. What is no letter is a box. */
bool letter_covers(char letter, int x, int y, int size);

#endif
