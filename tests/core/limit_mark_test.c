/* The marks of a limiter's limits (core/limit_mark.h). The polyfill's MarkTest has the same numbers. */
#include "check.h"

#include "../../src/core/limit_mark.h"

#define N(array) (sizeof(array) / sizeof *(array))

static rl_limit window(uint64_t number, int64_t period_us)
{
	return (rl_limit){.algorithm = RL_FIXED_WINDOW, .limit = number, .period_us = period_us};
}

static void test_names(void)
{
	rl_limit limits[] = {window(2, 60), window(5, 60), window(2, 60), window(2, 3600)};

	rl_limits_mark(limits, (const char *[]){"requests", "tokens", NULL, NULL}, N(limits));
	check(limits[0].mark == 0x1c7e, "requests: %#x", limits[0].mark);
	check(limits[1].mark == 0x18b8, "tokens: %#x", limits[1].mark);
	check(limits[2].mark == 0x1cd9, "a limit of 2: %#x", limits[2].mark);
	check(limits[3].mark == limits[2].mark, "a limit of 2 in another period: %#x", limits[3].mark);
}

static void test_places(void)
{
	rl_limit limits[] = {window(2, 60), window(5, 60), window(2, 60), window(2, 60)};

	limits[3].identity = 1;
	rl_limits_mark(limits, (const char *[]){NULL, NULL, NULL, NULL}, N(limits));
	check(limits[0].mark == 1 + 0 + 8 * 3, "the first of two with a number: %u", limits[0].mark);
	check(limits[1].mark >= 0x1000, "a number of its own: %u", limits[1].mark);
	check(limits[2].mark == 1 + 2 + 8 * 3, "the second of two with a number: %u", limits[2].mark);
	check(limits[3].mark >= 0x1000, "the same number for another identity: %u", limits[3].mark);
}

/* Two names with one hash. */
static void test_collision(void)
{
	rl_limit limits[] = {window(2, 60), window(5, 60)};

	rl_limits_mark(limits, (const char *[]){"a4", "a11"}, N(limits));
	check(limits[0].mark == 1 + 0 + 8 * 2 && limits[1].mark == 1 + 1 + 8 * 2, "a collision: %u, %u", limits[0].mark,
		limits[1].mark);
}

int main(void)
{
	test_names();
	test_places();
	test_collision();
	return checks_report();
}
