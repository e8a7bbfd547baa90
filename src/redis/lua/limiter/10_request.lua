-- Fragment 1 of the limiters' script: reads the request, the state's bytes and the time.
--
-- The build joins the fragments in the order of their numbers into one chunk, whose locals they share: 10 the request, 20 to 25
-- the step of each algorithm, 30 the usual calls, 35 states, 40 to 45 the rest of the algorithms, 80 the question, 90 every other
-- call, 95 permits.
-- docs/semantics.md defines each number of an answer; src/core is the same in C.
--
-- KEYS     the state; of limits with identities of their own, the state of each identity
-- ARGV[1]  packed: nonce (6 bytes), op, cost, the moment to book (lease: the most permits to lease, and in units of
--          LEASE_VALID the us for which they are valid at most), ban kind (0 none,
--          1 for, 2 until), ban in us; then of each limit: algorithm, number, rate, ban kind, ban in us, period in us (a
--          calendar window's: Period), mark (2 bytes), and a calendar window's boundaries b0 b1 b2. Ban kind 3, bans that escalate: the ban in us is the time
--          after which they are forgotten; their number and their times in us follow.
--          An op of a permit, or with PARTS added, has a block before the limits: how much must remain, the least cost that
--          is enough (0: all of it), the longest wait in us, the permit's number, the time to renew for in us (0: each
--          limit's period), the number of parts.
--          A part follows for each limit of settle, release and renew: tag, place, the us by which a bucket's TAT was moved,
--          the cost that was charged.
--          With WIDE added to the op, each number and cost takes 6 bytes, also in the answer. The cost of the head is then none: each
--          limit has its own behind its mark, and the index of its key from 0 on. A cost of 0 skips the limit, but not for
--          settle, and for a peek only beside a cost above 0.
-- Returns  packed: nonce, now in us, reason (or STALE), limit index, remaining, retry after in us (-1: never; accepted: until a
--          call with a cost of 1 passes), reset after in us, found (lease: permits leased beside the cost; banned: 1 if this
--          call begins the ban).
--          With that block, the cost that was counted and the wait in us follow. An acquire that is admitted then has of
--          each limit: tag, place, the us by which a bucket's TAT was moved. A level above 0 follows at the end.
--
-- The script reads and judges everything before its writes, at the end: Redis rolls nothing back.
--
-- Each call creates the script's tables and functions anew, and Redis collects them afterwards. That costs more than the
-- arithmetic. So what few calls need comes behind the point where most calls return.
local CONSUME, PEEK, LEASE, ACQUIRE = 1, 2, 9, 10
local ACCEPTED, LIMITED = 0, 1
local LIMIT, BOUNDS = '<BI3I3BI7I7I2', '<I7I7I7'
local LEASE_SHARE, LEASE_VALID = 8, 2 ^ 24
local BAN_AT, LIMITS_AT = 18, 26
-- The ends in the state decide, and the expiry only cleans up, so much later: a clock that was ahead of a calendar and is set
-- back finds the count of its window again.
local KEPT_MS, CALENDAR_KEPT_MS = 1000, 60000

local key, request = KEYS[1], ARGV[1]
local from_bytes, to_bytes = struct.unpack, struct.pack
local nonce, op, cost, at = from_bytes('<c6BI3I7', request)

-- pcall returns an error as Redis reported it. An error that is raised would be wrapped in the script's name.
local call = redis.pcall

local value = call('GET', key)
if value and value.err then
	return value
end
local time = call('TIME')
if time.err then
	return time
end
local now = time[1] * 1000000 + time[2]

-- A question of one limit alone needs its algorithm's step, and any other question may need all of them.
local LIMIT_BYTES = 24
local only = op < ACQUIRE and #request < LIMITS_AT + 2 * LIMIT_BYTES - 1 and #request > LIMITS_AT and string.byte(request, LIMITS_AT)
local fixed_window, calendar_window, sliding_log, sliding_window, token_bucket, concurrent, mul_div
