-- Answers a limiter's question: several limits decided together, in one step.
--
-- KEYS[1]  the state
-- ARGV     nonce, op, cost, the moment to book (lease: how many permits more, at most), ban kind (0 none, 1 for, 2 until), ban in us; then of each limit:
--          algorithm, number, rate, period in us, Period, the boundaries b0 b1 b2, ban kind, ban in us
-- Returns  nonce, now in us, reason (or STALE), limit index, remaining, retry after in us (-1: never), reset after in
--          us, found (lease: permits handed out beside the cost)
--
-- All is read and judged before the one write at the end: Redis takes nothing back.
local CONSUME, PEEK, RESERVE, CANCEL, REFUND, BAN, UNBAN, RESET, LEASE = 1, 2, 3, 4, 5, 6, 7, 8, 9
local ACCEPTED, LIMITED, BANNED, TOO_EXPENSIVE, STALE = 0, 1, 2, 3, 10
local CALENDAR_WINDOW = 2
local BAN_FOR, BAN_UNTIL = 1, 2
local QUESTION, LIMIT = 6, 10 -- arguments
local OTHERS_MAX = 8
local LEASE_SHARE = 8

-- ---- What was asked ----

local op, cost, at = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local booking = op == RESERVE or op == CANCEL

local limits = {}
for i = QUESTION, #ARGV - LIMIT, LIMIT do
	local n = {}
	for j = 1, LIMIT do
		n[j] = tonumber(ARGV[i + j])
	end
	local calendar = n[1] == CALENDAR_WINDOW
	limits[#limits + 1] = {
		algorithm = n[1], number = n[2], rate = n[3], period = calendar and n[5] or n[4],
		bounds = {n[6], n[7], n[8]}, ban_kind = n[9], ban_us = n[10],
	}
end

-- ---- What is known ----

-- pcall: an error is answered as Redis gave it. Raised, it would come wrapped in the name of the script.
local value = redis.pcall('GET', KEYS[1])
if type(value) == 'table' then
	return value
end
local time = redis.pcall('TIME')
if time.err then
	return time
end
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local state = {slots = {}}
if value then
	local ours
	ours, state = pcall(read_state, value)
	if not ours then
		return {err = 'RATELIMIT_FOREIGN the key holds something that is not a limiter\'s state'}
	end
end

local leased = 0

local function answer(reason, limit, remaining, retry, reset, found)
	return {tonumber(ARGV[1]), now, reason, limit - 1, remaining, retry, math.max(0, reset), found and 1 or leased}
end

if op <= REFUND or op == LEASE then
	for _, limit in ipairs(limits) do
		local t = booking and at or now
		if limit.algorithm == CALENDAR_WINDOW and (t < limit.bounds[1] or t >= limit.bounds[booking and 2 or 3]) then
			return answer(STALE, 1, 0, 0, 0)
		end
	end
end

local ban = state.ban and state.ban['end'] > now and state.ban or nil

-- ---- Which slot is whose ----

local cases, others = {}, {}
local n_slots = 0
do
	local free = {}
	for _, slot in ipairs(state.slots) do
		if algorithms[slot.algorithm].over_at(slot) > now then
			n_slots = n_slots + 1
			free[n_slots] = slot
		end
	end
	for i, limit in ipairs(limits) do
		cases[i] = {limit = limit, now = now, at = booking and at or now, booking = booking, cost = cost}
	end
	local function take(same_period)
		for i, limit in ipairs(limits) do
			for j = 1, n_slots do
				local slot = free[j]
				if not cases[i].slot and slot and slot.algorithm == limit.algorithm
						and (not same_period or algorithms[limit.algorithm].fits(slot, limit)) then
					cases[i].slot, free[j] = slot, false
				end
			end
		end
	end
	take(true)
	take(false)
	for j = 1, n_slots do
		if free[j] and #others < OTHERS_MAX then
			others[#others + 1] = free[j]
		end
	end
end

local function ask(i, what, ...)
	return algorithms[limits[i].algorithm][what](cases[i], ...)
end

-- Puts a slot into a case, unless it is over.
local function keep(i, slot)
	slot.algorithm = limits[i].algorithm
	cases[i].slot = algorithms[slot.algorithm].over_at(slot) > now and slot or nil
end

-- ---- The one write ----

-- Writes what the cases, the others and the ban are now. Returns the error, if Redis refused it.
local function write()
	local slots, over = {}, ban and ban['end'] or 0
	for i = 1, #cases do
		slots[#slots + 1] = cases[i].slot
	end
	for _, slot in ipairs(others) do
		slots[#slots + 1] = slot
	end
	for _, slot in ipairs(slots) do
		over = math.max(over, algorithms[slot.algorithm].over_at(slot))
	end
	local done
	if ban or slots[1] then
		-- The ends in the state decide; the expiry only tidies up, a second later.
		local expiry = string.format('%.0f', math.ceil(over / 1000) + 1000)
		done = redis.pcall('SET', KEYS[1], write_state({ban = ban, slots = slots}), 'PXAT', expiry)
	elseif value then
		done = redis.pcall('DEL', KEYS[1])
	end
	return type(done) == 'table' and done.err and done or nil
end

-- ---- What is told ----

local function tell(i, reason, retry)
	local remaining = math.max(0, limits[i].number - ask(i, 'used'))
	return answer(reason, i, remaining, retry, ask(i, 'whole_at') - now)
end

-- The first moment from t on at which all limits would admit the cost.
local function all_earliest(t)
	repeat
		local before = t
		for i = 1, #limits do
			t = ask(i, 'earliest', t)
		end
	until t == before
	return t
end

local function tell_ban(i)
	return answer(BANNED, i, 0, all_earliest(ban['end']) - now, ban['end'] - now)
end

-- The limit that began the ban; else the first of its algorithm; else the first.
local function banning_limit()
	local alike
	for i, limit in ipairs(limits) do
		if limit.algorithm == ban.algorithm then
			if limit.period == ban.period and limit.rate == ban.rate then
				return i
			end
			alike = alike or i
		end
	end
	return alike or 1
end

-- ---- The questions ----

local function ban_end(kind, us)
	return kind == BAN_FOR and now + us or kind == BAN_UNTIL and us or 0
end

-- What is handed out beyond the cost: a share of what is left, so that the batches shrink as it runs out and no machine
-- sits on much that others want.
local function lease()
	local left = limits[1].number - ask(1, 'used') - cost
	leased = math.max(0, math.min(at, math.floor(left / LEASE_SHARE)))
	cases[1].cost = cost + leased
end

local function admit_all()
	local tightest, least
	if op == LEASE then
		lease()
	end
	for i = 1, #limits do
		keep(i, ask(i, 'admit'))
		local remaining = math.max(0, limits[i].number - ask(i, 'used'))
		if not least or remaining < least then
			tightest, least = i, remaining
		end
	end
	return op ~= PEEK and write() or tell(tightest, ACCEPTED, 0)
end

-- Of the limits that refuse, the one whose ban ends last begins it. Nil: none of them bans.
local function begin_ban(earliest)
	local which, last = nil, now
	for i, limit in ipairs(limits) do
		local over = ban_end(limit.ban_kind, limit.ban_us)
		if earliest[i] > now and over > last then
			which, last = i, over
		end
	end
	if not which then
		return nil
	end
	local limit = limits[which]
	cases[which].slot = nil
	ban = {['end'] = last, algorithm = limit.algorithm, rate = limit.rate, period = limit.period}
	return op ~= PEEK and write() or tell_ban(which)
end

-- consume, peek and reserve
local function decide()
	local from = cases[1].at
	for i, limit in ipairs(limits) do
		if cost > limit.number then
			return tell(i, TOO_EXPENSIVE, -1)
		end
	end
	if ban and from < ban['end'] then
		return tell_ban(banning_limit())
	end
	local earliest, latest = {}, 1
	for i = 1, #limits do
		earliest[i] = ask(i, 'earliest', from)
		if earliest[i] > earliest[latest] then
			latest = i
		end
	end
	if earliest[latest] == from then
		for i = 1, booking and #limits or 0 do
			local room_at = algorithms[limits[i].algorithm].room_at and ask(i, 'room_at') or 0
			if room_at > now then
				return tell(i, LIMITED, room_at - now)
			end
		end
		return admit_all()
	end
	return not booking and begin_ban(earliest) or tell(latest, LIMITED, all_earliest(from) - now)
end

local function cancel()
	for i, limit in ipairs(limits) do
		local slot = cases[i].slot and algorithms[limit.algorithm].cancel and ask(i, 'cancel')
		if not slot then
			return answer(ACCEPTED, 1, 0, 0, 0, false)
		end
		keep(i, slot)
	end
	return write() or answer(ACCEPTED, 1, 0, 0, 0, true)
end

if op == CONSUME or op == PEEK or op == RESERVE or op == LEASE then
	return decide()
elseif op == CANCEL then
	return cancel()
end

local found, changes = false, false
if op == REFUND then
	for i = 1, #limits do
		if cases[i].slot then
			changes = true
			keep(i, ask(i, 'refund'))
		end
	end
elseif op == BAN then
	local over = ban_end(tonumber(ARGV[5]), tonumber(ARGV[6]))
	ban = over > now and {['end'] = over, algorithm = 0, rate = 0, period = 0} or nil
	changes = true
elseif op == UNBAN then
	found, ban = ban ~= nil, nil
	changes = found
elseif op == RESET then
	found = ban ~= nil or n_slots > 0
	ban, cases, others = nil, {}, {}
	changes = true
end
return changes and write() or answer(ACCEPTED, 1, 0, 0, 0, found)
