#include "limit_mark.h"

/* In the mark of a limit without a name that its equals do not share: the low bits are of a hash. Else they are its place. */
#define MARK_OF_NUMBER UINT32_C(0x0800)

/* FNV-1a. */
static uint32_t hash_add(uint32_t hash, const char *text)
{
	for (; *text != '\0'; text++) {
		hash = (hash ^ (unsigned char) *text) * UINT32_C(0x01000193);
	}
	return hash;
}

/* Returns a mark by the limit's name, or by its number in decimal digits, with the time zone of a calendar. */
static uint32_t mark_of(const rl_limit *limit, const char *name, const char *zone)
{
	uint32_t hash = UINT32_C(0x811c9dc5);
	uint32_t bit = name != NULL ? RL_MARK_OF_NAME : MARK_OF_NUMBER;
	char digits[24];

	if (name != NULL) {
		hash = hash_add(hash, name);
	} else {
		char *first = digits + sizeof digits - 1;
		uint64_t number = limit->limit;

		*first = '\0';
		do {
			*--first = (char) ('0' + number % 10);
			number /= 10;
		} while (number > 0);
		hash = hash_add(hash, first);
		if (limit->algorithm == RL_CALENDAR_WINDOW && zone != NULL) {
			hash = hash_add(hash, zone);
		}
	}
	return bit | ((hash ^ hash >> 16) & (bit - 1));
}

void rl_limits_mark(rl_limit *limits, const char *const *names, const char *const *zones, unsigned n)
{
	uint32_t marks[RL_LIMITS_MAX];

	for (unsigned i = 0; i < n; i++) {
		marks[i] = mark_of(&limits[i], names[i], zones[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned place = 0, equals = 0, shared = 0;

		for (unsigned other = 0; other < n; other++) {
			if (rl_limits_are_equals(&limits[i], &limits[other]) && limits[i].identity == limits[other].identity) {
				place += other < i;
				equals++;
				shared += marks[other] == marks[i];
			}
		}
		limits[i].mark = shared == 1 ? marks[i] : 1 + place + RL_LIMITS_MAX * equals;
	}
}
