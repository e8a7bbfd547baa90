-- The answer where one limit alone decides: all that nearly every call needs.
local CALENDAR_WINDOW = 2

local booking = op == RESERVE or op == CANCEL

local limits = {}
repeat
	local algorithm, number, rate, kind, us, period, bounds
	algorithm, number, rate, kind, us, period, limits_at = struct.unpack(LIMIT, asked, limits_at)
	if algorithm == CALENDAR_WINDOW then
		bounds = {struct.unpack(BOUNDS, asked, limits_at)}
		limits_at = bounds[4]
	end
	limits[#limits + 1] = {
		algorithm = algorithm, number = number, rate = rate, ban_kind = kind, ban_us = us, period = period, bounds = bounds,
	}
until limits_at > #asked

local ban, slots = nil, {}
if value then
	local ours
	ours, ban, slots = pcall(read_state, value)
	if not ours then
		return {err = 'RATELIMIT_FOREIGN the key holds something that is not a limiter\'s state'}
	end
	ban = ban and ban.over > now and ban or nil
end

local function answer(reason, limit, remaining, retry, reset, found)
	return nonce .. struct.pack(ANSWER, now, reason, limit - 1, math.max(0, remaining), retry, math.max(0, reset), found)
end

if op <= REFUND or op == LEASE then
	for _, limit in ipairs(limits) do
		local bounds, t = limit.bounds, booking and at or now
		if bounds and (t < bounds[1] or t >= bounds[booking and 2 or 3]) then
			return answer(STALE, 1, 0, 0, 0, 0)
		end
	end
end

-- A case with a slot, unless that is over.
local function case_of(limit, slot)
	local algorithm = algorithms[limit.algorithm]
	local case = {
		limit = limit, slot = slot and algorithm.over_at(slot) > now and slot or nil, now = now, at = booking and at or now,
		booking = booking, cost = cost, used = 0, whole_at = now,
	}
	if case.slot then
		algorithm.look(case)
	end
	return case
end

-- What is handed out beyond the cost: a share of what is left, so that the batches shrink as it runs out and no machine
-- sits on much that others want.
local function lease(case)
	local left = case.limit.number - case.used - cost
	return op == LEASE and math.max(0, math.min(at, math.floor(left / LEASE_SHARE))) or 0
end

-- Writes the ban and the slots; deletes what there is if there are none. Returns the error, if Redis refused it.
local function write(slots)
	local done
	if ban or slots[1] then
		local over = ban and ban.over or 0
		for _, slot in ipairs(slots) do
			over = math.max(over, algorithms[slot.algorithm].over_at(slot))
		end
		-- The ends in the state decide; the expiry only tidies up, a second later.
		done = call('SET', key, write_state(ban, slots), 'PXAT', math.ceil(over / 1000) + 1000)
	elseif value then
		done = call('DEL', key)
	end
	return type(done) == 'table' and done.err and done or nil
end

local limit, slot = limits[1], slots[1]
if not limits[2] and not slots[2] and not ban and cost <= limit.number and (op == CONSUME or op == PEEK or op == LEASE)
		and (not slot or slot.algorithm == limit.algorithm) then
	local algorithm, case = algorithms[limit.algorithm], case_of(limit, slot)
	local earliest = algorithm.earliest(case, now)
	if earliest == now then
		local leased = lease(case)
		case.cost = cost + leased
		case = case_of(limit, algorithm.admit(case))
		return op ~= PEEK and write({case.slot})
			or answer(ACCEPTED, 1, limit.number - case.used, 0, case.whole_at - now, leased)
	elseif limit.ban_kind == 0 and algorithm.earliest(case, earliest) == earliest then
		return answer(LIMITED, 1, limit.number - case.used, earliest - now, case.whole_at - now, 0)
	end
end
