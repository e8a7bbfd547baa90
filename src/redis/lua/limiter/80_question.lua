-- Fragment 80: reads the question and the state.
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
