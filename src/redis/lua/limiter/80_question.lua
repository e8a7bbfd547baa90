-- Fragment 80: reads the question and the state.
-- The debts: what a machine has admitted of each limit without Redis.
local debts = {}
if op >= DEBTS then
	op, limits_at = op - DEBTS, limits_at + 1
	for i = 1, string.byte(request, limits_at - 1) do
		local n, age
		n, age, limits_at = from_bytes('<I5I7', request, limits_at)
		debts[i] = {n = n, age = age}
	end
end

-- The block that a permit's request has before its limits (10_request.lua).
local permit
if op > LEASE then
	local leave, at_least, max_wait, number, renew_us, n
	leave, at_least, max_wait, number, renew_us, n, limits_at = from_bytes('<I5I5I7I6I7B', request, limits_at)
	permit = {
		leave = leave, at_least = at_least, max_wait = max_wait, number = number, renew_us = renew_us, held = {},
		granted = 0, wait = 0, parts = '',
	}
	for i = 1, n do
		local tag, place, moved, charged
		tag, place, moved, charged, limits_at = from_bytes('<I6I7I7I5', request, limits_at)
		permit.held[i] = {tag = tag, place = place, moved = moved, cost = charged}
	end
	op = op % PARTS
end

local booking = op == RESERVE or op == CANCEL

local limits, has_cost = {}, false
while limits_at <= #request do
	local bounds, steps
	local word, number, rate, cost, period, more
	word, number, rate, cost, period, more, limits_at = from_bytes(LIMIT, request, limits_at)
	local kind, us = more % KEYS_FROM, 0
	if word % MARKS == CALENDAR_WINDOW then
		bounds = {from_bytes(BOUNDS, request, limits_at)}
		limits_at = bounds[4]
	end
	if kind > 0 then
		us, limits_at = from_bytes('<I7', request, limits_at)
	end
	if kind == BAN_STEPS then
		steps = {from_bytes('<' .. string.rep('I7', string.byte(request, limits_at)), request, limits_at + 1)}
		limits_at = table.remove(steps)
	end
	has_cost = has_cost or cost > 0
	limits[#limits + 1] = {
		algorithm = word % MARKS, word = word, number = number, rate = rate, ban_kind = kind, ban_us = us, period = period, bounds = bounds,
		cost = cost, group = (more - kind) / KEYS_FROM + 1, steps = steps,
	}
end

-- A peek without any cost skips no limit: it answers the state as it is, and only a ban refuses it.
local looks = op == PEEK and not has_cost
for _, limit in ipairs(limits) do
	limit.skipped = has_cost and limit.cost == 0 and op < SETTLE
end

-- Returns the ban, if it runs, the limit states, the level, and when it is forgotten; an error: the value is no state.
local function read_state(bytes)
	if not bytes then
		return nil, {}, 0, 0
	end
	-- The first byte is the version. No text begins with one.
	local TEXT_FROM = 9
	local of_version = string.byte(bytes) or 0
	if of_version > VERSION and of_version < TEXT_FROM then
		return {err = 'RATELIMIT_NEWER the key holds the state of a newer version of ratelimit'}
	end
	local valid, ban, states, level, forget_at = pcall(unpack_state, bytes)
	if not valid or of_version ~= VERSION then
		return {err = 'RATELIMIT_FOREIGN the key holds a value that is not a limiter\'s state'}
	end
	return ban, states, level, forget_at
end

local ban, states, level, forget_at = read_state(value)
if ban and ban.err then
	return ban
end

-- left: the bytes of what each limit has left, if any
local function answer(reason, limit, remaining, retry, reset, found, left)
	local facts = to_bytes('<c6I7BBi7I4I5I7', nonce, now, reason, limit - 1, retry, found, math.max(0, remaining), math.max(0, reset))
	return facts .. (left or '') .. (permit and to_bytes('<I5I7c0', permit.granted, permit.wait, permit.parts) or '')
end

if op <= CREDIT or op >= LEASE and op <= SETTLE then
	for _, limit in ipairs(limits) do
		local bounds, t = limit.bounds, booking and at or now
		if bounds and (t < bounds[1] or t >= bounds[booking and 2 or 3]) then
			return answer(STALE, 1, 0, 0, 0, 0)
		end
	end
end

-- Returns a ctx with the limit state, unless that is over. turn: the moment that is judged by a call that waits, or nil. is_now: now is judged,
-- also by a booking.
local function ctx_of(limit, state, turn, is_now)
	local books = booking and not is_now
	local algorithm = algorithms[limit.algorithm]
	local ends_at = state and algorithm.ends(state) or 0
	local ctx = {
		limit = limit, state = ends_at > now and state or nil, at = turn or books and at or now, booking = turn ~= nil or books,
		cost = limit.cost, used = 0, full_at = now,
	}
	if ctx.state then
		ctx.used, ctx.full_at = limit.number - algorithm.judge(ctx, 0, ctx.at), ends_at
		if ctx.view then
			ctx.full_at = ctx.view.exists and ctx.view.end_at or now
		end
	end
	return ctx
end

-- Writes a ban, limit states and a level, or deletes the key if there are none. Returns Redis' error, if any.
local function store(key, value, ban, states, level, forget_at)
	local done
	if ban or states[1] or level > 0 then
		local end_at, kept_ms = math.max(ban and ban.end_at or 0, level > 0 and forget_at or 0), KEPT_MS
		for _, state in ipairs(states) do
			end_at = math.max(end_at, algorithms[state.algorithm].ends(state))
			kept_ms = state.algorithm == CALENDAR_WINDOW and CALENDAR_KEPT_MS or kept_ms
		end
		done = call('SET', key, pack_state(ban, states, level, forget_at), 'PXAT', math.ceil(end_at / 1000) + kept_ms)
	elseif value then
		done = call('DEL', key)
	end
	return type(done) == 'table' and done.err and done or nil
end
