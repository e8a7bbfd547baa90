/* The size classes of records, in units. A log of 100 moments within an hour and a sliding window fill theirs: 16 and 7 units. */
#ifndef RL_SHM_SIZE_CLASSES_H
#define RL_SHM_SIZE_CLASSES_H

#include <stdint.h>

static const uint32_t rl_class_units[] = {
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	10,
	12,
	16,
	18,
	22,
	27,
	32,
	39,
	46,
	56,
	64,
	85,
	102,
	128,
	170,
	256,
	512,
	/* from here on a record takes a run of pages */
	1024,
	1536,
	2048,
	2560,
	3072,
	4096,
	5120,
	6144,
	8192,
	10240,
	12288,
	16384,
	20992,
};

#define RL_CLASSES ((unsigned) (sizeof rl_class_units / sizeof rl_class_units[0]))

#endif
