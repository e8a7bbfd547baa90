#include "breaker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../compiler.h"
#include "../shm/store/shm.h"

void (*rl_breaker_report)(const char *line);

/* The state's word: 0 while the breaker is closed; else the moment of the next try, in us of the segment's time, the number
 * of probes that failed, and two flags. */
#define PROBING   UINT64_C(1)
#define REJECTED  UINT64_C(2)
#define TRIES_AT  2
#define TRIES_MAX UINT64_C(15)
#define MOMENT_AT 6

/* The first probe comes so soon, each further one twice as late, up to the store's retry_delay: most pauses of a server are
 * short. */
#define FIRST_TRY_US (100 * RL_US_PER_MS)

/* So many failures among the last 64 requests open the breaker, also where others were answered: each of them made its caller
 * wait for the whole timeout. */
#define FAILURES_OF_64 8

/* The bound of a next try: twice the longest delay. A later one is damage, or its clock has begun anew. */
#define NEXT_MAX_US (2 * INT64_C(3600) * RL_US_PER_SECOND)

#define MESSAGE_MAX 512

static int64_t next_try_us(uint64_t word)
{
	return (int64_t) (word >> MOMENT_AT);
}

static uint64_t failed_tries(uint64_t word)
{
	return word >> TRIES_AT & TRIES_MAX;
}

static bool is_due(uint64_t word, int64_t now)
{
	return next_try_us(word) <= now || next_try_us(word) > now + NEXT_MAX_US;
}

/* Adds up to a sixteenth to the delay: machines that lost the same server together do not come back together. */
static uint64_t word_of(int64_t now, int64_t delay_us, uint64_t flags)
{
	uint64_t mixed = (uint64_t) now * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t) (uintptr_t) &rl_breaker_report;
	int64_t jitter_us = (int64_t) ((mixed >> 32) % (uint64_t) (delay_us / 16 + 1));

	return (uint64_t) (now + delay_us + jitter_us) << MOMENT_AT | flags;
}

/* ---- What the log and the callers read ---- */

static void breaker_report(const rl_breaker_call *call, const char *format, const char *text)
{
	char line[2 * MESSAGE_MAX];

	if (rl_breaker_report != NULL) {
		snprintf(line, sizeof line, format, call->server->label, text);
		rl_breaker_report(line);
	}
}

static void report_away(const rl_breaker_call *call, rl_attempt_result result, const char *why, const char *on_failure)
{
	char text[MESSAGE_MAX];

	snprintf(text, sizeof text, "%s (%.300s): on_failure=%s decides",
		result == RL_ATTEMPT_REJECTED ? "refuses us" : "is away", why, on_failure);
	breaker_report(call, "ratelimit: Redis at %s %s", text);
}

static void report_back(const rl_breaker_call *call, int64_t away_us)
{
	char text[64];

	snprintf(text, sizeof text, "%" PRId64 ".%" PRId64, away_us / RL_US_PER_SECOND,
		away_us % RL_US_PER_SECOND / 100000);
	breaker_report(call, "ratelimit: Redis at %s is back after %s s", text);
}

/* Fills in why the breaker is open, and returns the status of the last failure. */
static rl_status deny_call(const rl_breaker_call *call, const rl_breaker_words *w, int64_t now, rl_error *e)
{
	char reason[RL_BREAKER_REASON_MAX];
	int64_t away_ms = (now - w->since_us) / RL_US_PER_MS;
	int64_t left_ms = (next_try_us(w->word) - now + RL_US_PER_MS - 1) / RL_US_PER_MS;
	bool rejected = (w->word & REJECTED) != 0;

	rl_breaker_get_reason(call->place, reason);
	snprintf(e->message, sizeof e->message,
		"Redis at %.100s: %s since %" PRId64 " ms, next try in %" PRId64 " ms (%.70s)", call->server->label,
		rejected ? "refuses us" : "away", away_ms < 0 ? 0 : away_ms, left_ms, reason);
	return rejected ? RL_MISCONFIGURED : RL_UNAVAILABLE;
}

/* ---- Before the call ---- */

rl_status rl_breaker_allow(const rl_breaker_name *server, int64_t probe_timeout_us, rl_breaker_call *call, rl_error *e)
{
	call->server = server;
	call->probe = false;
	for (;;) {
		int64_t now = rl_shm_now_us();
		rl_breaker_words w;

		call->began_us = now;
		call->place = server != NULL && server->id != 0 ? rl_breaker_place(server, now) : NULL;
		if (call->place == NULL) {
			return RL_OK;
		}
		if (!rl_breaker_load(call->place, server->id, &w)) {
			continue; /* another server has just taken the place over */
		}
		if (RL_LIKELY(w.word == 0)) {
			return RL_OK;
		}
		if (!is_due(w.word, now)) {
			return deny_call(call, &w, now, e);
		}
		/* No lock is taken: if this worker dies or stops, another one probes at that moment. */
		if (rl_breaker_cas(call->place, &w,
				word_of(now, probe_timeout_us, PROBING | (w.word & (REJECTED | TRIES_MAX << TRIES_AT))), w.since_us)) {
			call->probe = true;
			return RL_OK;
		}
	}
}

/* ---- After the call ---- */

/* Only a probe closes the breaker: any other answer may belong to a question that is older than the failure. */
static void record_success(const rl_breaker_call *call, int64_t now)
{
	rl_breaker_words w;

	rl_breaker_add_answer(call->place, now, (now - call->began_us) * 1000);
	while (RL_UNLIKELY(call->probe) && rl_breaker_load(call->place, call->server->id, &w) && w.word != 0
		&& (w.since_us <= call->began_us || w.since_us > now)) {
		if (rl_breaker_cas(call->place, &w, 0, now)) {
			rl_breaker_forget_results(call->place);
			report_back(call, now - w.since_us);
			return;
		}
	}
}

/* Returns whether a failure says that the server is away, not that one reply was late or lost. Silence says so: this request
 * failed and the one before it, and nobody was answered since this one began, or nobody ever was. Too many failures do, too. A
 * moment in the future is damage. */
static bool is_away(const rl_breaker_call *call, const rl_breaker_results *r, int64_t now)
{
	bool answered = r->answered_us > 0 && r->answered_us <= now;

	return !answered || (r->answered_us < call->began_us && (r->failed & 3) == 3)
		|| __builtin_popcountll(r->failed) >= FAILURES_OF_64;
}

/* Returns the word of a breaker that a failure opens, or keeps open: was is the word before. */
static uint64_t open_word(uint64_t was, rl_attempt_result result, int64_t now, int64_t retry_delay_us)
{
	uint64_t tries = was == 0 ? 0 : failed_tries(was) + 1;
	int64_t delay_us = FIRST_TRY_US << tries;

	if (result == RL_ATTEMPT_REJECTED) {
		return word_of(now, retry_delay_us, REJECTED);
	}
	return word_of(now, delay_us < retry_delay_us ? delay_us : retry_delay_us,
		(tries < TRIES_MAX ? tries : TRIES_MAX) << TRIES_AT);
}

static void record_failure(const rl_breaker_call *call, rl_attempt_result result, const char *why, int64_t now,
	int64_t retry_delay_us, const char *on_failure)
{
	rl_breaker_results results = rl_breaker_add_failure(call->place);
	rl_breaker_words w;

	/* False after longer than any question takes: then the place belongs to another server. */
	while (rl_breaker_load(call->place, call->server->id, &w)) {
		if (w.word != 0 && !call->probe) {
			return; /* another worker has opened it */
		}
		if (w.word == 0 && call->began_us < w.since_us && w.since_us <= now) {
			return; /* the question is older than the answer that closed it */
		}
		if (w.word == 0 && result == RL_ATTEMPT_FAILED && !is_away(call, &results, now)) {
			return;
		}
		rl_breaker_set_reason(call->place, why);
		if (rl_breaker_cas(call->place, &w, open_word(w.word, result, now, retry_delay_us),
				w.word == 0 ? now : w.since_us)) {
			if (w.word == 0) {
				report_away(call, result, why, on_failure);
			}
			return;
		}
	}
}

/* Returns the reason without its beginning, "Redis at LABEL: ": every line and message has it already. */
static const char *without_label(const rl_breaker_call *call, const char *why)
{
	static const char begin[] = "Redis at ";
	size_t n = strlen(call->server->label);

	if (strncmp(why, begin, sizeof begin - 1) == 0 && strncmp(why + sizeof begin - 1, call->server->label, n) == 0
		&& strncmp(why + sizeof begin - 1 + n, ": ", 2) == 0) {
		return why + sizeof begin - 1 + n + 2;
	}
	return why;
}

void rl_breaker_record(const rl_breaker_call *call, rl_attempt_result result, const char *why, int64_t retry_delay_us,
	const char *on_failure)
{
	if (call->place == NULL) {
		return;
	}
	if (RL_LIKELY(result == RL_ATTEMPT_OK)) {
		record_success(call, rl_shm_now_us());
	} else {
		record_failure(call, result, without_label(call, why), rl_shm_now_us(), retry_delay_us, on_failure);
	}
}

void rl_breaker_snapshot(const rl_breaker *breaker, rl_breaker_info *info)
{
	int64_t now = rl_shm_now_us();
	int64_t since_us;
	uint64_t word;

	rl_breaker_read(breaker, &info->facts);
	word = info->facts.words.word;
	since_us = now - info->facts.words.since_us;
	info->since_us = since_us < 0 ? 0 : since_us;
	info->state = word == 0                           ? RL_BREAKER_CLOSED
		: (word & PROBING) != 0 && !is_due(word, now) ? RL_BREAKER_HALF_OPEN
													  : RL_BREAKER_OPEN;
}
