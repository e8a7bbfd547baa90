#include "text_piece.h"

#include <string.h>

bool rl_piece_is(rl_text_piece piece, const char *word)
{
	size_t length = strlen(word);

	return (size_t) (piece.end - piece.at) == length && memcmp(piece.at, word, length) == 0;
}

rl_text_piece rl_take_until(rl_text_piece *rest, const char *stops)
{
	rl_text_piece piece = {rest->at, rest->at};

	while (piece.end < rest->end && (*piece.end == '\0' || strchr(stops, *piece.end) == NULL)) {
		piece.end++;
	}
	rest->at = piece.end;
	return piece;
}

bool rl_take(rl_text_piece *rest, char byte)
{
	bool is_there = rest->at < rest->end && *rest->at == byte;

	rest->at += is_there;
	return is_there;
}

unsigned rl_take_digits(rl_text_piece *rest, int64_t *number)
{
	unsigned n = 0;

	*number = 0;
	for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
		if (++n > RL_TEXT_NUMBER_DIGITS) {
			return 0;
		}
		*number = *number * 10 + (*rest->at - '0');
	}
	return n;
}

bool rl_take_decimal(rl_text_piece *rest, int64_t *whole, int64_t *millionths)
{
	int64_t fraction;
	unsigned n;

	*millionths = 0;
	if (rl_take_digits(rest, whole) == 0) {
		return false;
	}
	if (!rl_take(rest, '.')) {
		return true;
	}
	n = rl_take_digits(rest, &fraction);
	if (n == 0 || n > 6) {
		return false;
	}
	for (; n < 6; n++) {
		fraction *= 10;
	}
	*millionths = fraction;
	return true;
}
