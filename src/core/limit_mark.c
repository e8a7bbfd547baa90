#include "limit_mark.h"

/* In the mark of a limit that its equals do not share: the low bits are of its name's hash. Else they are its place. */
#define MARK_OF_NAME UINT32_C(0x1000)

/* Returns the mark of a name: FNV-1a of 32 bits, folded. */
static uint32_t mark_of(const char *name)
{
	uint32_t hash = UINT32_C(0x811c9dc5);

	for (; *name != '\0'; name++) {
		hash = (hash ^ (unsigned char) *name) * UINT32_C(0x01000193);
	}
	return MARK_OF_NAME | ((hash ^ hash >> 16) & (MARK_OF_NAME - 1));
}

/* Returns the mark of a limit without a name: its number in decimal digits is its name. */
static uint32_t mark_of_number(uint64_t number)
{
	char digits[24];
	char *first = digits + sizeof digits - 1;

	*first = '\0';
	do {
		*--first = (char) ('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return mark_of(first);
}

static bool are_equals(const rl_limit *a, const rl_limit *b)
{
	return a->algorithm == b->algorithm && a->identity == b->identity && a->period == b->period
		&& a->period_us == b->period_us && a->rate == b->rate;
}

void rl_limits_mark(rl_limit *limits, const char *const *names, unsigned n)
{
	uint32_t marks[RL_LIMITS_MAX];

	for (unsigned i = 0; i < n; i++) {
		marks[i] = names[i] != NULL ? mark_of(names[i]) : mark_of_number(limits[i].limit);
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned place = 0, equals = 0, shared = 0;

		for (unsigned other = 0; other < n; other++) {
			if (are_equals(&limits[i], &limits[other])) {
				place += other < i;
				equals++;
				shared += marks[other] == marks[i];
			}
		}
		limits[i].mark = shared == 1 ? marks[i] : 1 + place + RL_LIMITS_MAX * equals;
	}
}
