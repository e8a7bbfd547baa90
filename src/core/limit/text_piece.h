/* Takes a text apart: pieces of it, and numbers in front. */
#ifndef RL_CORE_TEXT_PIECE_H
#define RL_CORE_TEXT_PIECE_H

#include <stdbool.h>
#include <stdint.h>

/* The most digits of a number: a bound for arithmetic. Each algorithm has a lower bound. */
#define RL_TEXT_NUMBER_DIGITS 15

/* A piece of the text. */
typedef struct {
	const char *at, *end;
} rl_text_piece;

/* The most bytes of a piece that a message shows: "%.*s", RL_SHOWN(piece). */
#define RL_SHOWN(piece) ((int) ((piece).end - (piece).at < 48 ? (piece).end - (piece).at : 48)), (piece).at

bool rl_piece_is(rl_text_piece piece, const char *word);

/* Takes the piece up to one of the bytes in stops, or up to the end. */
rl_text_piece rl_take_until(rl_text_piece *rest, const char *stops);

/* Takes one byte, if the rest begins with it. */
bool rl_take(rl_text_piece *rest, char byte);

/* Takes the digits in front, 1 to RL_TEXT_NUMBER_DIGITS of them. Returns how many; 0: there are none, or too many. */
unsigned rl_take_digits(rl_text_piece *rest, int64_t *number);

/* Takes a number with up to 6 decimals, as so many units of us. Returns false if there is none. */
bool rl_take_decimal(rl_text_piece *rest, int64_t *whole, int64_t *millionths);

#endif
