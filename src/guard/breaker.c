#include "breaker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../shm/clock.h"
#include "../shm/segment.h"

void (*rl_breaker_report)(const char *line);

/* The state's words. a: 0 while it is asked; else the moment of the next try, in us of the segment's time, and whether
 * somebody is trying. b: since when it is so, or not so. */
#define PROBING   UINT64_C(1)
#define REFUSED   UINT64_C(2)
#define MOMENT_AT 2

/* A next try further away than the longest delay has not been written by us, or before a clock that began anew. */
#define NEXT_MAX_US (2 * INT64_C(3600) * RL_US_PER_SECOND)

#define MESSAGE_MAX 512

typedef struct {
	uint64_t word;
	int64_t since_us;
} sight;

static int64_t now_us(void)
{
	return rl_segment_us(&rl_shm, rl_clock_true_us());
}

/* The two words as they stood together. */
static sight look(const rl_breaker *breaker)
{
	sight s;
	uint64_t again;

	do {
		s.word = rl_load(&breaker->state.a);
		s.since_us = (int64_t) rl_load(&breaker->state.b);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		again = rl_load(&breaker->state.a);
	} while (s.word != again);
	return s;
}

static bool change(rl_breaker *breaker, sight from, uint64_t word, int64_t since_us)
{
	return rl_pair_cas(&breaker->state, from.word, (uint64_t) from.since_us, word, (uint64_t) since_us);
}

static int64_t next_us(uint64_t word)
{
	return (int64_t) (word >> MOMENT_AT);
}

static bool is_due(uint64_t word, int64_t now)
{
	return next_us(word) <= now || next_us(word) > now + NEXT_MAX_US;
}

/* Up to a sixteenth more than is asked for, so that machines that lost the same server do not come back in step. */
static uint64_t word_of(int64_t now, int64_t delay_us, uint64_t flags)
{
	uint64_t mixed = (uint64_t) now * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t) (uintptr_t) &rl_shm.hash_kind;
	int64_t jitter_us = (int64_t) ((mixed >> 32) % (uint64_t) (delay_us / 16 + 1));

	return (uint64_t) (now + delay_us + jitter_us) << MOMENT_AT | flags;
}

static void say(const char *format, const rl_breaker *breaker, const char *text)
{
	char line[2 * MESSAGE_MAX], label[RL_BREAKER_LABEL_MAX];

	if (rl_breaker_report != NULL) {
		rl_breaker_read_text(breaker->label, sizeof label, label);
		snprintf(line, sizeof line, format, label, text);
		rl_breaker_report(line);
	}
}

static void say_away(const rl_breaker *breaker, rl_attempt_result how, const char *why, const char *on_failure)
{
	char text[MESSAGE_MAX];

	snprintf(text, sizeof text, "%s (%.300s): on_failure=%s decides",
		how == RL_ATTEMPT_REJECTED ? "refuses us" : "is away", why, on_failure);
	say("ratelimit: Redis at %s %s", breaker, text);
}

static void say_back(const rl_breaker *breaker, int64_t away_us)
{
	char text[64];

	snprintf(text, sizeof text, "%" PRId64 ".%" PRId64, away_us / RL_US_PER_SECOND,
		away_us % RL_US_PER_SECOND / 100000);
	say("ratelimit: Redis at %s is back after %s s", breaker, text);
}

static rl_status tell_away(const rl_breaker *breaker, sight s, int64_t now, rl_error *e)
{
	char label[RL_BREAKER_LABEL_MAX], reason[RL_BREAKER_REASON_MAX];
	int64_t away_ms = (now - s.since_us) / RL_US_PER_MS;
	int64_t left_ms = (next_us(s.word) - now + RL_US_PER_MS - 1) / RL_US_PER_MS;

	rl_breaker_read_text(breaker->label, sizeof label, label);
	rl_breaker_read_text(breaker->reason, sizeof reason, reason);
	snprintf(e->message, sizeof e->message,
		"Redis at %.100s: %s since %" PRId64 " ms, next try in %" PRId64 " ms (%.70s)", label,
		(s.word & REFUSED) != 0 ? "refuses us" : "away", away_ms < 0 ? 0 : away_ms, left_ms, reason);
	return (s.word & REFUSED) != 0 ? RL_MISCONFIGURED : RL_UNAVAILABLE;
}

rl_status rl_breaker_allow(rl_breaker *breaker, int64_t probe_timeout_us, rl_attempt *attempt, rl_error *e)
{
	attempt->breaker = breaker;
	attempt->probe = false;
	for (;;) {
		int64_t now = now_us();
		sight s;

		attempt->began_us = now;
		if (breaker == NULL) {
			return RL_OK;
		}
		s = look(breaker);
		if (RL_LIKELY(s.word == 0)) {
			return RL_OK;
		}
		if (!is_due(s.word, now)) {
			return tell_away(breaker, s, now, e);
		}
		/* Nothing is held: should this worker die, or be stopped, another one tries then. */
		if (change(breaker, s, word_of(now, probe_timeout_us, PROBING | (s.word & REFUSED)), s.since_us)) {
			attempt->probe = true;
			return RL_OK;
		}
	}
}

/* A lost update of an average costs nothing. */
static void take_latency(rl_breaker *breaker, int64_t took_us)
{
	int64_t took_ns = took_us * 1000;
	int64_t average = (int64_t) rl_load(&breaker->latency_ns);

	average = average == 0 ? took_ns : average + (took_ns - average) / 16;
	__atomic_store_n(&breaker->latency_ns, (uint64_t) average, __ATOMIC_RELAXED);
}

static void went_well(rl_breaker *breaker, const rl_attempt *attempt, int64_t now)
{
	sight s = look(breaker);

	take_latency(breaker, now - attempt->began_us);
	/* An answer to a question of before the failure is older news than the failure: only a try closes it. */
	while (RL_UNLIKELY(attempt->probe && s.word != 0) && (s.since_us <= attempt->began_us || s.since_us > now)) {
		if (change(breaker, s, 0, now)) {
			say_back(breaker, now - s.since_us);
			return;
		}
		s = look(breaker);
	}
}

static void went_wrong(rl_breaker *breaker, const rl_attempt *attempt, rl_attempt_result how, const char *why,
	int64_t now, int64_t retry_delay_us, const char *on_failure)
{
	uint64_t refused = how == RL_ATTEMPT_REJECTED ? REFUSED : 0;

	__atomic_fetch_add(&breaker->failures, 1, __ATOMIC_RELAXED);
	for (;;) {
		sight s = look(breaker);

		if (s.word == 0) {
			/* Older news than that it is back. */
			if (attempt->began_us < s.since_us && s.since_us <= now) {
				return;
			}
			rl_breaker_write_text(breaker->reason, sizeof breaker->reason, why);
			if (change(breaker, s, word_of(now, retry_delay_us, refused), now)) {
				say_away(breaker, how, why, on_failure);
				return;
			}
		} else if (attempt->probe) {
			rl_breaker_write_text(breaker->reason, sizeof breaker->reason, why);
			if (change(breaker, s, word_of(now, retry_delay_us, refused), s.since_us)) {
				return;
			}
		} else {
			return; /* another has said so */
		}
	}
}

/* Without what every line and message begins with anyway. */
static const char *without_label(const rl_breaker *breaker, const char *why)
{
	static const char begin[] = "Redis at ";
	char label[RL_BREAKER_LABEL_MAX];
	size_t n;

	rl_breaker_read_text(breaker->label, sizeof label, label);
	n = strlen(label);
	if (strncmp(why, begin, sizeof begin - 1) == 0 && strncmp(why + sizeof begin - 1, label, n) == 0
		&& strncmp(why + sizeof begin - 1 + n, ": ", 2) == 0) {
		return why + sizeof begin - 1 + n + 2;
	}
	return why;
}

void rl_breaker_record(rl_breaker *breaker, const rl_attempt *attempt, rl_attempt_result how, const char *why,
	int64_t retry_delay_us, const char *on_failure)
{
	int64_t now;

	if (breaker == NULL) {
		return;
	}
	now = now_us();
	if (RL_LIKELY(how == RL_ATTEMPT_OK)) {
		went_well(breaker, attempt, now);
	} else {
		went_wrong(breaker, attempt, how, without_label(breaker, why), now, retry_delay_us, on_failure);
	}
}

void rl_breaker_snapshot(const rl_breaker *breaker, rl_breaker_info *facts)
{
	sight s = look(breaker);
	int64_t now = now_us();
	int64_t since_us = now - s.since_us;

	rl_breaker_read_text(breaker->label, sizeof facts->label, facts->label);
	facts->state = s.word == 0                            ? RL_BREAKER_CLOSED
		: (s.word & PROBING) != 0 && !is_due(s.word, now) ? RL_BREAKER_HALF_OPEN
														  : RL_BREAKER_OPEN;
	facts->since_us = since_us < 0 ? 0 : since_us;
	facts->failures = __atomic_load_n(&breaker->failures, __ATOMIC_RELAXED);
	facts->latency_ns = (int64_t) rl_load(&breaker->latency_ns);
}
