/* The marks of a limiter's limits (core/limit/limit_mark.h). The polyfill's MarkTest has the same numbers. */
#include "check.h"

#include "src/core/limit/limit_mark.h"

#define N(array) (sizeof(array) / sizeof *(array))

static rl_limit window(uint64_t number, int64_t period_us)
{
	return (rl_limit){.algorithm = RL_FIXED_WINDOW, .limit = number, .period_us = period_us};
}

static void mark(rl_limit *limits, const char *const *names, unsigned n)
{
	rl_limits_mark(limits, names, (const char *[RL_LIMITS_MAX]){NULL}, n);
}

static void test_names(void)
{
	rl_limit limits[] = {window(2, 60), window(5, 60), window(2, 60), window(2, 3600)};

	mark(limits, (const char *[]){"requests", "tokens", NULL, NULL}, N(limits));
	check(limits[0].mark == 0x1c7e, "requests: %#x", limits[0].mark);
	check(limits[1].mark == 0x18b8, "tokens: %#x", limits[1].mark);
	check(limits[2].mark == 0xcd9, "a limit of 2: %#x", limits[2].mark);
	check(limits[3].mark == limits[2].mark, "a limit of 2 in another period: %#x", limits[3].mark);
}

static void test_places(void)
{
	rl_limit limits[] = {window(2, 60), window(5, 60), window(2, 60), window(2, 60)};

	limits[3].identity = 1;
	mark(limits, (const char *[]){NULL, NULL, NULL, NULL}, N(limits));
	check(limits[0].mark == 1 + 0 + 8 * 3, "the first of two with a number: %u", limits[0].mark);
	check(limits[1].mark >= 0x800, "a number of its own: %u", limits[1].mark);
	check(limits[2].mark == 1 + 2 + 8 * 3, "the second of two with a number: %u", limits[2].mark);
	check(limits[3].mark >= 0x800, "the same number for another identity: %u", limits[3].mark);
}

/* Two names with one hash. */
static void test_collision(void)
{
	rl_limit limits[] = {window(2, 60), window(5, 60)};

	mark(limits, (const char *[]){"a4", "a11"}, N(limits));
	check(limits[0].mark == 1 + 0 + 8 * 2 && limits[1].mark == 1 + 1 + 8 * 2, "a collision: %u, %u", limits[0].mark,
		limits[1].mark);
}

static void test_zones(void)
{
	rl_limit limits[] = {{.algorithm = RL_CALENDAR_WINDOW, .limit = 5, .period = RL_DAY},
		{.algorithm = RL_CALENDAR_WINDOW, .limit = 5, .period = RL_DAY}};
	uint32_t first;

	rl_limits_mark(limits, (const char *[]){NULL, NULL}, (const char *[]){"Asia/Shanghai", "UTC"}, 2);
	first = limits[0].mark;
	check(first == 0xa94 && limits[1].mark != first, "two days: %#x, %#x", first, limits[1].mark);
	rl_limits_mark(limits, (const char *[]){NULL, NULL}, (const char *[]){"UTC", "Asia/Shanghai"}, 2);
	check(limits[1].mark == first, "in another order");
}

int main(void)
{
	test_zones();
	test_names();
	test_places();
	test_collision();
	return checks_report();
}
