-- src/redis/lua/limiter: The same arithmetic as in src/core, in Lua.
--
-- Fragment 1 of the limiters' script: reads the request, the state's bytes and the time.
--
-- The build joins the fragments in the order of their numbers into one chunk, whose locals they share. 10 is the request, 20 to 25
-- are the steps of the algorithms, 30 the usual calls, 35 the states, 40 to 45 the rest of the algorithms. 80 is the question, 90
-- every other call, 95 permits.
-- docs/semantics.md defines each number of an answer; src/core is the same in C.
--
-- KEYS     the state; of limits with identities of their own, the state of each identity
-- ARGV[1]  packed:
--          nonce (6 bytes), version, op, the sum of 2^(7 - algorithm) over the limits' algorithms, the moment to book, ban kind
--          (0 none, 1 for, 2 until), ban in us. In the place of the moment a lease has the most permits to lease, and in units of
--          LEASE_VALID the us for which they are valid at most. A peek has AS_IS there if what each limit has left is wanted as it
--          is, not after the call.
--          With DEBTS added to the op, the number of limits follows. Of each: how many permits a machine has admitted without Redis,
--          and the us since the first of them. They are counted first, whatever the limits are.
--          An op of a permit, or with PARTS added, then has how much must remain, and the least cost that is enough (0: all of it).
--          The longest wait in us, the permit's number, the time to renew for in us (0: each limit's period), and the number of parts
--          follow.
--          Each part, one for each limit of settle, release and renew: tag, place, the us by which a bucket's TAT was moved, the
--          cost that was charged.
--          Each limit: its word, number, rate, cost, period in us, its ban kind and, in units of KEYS_FROM, the index of its key from 0
--          on. The word is its algorithm and, in units of MARKS, its mark. A calendar window's period is its Period, and its boundaries
--          b0 b1 b2 follow. Of a ban kind above 0 the ban in us follows. Ban kind 3, bans that escalate: that is the time after which
--          they are forgotten; their number and their times in us follow. A cost of 0 skips the limit, but not for settle, and for a
--          peek only beside a cost above 0.
-- Returns  packed: nonce, now in us, reason (or STALE), limit index, retry after in us (-1: never; accepted: until a call with a
--          cost of 1 passes), found (lease: permits leased beside the cost; banned: 1 if this call begins the ban).
--          Then remaining and reset after in us. A usual decision about several limits lacks both: they are those of the limit, below.
--          A decision about several limits then has of each limit what it has left, and in how many us it has all its permits
--          again: after the call, or as it is if the call is refused. So has one about one limit if a ban runs or a level is above
--          0, and one with AS_IS. If a ban runs or a level is above 0, each key follows: the us until its ban ends (0: none runs),
--          its level, and the us until that is forgotten.
--          A permit's op, or one with PARTS: then the cost that was counted and the wait in us. An acquire that is admitted then has
--          of each limit its tag, its place, the us by which a bucket's TAT was moved.
--
-- The script reads and judges everything before its writes, at the end: Redis rolls nothing back.
--
-- Each call creates the script's tables and functions anew, and Redis collects them afterwards. That costs more than the
-- arithmetic. So what few calls need comes behind the point where most calls return.
local VERSION = 1 -- of requests and of states; 30_usual.lua has it in '\1\1' and '\1\3', too
local CONSUME, PEEK, LEASE, ACQUIRE = 1, 2, 9, 10
local ACCEPTED, LIMITED = 0, 1
local LIMIT, BOUNDS = '<I2I5I5I5I7B', '<I7I7I7'
local LIMIT_BYTES, MARKS, KEYS_FROM = 25, 8, 4
local LEASE_SHARE, LEASE_VALID, AS_IS = 8, 2 ^ 24, 1
local AT, BAN_AT, LIMITS_AT = 10, 17, 25
-- The ends in the state decide, and the expiry only cleans up, so much later: a clock that was ahead of a calendar and is set
-- back finds the count of its window again.
local KEPT_MS, CALENDAR_KEPT_MS = 1000, 60000

local key, request = KEYS[1], ARGV[1]
local from_bytes, to_bytes = struct.unpack, struct.pack
local nonce, version, op, needed = from_bytes('<c6BBB', request)
if version ~= VERSION then
	return {err = 'RATELIMIT_NEWER the request is of another version of ratelimit than the script'}
end
local at = op ~= CONSUME and from_bytes('<I7', request, AT)

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
