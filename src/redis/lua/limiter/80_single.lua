-- Fragment 80: reads the limits and the state, and decides where one limit decides alone: a peek, and the consume and lease
-- that 20_flat.lua leaves. That part is a copy of decide() in 90_compound.lua for speed; tests/core/redis_limiter_test.c compares them.
local CALENDAR_WINDOW = 2
local BAN_STEPS = 3

local wide = op >= WIDE
op = op % WIDE

-- The block that a permit's request has before its limits (10_request.lua).
local permit
if op > LEASE then
	local PERMIT, HELD = wide and '<I6I6I7I6I7B' or '<I3I3I7I6I7B', wide and '<I6I7I7I6' or '<I6I7I7I3'
	local leave, at_least, max_wait, number, renew_us, n
	leave, at_least, max_wait, number, renew_us, n, limits_at = struct.unpack(PERMIT, request, limits_at)
	permit = {
		leave = leave, at_least = at_least, max_wait = max_wait, number = number, renew_us = renew_us, held = {},
		granted = 0, wait = 0, parts = '',
	}
	for i = 1, n do
		local tag, place, moved, charged
		tag, place, moved, charged, limits_at = struct.unpack(HELD, request, limits_at)
		permit.held[i] = {tag = tag, place = place, moved = moved, cost = charged}
	end
	op = op % PARTS
end

local booking = op == RESERVE or op == CANCEL

local limits, has_cost = {}, cost > 0
while limits_at <= #request do
	local algorithm, number, rate, kind, us, period, _, bounds
	local own, group = cost, 0
	if wide then
		algorithm, number, rate, kind, us, period, _, own, group, limits_at = struct.unpack('<BI6I6BI7I7I2I6B', request, limits_at)
	else
		algorithm, number, rate, kind, us, period, _, limits_at = struct.unpack(LIMIT, request, limits_at)
	end
	if algorithm == CALENDAR_WINDOW then
		bounds = {struct.unpack(BOUNDS, request, limits_at)}
		limits_at = bounds[4]
	end
	local steps
	if kind == BAN_STEPS then
		local n = string.byte(request, limits_at)
		steps = {struct.unpack('<' .. string.rep('I7', n), request, limits_at + 1)}
		limits_at = table.remove(steps)
	end
	has_cost = has_cost or own > 0
	limits[#limits + 1] = {
		algorithm = algorithm, number = number, rate = rate, ban_kind = kind, ban_us = us, period = period, bounds = bounds,
		cost = own, group = group + 1, skipped = wide and own == 0 and op < SETTLE, steps = steps,
	}
end

-- A peek without any cost skips no limit: it answers the state as it is, and only a ban refuses it.
local looks = op == PEEK and not has_cost
for i = 1, looks and #limits or 0 do
	limits[i].skipped = false
end

-- Returns the ban, if it runs, the limit states, whether they are wide, the level, and when it is forgotten; an
-- error: the value is no state.
local function read_state(bytes)
	if not bytes then
		return nil, {}, false, 0, 0
	end
	local valid, read, found, is_wide, level, forget_at = pcall(unpack_state, bytes)
	if not valid then
		return {err = 'RATELIMIT_FOREIGN the key holds a value that is not a limiter\'s state'}
	end
	return read and read.end_at > now and read or nil, found, is_wide, forget_at > now and level or 0, forget_at
end

local ban, states, wide_state, level, forget_at = read_state(value)
if ban and ban.err then
	return ban
end

local function answer(reason, limit, remaining, retry, reset, found)
	local facts = nonce .. struct.pack(wide and '<I7BBI6i7I7I4' or ANSWER, now, reason, limit - 1, math.max(0, remaining), retry,
		math.max(0, reset), found)
	if permit then
		facts = facts .. struct.pack(wide and '<I6I7' or '<I3I7', permit.granted, permit.wait) .. permit.parts
	end
	return level > 0 and facts .. struct.pack('<I2', level) or facts
end

if op <= CREDIT or op >= LEASE and op <= SETTLE then
	for _, limit in ipairs(limits) do
		local bounds, t = limit.bounds, booking and at or now
		if bounds and (t < bounds[1] or t >= bounds[booking and 2 or 3]) then
			return answer(STALE, 1, 0, 0, 0, 0)
		end
	end
end

-- Returns a ctx with the limit state, unless that is over. turn: the moment that is judged by a call that waits, or nil.
local function ctx_of(limit, state, turn)
	local algorithm = algorithms[limit.algorithm]
	local ctx = {
		limit = limit, state = state and algorithm.expires_at(state) > now and state or nil, now = now,
		at = turn or booking and at or now, booking = turn ~= nil or booking, cost = limit.cost, used = 0, full_at = now,
	}
	if ctx.state then
		algorithm.evaluate(ctx)
	end
	return ctx
end

-- Returns the permits to lease beside the cost: a share of what is left, so that batches shrink as the window runs out and
-- no machine keeps many that others need. The permits of a sliding window count in the sub-window of now, and are valid until
-- its end: as many as the machine uses by then, with room for chance. Those of a bucket count at the end of their life, and what is
-- refilled until then is not for them.
local function lease(ctx)
	if op ~= LEASE then
		return 0
	end
	local DEMAND_US = 200000 -- RL_DEMAND_BATCH_MS
	local limit, state, most = ctx.limit, ctx.state, at % LEASE_VALID
	local left = limit.number - ctx.used - limit.cost - (permit and permit.leave or 0)
	if limit.algorithm == 4 then
		local width = math.ceil(limit.period / 30)
		local age = state and now - state.origin or 0
		if state and state.counters[#state.counters - 1] > math.floor(age / width) then
			return 0 -- the clock was set back
		end
		most = math.min(most, math.floor(most * (width - age % width) / (2 * DEMAND_US)))
	elseif limit.algorithm == 5 then
		left = math.min(left, limit.number - math.ceil(math.floor(at / LEASE_VALID) * limit.rate / limit.period))
	end
	return math.max(0, math.min(most, math.floor(left / LEASE_SHARE)))
end

-- Writes a ban, limit states and a level, or deletes the key if there are none. Returns Redis' error, if any.
local function store(key, value, ban, states, wide, level, forget_at)
	local done
	if ban or states[1] or level > 0 then
		local end_at, kept_ms = math.max(ban and ban.end_at or 0, level > 0 and forget_at or 0), KEPT_MS
		for _, state in ipairs(states) do
			end_at = math.max(end_at, algorithms[state.algorithm].expires_at(state))
			kept_ms = state.algorithm == 2 and CALENDAR_KEPT_MS or kept_ms
		end
		done = call('SET', key, pack_state(ban, states, wide, level, forget_at), 'PXAT', math.ceil(end_at / 1000) + kept_ms)
	elseif value then
		done = call('DEL', key)
	end
	return type(done) == 'table' and done.err and done or nil
end

local limit, state = limits[1], states[1]
if not permit and not wide and not wide_state and not limits[2] and not states[2] and not ban and level == 0 and cost > 0
		and cost <= limit.number and (op == CONSUME or op == PEEK or op == LEASE)
		and (not state or state.algorithm == limit.algorithm and state.period == limit.period and not state.tag and not state.later) then
	local algorithm, ctx = algorithms[limit.algorithm], ctx_of(limit, state)
	local earliest = algorithm.earliest(ctx, now)
	if earliest == now then
		local leased = lease(ctx)
		local of_bucket = leased > 0 and limit.algorithm == 5
		ctx.cost = of_bucket and cost or cost + leased
		ctx = ctx_of(limit, algorithm.admit(ctx))
		if of_bucket then
			local end_at, bucket = now + math.floor(at / LEASE_VALID), ctx.state
			if bucket.tat_us < end_at then
				bucket.tat_us, bucket.tat_frac = end_at, 0
			end
			ctx.cost = leased
			ctx = ctx_of(limit, algorithm.admit(ctx))
		end
		local next_at = now
		if ctx.used >= limit.number then
			ctx.cost = 1
			next_at = algorithm.earliest(ctx, now)
		end
		return op ~= PEEK and store(key, value, nil, {ctx.state}, false, 0, 0)
			or answer(ACCEPTED, 1, limit.number - ctx.used, next_at - now, ctx.full_at - now, leased)
	elseif limit.ban_kind == 0 and algorithm.earliest(ctx, earliest) == earliest then
		return answer(LIMITED, 1, limit.number - ctx.used, earliest - now, ctx.full_at - now, 0)
	end
end
