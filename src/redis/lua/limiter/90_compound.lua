-- Fragment 90: decides where several limits decide together or a ban is involved, and answers every op but those of permits.
local BAN_FOR, BAN_UNTIL = 1, 2
local SLIDING_WINDOW, TOKEN_BUCKET, CONCURRENT = 4, 5, 6
local UNMATCHED_MAX = 8

-- ---- Matching limit states to limits ----

for _, limit in ipairs(limits) do
	local algorithm = algorithms[limit.algorithm]
	if algorithm.more then
		algorithm.more(algorithm)
		algorithm.more = nil
	end
end

local ctxs, unmatched = {}, {}
local n_states = 0
do
	local free, taken = {}, {}
	for _, state in ipairs(states) do
		if algorithms[state.algorithm].expires_at(state) > now then
			n_states = n_states + 1
			free[n_states] = state
		end
	end
	local function match(same_period)
		for i, limit in ipairs(limits) do
			for j = 1, n_states do
				local state = free[j]
				if not taken[i] and state and state.algorithm == limit.algorithm
						and (not same_period or state.period == limit.period and (state.rate or 0) == limit.rate) then
					taken[i], free[j] = state, false
				end
			end
		end
	end
	match(true)
	match(false)
	for i, limit in ipairs(limits) do
		ctxs[i] = ctx_of(limit, taken[i])
	end
	for j = 1, n_states do
		if free[j] and #unmatched < UNMATCHED_MAX then
			unmatched[#unmatched + 1] = free[j]
		end
	end
end

-- Calls a function of limit i's algorithm.
local function invoke(i, name, ...)
	return algorithms[limits[i].algorithm][name](ctxs[i], ...)
end

-- Writes the limit states of all ctxs, the unmatched ones, and the ban.
local function store_all()
	local states = {}
	for i = 1, #ctxs do
		states[#states + 1] = ctxs[i].state
	end
	for _, state in ipairs(unmatched) do
		states[#states + 1] = state
	end
	return store(states)
end

-- ---- Answers ----

local leased = 0

local function remaining(i)
	return math.max(0, limits[i].number - ctxs[i].used)
end

local function answer_of(i, reason, retry)
	return answer(reason, i, remaining(i), retry, ctxs[i].full_at - now, leased)
end

-- Returns the first moment from t on at which all limits would admit the cost.
local function all_earliest(t)
	repeat
		local before = t
		for i = 1, #limits do
			t = invoke(i, 'earliest', t)
		end
	until t == before
	return t
end

local function answer_banned(i)
	return answer(BANNED, i, 0, all_earliest(ban.end_at) - now, ban.end_at - now, 0)
end

-- Returns the limit that began the ban; else the first of its algorithm; else the first.
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

-- ---- Ops ----

local function ban_end(kind, us, steps)
	if steps then
		return now + steps[math.min(level + 1, #steps)]
	end
	return kind == BAN_FOR and now + us or kind == BAN_UNTIL and us or 0
end

-- Returns the tag of the limit state that limit i's admit() is about to make: that of the present one, unless that ends
-- here by a conversion. An acquire gives its number to a limit state without a tag; concurrent places have their own.
local function tag_to_make(i)
	local limit, state = limits[i], ctxs[i].state
	local algorithm = limit.algorithm
	local tag = state and state.tag
	if tag and (algorithm == SLIDING_WINDOW or algorithm == TOKEN_BUCKET)
			and (state.period ~= limit.period or (state.rate or 0) ~= limit.rate) then
		tag = nil
	end
	return tag or op == ACQUIRE and algorithm ~= CONCURRENT and permit.number or nil
end

local function admit(i)
	local ctx = ctxs[i]
	ctx.tag = tag_to_make(i)
	local state = invoke(i, 'admit')
	state.tag = ctx.tag
	return state
end

-- Returns the answer of an admitted call, by the limit with the least left. Its retry is the time until a call with a cost of 1
-- passes. Release and renew have none: their requests lack the boundaries of calendar windows.
local function answer_admitted()
	local tightest, least
	for i = 1, #limits do
		if not least or remaining(i) < least then
			tightest, least = i, remaining(i)
		end
	end
	local next_at = ctxs[1].at
	if least == 0 and op ~= RELEASE and op ~= RENEW then
		for _, ctx in ipairs(ctxs) do
			ctx.cost = 1
		end
		next_at = all_earliest(next_at)
	end
	return answer_of(tightest, ACCEPTED, math.max(0, next_at - now))
end

local function admit_all()
	leased = lease(ctxs[1])
	ctxs[1].cost = cost + leased
	for i, ctx in ipairs(ctxs) do
		if op == ACQUIRE then
			ctx.number = permit.number
		end
		local state = admit(i)
		if op == ACQUIRE then
			local tag = limits[i].algorithm == CONCURRENT and permit.number or ctx.tag
			permit.parts = permit.parts .. struct.pack('<I6I7I7', tag, ctx.place or 0, ctx.moved or 0)
		end
		ctxs[i] = ctx_of(ctx.limit, state, ctx.booking and not booking and ctx.at or nil)
	end
	return op ~= PEEK and store_all() or answer_admitted()
end

-- Of the limits that refuse, the one whose ban ends last begins its ban. Returns nil if no limit bans.
local function begin_ban(earliest)
	local which, last = nil, now
	for i, limit in ipairs(limits) do
		local end_at = ban_end(limit.ban_kind, limit.ban_us, limit.steps)
		if earliest[i] > now and end_at > last then
			which, last = i, end_at
		end
	end
	if not which then
		return nil
	end
	local limit = limits[which]
	ctxs[which] = ctx_of(limit)
	ban = {end_at = last, algorithm = limit.algorithm, rate = limit.rate, period = limit.period}
	if limit.steps then
		local LEVEL_MAX = 65535
		level, forget_at = math.min(level + 1, LEVEL_MAX), last + limit.ban_us
	end
	return op ~= PEEK and store_all() or answer_banned(which)
end

-- Lets all limits judge, and count, another cost.
local function set_cost(n)
	cost = n
	for _, ctx in ipairs(ctxs) do
		ctx.cost = n
	end
end

-- Returns the part of the cost that passes now; the least part that is enough if none does.
local function part_of(wanted)
	for i = 1, #limits do
		wanted = math.min(wanted, remaining(i) - permit.leave)
	end
	return math.max(wanted, permit.at_least)
end

-- Books the turn of an acquire that does not pass now. Returns nil if it has none within its longest wait. 95_permit.lua.
local book_turn

-- Decides consume, peek, reserve, lease and acquire.
local function decide()
	local from, wanted = ctxs[1].at, cost
	if permit then
		set_cost((permit.at_least > 0 and permit.at_least or wanted) + permit.leave)
	end
	for i, limit in ipairs(limits) do
		if cost > limit.number then
			return answer_of(i, TOO_EXPENSIVE, -1)
		end
	end
	if ban and from < ban.end_at then
		return answer_banned(banning_limit())
	end
	if cost == 0 then
		return answer_admitted()
	end
	if permit and permit.at_least > 0 then
		set_cost(part_of(wanted) + permit.leave)
	end
	local earliest, latest = {}, 1
	for i = 1, #limits do
		earliest[i] = invoke(i, 'earliest', from)
		if earliest[i] > earliest[latest] then
			latest = i
		end
	end
	if earliest[latest] == from then
		for i = 1, booking and #limits or 0 do
			local book_at = algorithms[limits[i].algorithm].book_at and invoke(i, 'book_at') or 0
			if book_at > now then
				return answer_of(i, LIMITED, book_at - now)
			end
		end
		if permit then
			set_cost(cost - permit.leave)
			permit.granted = cost
		end
		return admit_all()
	end
	local booked = op == ACQUIRE and permit.max_wait > 0 and book_turn(earliest)
	return booked or not booking and begin_ban(earliest) or answer_of(latest, LIMITED, all_earliest(from) - now)
end

local function done(found)
	return answer(ACCEPTED, 1, 0, 0, 0, found and 1 or 0)
end

local function cancel()
	for i, limit in ipairs(limits) do
		local state = ctxs[i].state and algorithms[limit.algorithm].cancel and invoke(i, 'cancel')
		if not state then
			return done(false)
		end
		ctxs[i] = ctx_of(limit, state)
	end
	return store_all() or done(true)
end

if op == CONSUME or op == PEEK or op == RESERVE or op == LEASE then
	return decide()
elseif op == CANCEL then
	return cancel()
end

if op < ACQUIRE then
	local found, changes = false, false
	if op == CREDIT then
		for i = 1, #limits do
			if ctxs[i].state then
				changes = true
				ctxs[i] = ctx_of(limits[i], invoke(i, 'credit'))
			end
		end
	elseif op == BAN then
		local end_at = ban_end(ban_kind, ban_us)
		ban = end_at > now and {end_at = end_at, algorithm = 0, rate = 0, period = 0} or nil
		changes = true
	elseif op == UNBAN then
		found, ban = ban ~= nil, nil
		changes = found
	elseif op == RESET then
		found = ban ~= nil or n_states > 0 or level > 0
		ban, ctxs, unmatched, level = nil, {}, {}, 0
		changes = true
	end
	return changes and store_all() or done(found)
end
