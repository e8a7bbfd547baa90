-- Fragment 90: decides what 30_usual.lua leaves, and answers every op but those of permits.
local UNMATCHED_MAX = 8

-- ---- Matching limit states to limits ----

-- A group is the state of one key: its ban, its level, and the limits that have their parts in it.
local groups = {{key = key, value = value, ban = ban, states = states, level = level, forget_at = forget_at}}
for g = 2, #KEYS do
	local found = call('GET', KEYS[g])
	if type(found) == 'table' then
		return found
	end
	local running, read, of_key, forgets_at = read_state(found)
	if running and running.err then
		return running
	end
	groups[g] = {key = KEYS[g], value = found, ban = running, states = read, level = of_key, forget_at = forgets_at}
end

local OF_NAME = 0x1000 * MARKS -- the word of a limit with a name is larger
local ctxs = {}

-- Returns whether two limits, or a limit and a limit state, are of one kind.
local function are_alike(a, b)
	return a.algorithm == b.algorithm and a.period == b.period and a.rate == b.rate
end

-- Returns those of a list for which a function is true.
local function those(list, fits)
	local found = {}
	for _, element in ipairs(list) do
		if fits(element) then
			found[#found + 1] = element
		end
	end
	return found
end

-- Returns a copy of the limit state of which most is used now; of several the one that is full again last; of several of these the
-- first; nil: all are empty.
local function fullest(limit, found)
	local ctx, ends_at
	for _, state in ipairs(found) do
		local judged, of_end = ctx_of(limit, state, nil, true), algorithms[state.algorithm].ends(state)
		if judged.state and (not ctx or judged.used > ctx.used or judged.used == ctx.used and of_end > ends_at) then
			ctx, ends_at = judged, of_end
		end
	end
	if not ctx then
		return nil
	end
	local copy = {notes = {}}
	for name, field in pairs(ctx.state) do
		copy[name] = name == 'notes' and copy.notes or field
	end
	for i, note in ipairs(ctx.state.notes) do
		copy.notes[i] = {moment = note.moment, n = note.n}
	end
	return copy
end

-- Each returns the limit state of one of a group's limits, and marks what it takes; nil: there is none; false: an empty one.
local matches = {
	-- Its own: of its kind, by its mark, unless neither has an equal.
	function(limit, own, found)
		local alike = those(found, function(state) return are_alike(state, limit) end)
		local equals = those(own, function(other) return are_alike(other, limit) end)
		local state = not equals[2] and not alike[2] and alike[1] or those(alike, function(state) return state.word == limit.word end)[1]
		if state then
			state.taken = true
		end
		return state
	end,

	-- The fullest of its kind whose mark no equal has.
	function(limit, own, found)
		local others = those(found, function(state)
			return are_alike(state, limit) and not those(own, function(other) return are_alike(other, limit) and other.word == state.word end)[1]
		end)
		for _, state in ipairs(others) do
			state.taken = true
		end
		return others[1] and (fullest(limit, others) or false)
	end,

	-- One of another period, by its name; or because the algorithm has no other, neither in the limiter nor in the state.
	function(limit, own, found)
		local others = those(found, function(state) return state.algorithm == limit.algorithm and not state.taken end)
		local state = limit.word >= OF_NAME and those(others, function(state) return state.word == limit.word end)[1]
		if not state and not others[2] and not those(own, function(other) return other.algorithm == limit.algorithm end)[2] then
			-- A window of another period stays one until its end, and has the limit's mark after the first call.
			state = those(others, function(state) return state.word == limit.algorithm or state.word == limit.word end)[1]
		end
		if state then
			state.taken = true
		end
		return state or nil
	end,
}

for g, group in ipairs(groups) do
	local own = those(limits, function(limit) return limit.group == g end)
	for _, match in ipairs(matches) do
		for _, limit in ipairs(own) do
			if limit.state == nil then
				limit.state = match(limit, own, group.states)
			end
		end
	end
	local live = those(group.states, function(state) return algorithms[state.algorithm].ends(state) > now end)
	group.n, group.unmatched = #live, those(live, function(state) return not state.taken end)
	for i = UNMATCHED_MAX + 1, #group.unmatched do
		group.unmatched[i] = nil
	end
	-- A limit that has the state for itself writes no mark.
	for _, limit in ipairs(own) do
		limit.word = (own[2] or group.unmatched[1]) and limit.word or limit.algorithm
	end
end
for i, limit in ipairs(limits) do
	ctxs[i] = ctx_of(limit, limit.state)
end

-- Calls a function of limit i's algorithm.
local function invoke(i, name, ...)
	return algorithms[limits[i].algorithm][name](ctxs[i], ...)
end

-- Returns the first moment from t on at which a ctx's limit would admit its cost.
local function earliest(ctx, t)
	local judge, left, again_at = algorithms[ctx.limit.algorithm].judge, 0, t
	repeat
		t = math.max(t, again_at)
		if ctx.state then
			left, again_at = judge(ctx, ctx.cost, t)
		end
	until left >= 0
	return t
end

-- Writes the limit states of a group's ctxs, the unmatched ones, the ban and the level.
local function store_group(group, g)
	local states = {}
	for i, ctx in ipairs(ctxs) do
		local state = limits[i].group == g and ctx.state
		if state then
			state.word = limits[i].word
			state.bytes = to_bytes('<I2', state.word) .. string.sub(state.bytes, 3)
			states[#states + 1] = state
		end
	end
	for _, state in ipairs(group.unmatched) do
		states[#states + 1] = state
	end
	return store(group.key, group.value, group.ban, states, group.level, group.forget_at)
end

-- Does so for every group, or for those whose limits a table of changes names.
local function store_all(changed)
	for g, group in ipairs(groups) do
		local failed = (not changed or changed[g]) and store_group(group, g)
		if failed then
			return failed
		end
	end
end

-- ---- Answers ----

local leased = 0

local function remaining(i)
	return math.max(0, limits[i].number - ctxs[i].used)
end

-- Returns the bytes of what each limit has left, and of the ban and the level of each key.
local left_as_is
local function left()
	local bytes, of_keys, runs = '', '', false
	for i, ctx in ipairs(ctxs) do
		bytes = to_bytes('<c0I5I7', bytes, remaining(i), math.max(0, ctx.full_at - now))
	end
	for _, group in ipairs(groups) do
		local of_ban, of_level = group.ban and group.ban.end_at - now or 0, group.level > 0 and group.forget_at - now or 0
		runs = runs or of_ban > 0 or of_level > 0
		of_keys = to_bytes('<c0I7I2I7', of_keys, of_ban, group.level, of_level)
	end
	return runs and bytes .. of_keys or (limits[2] or op == PEEK and at == AS_IS) and bytes or ''
end

-- Answers by limit i.
local function answer_by(i, reason, remaining, retry, reset, found)
	return answer(reason, i, remaining, retry, reset, found, reason == ACCEPTED and left_as_is or left())
end

local function answer_of(i, reason, retry)
	return answer_by(i, reason, remaining(i), retry, ctxs[i].full_at - now, leased)
end

-- Returns the first moment from t on at which all limits would admit the cost.
local function all_earliest(t)
	repeat
		local before = t
		for i = 1, #limits do
			t = limits[i].skipped and t or earliest(ctxs[i], t)
		end
	until t == before
	return t
end

-- begins: 1 if this call begins the ban
local function answer_banned(i, ban, begins)
	return answer_by(i, BANNED, 0, (looks and ban.end_at or all_earliest(ban.end_at)) - now, ban.end_at - now, begins)
end

-- Returns the ban that ends last, of those that run at t, and its group; nil: none runs.
local function running_ban(t)
	local last, of_group
	for g, group in ipairs(groups) do
		local ban = group.ban
		if ban and t < ban.end_at and (not last or ban.end_at > last.end_at) then
			last, of_group = ban, g
		end
	end
	return last, of_group
end

-- Returns the limit of a group that is most like the one that began its ban.
local function banning_limit(ban, g)
	local found, most
	for i, limit in ipairs(limits) do
		local likeness = limit.algorithm ~= ban.word % MARKS and 0 or (limit.period ~= ban.period or limit.rate ~= ban.rate) and 1
			or limit.word ~= ban.word and 2 or 3
		if limit.group == g and (not found or likeness > most) then
			found, most = i, likeness
		end
	end
	return found
end

-- ---- Ops ----

-- steps, level: of bans that escalate; else nil.
local function ban_end(kind, us, steps, level)
	if steps then
		return now + steps[math.min(level + 1, #steps)]
	end
	return kind == BAN_FOR and now + us or kind == BAN_UNTIL and us or 0
end

-- Returns the tag of the limit state that limit i's admit() is about to make: that of the present one, unless that ends
-- here by a conversion. An acquire gives its number to a limit state that it begins, and the odd number to one that was there
-- without a tag; concurrent places have their own.
local function tag_to_make(i)
	local limit, state = limits[i], ctxs[i].state
	local algorithm = limit.algorithm
	if state and (algorithm == SLIDING_WINDOW or algorithm == TOKEN_BUCKET)
			and (state.period ~= limit.period or state.rate ~= limit.rate) then
		state = nil
	end
	if state and state.tag then
		return state.tag
	elseif op ~= ACQUIRE or algorithm == CONCURRENT then
		return nil
	end
	return state and permit.number - permit.number % 2 + 1 or permit.number
end

local function admit(i)
	local ctx, limit = ctxs[i], limits[i]
	local state = ctx.state or {algorithm = limit.algorithm, word = limit.word, period = limit.period, rate = limit.rate, notes = {}}
	ctx.tag = tag_to_make(i)
	algorithms[limit.algorithm].admit(ctx, state)
	state.tag = ctx.tag
	return state
end

-- Returns the answer of an admitted call, by the limit with the least left. Its retry is the time until a call with a cost of 1
-- for each limit that is not skipped passes. Release and renew have none: their requests lack the boundaries of calendar windows.
-- granted: what each limit counted.
local function answer_admitted(granted)
	local tightest, least
	for i, limit in ipairs(limits) do
		if not limit.skipped and (not least or remaining(i) < least) then
			tightest, least = i, remaining(i)
		end
	end
	local ban = op == SETTLE and running_ban(now)
	tightest = tightest or 1
	local next_at = ban and ban.end_at or ctxs[tightest].at
	if least == 0 and op ~= RELEASE and op ~= RENEW then
		for _, ctx in ipairs(ctxs) do
			ctx.cost = 1
		end
		next_at = all_earliest(next_at)
	end
	if permit then
		permit.granted = granted[tightest]
	end
	return answer_of(tightest, ACCEPTED, math.max(0, next_at - now))
end

-- Returns the permits to lease beside the cost, of windows: a share of what is left of each. Several limits lease together only
-- from windows that run already and outlast the batch: the machine has no end of each.
local function lease()
	local valid_until, most = now + math.floor(at / LEASE_VALID), at % LEASE_VALID
	for _, ctx in ipairs(ctxs) do
		local state, view = ctx.state, ctx.view
		if ctx.limit.algorithm > CALENDAR_WINDOW or ctxs[2] and (not state or ctx.full_at < valid_until or state.notes[1]
				or view and (view.windows[2] or view.windows[1].end_at > ctx.limit.bounds[3])) then
			return 0
		end
		most = math.min(most, math.floor((ctx.limit.number - ctx.used - ctx.cost - (permit and permit.leave or 0)) / LEASE_SHARE))
	end
	return math.max(0, most)
end

local function admit_all()
	local granted = {}
	leased = op == LEASE and lease() or 0
	for i, ctx in ipairs(ctxs) do
		local tag
		granted[i] = ctx.cost
		ctx.cost = ctx.cost + leased
		if not limits[i].skipped then
			ctx.number = op == ACQUIRE and permit.number or nil
			local state = admit(i)
			tag = limits[i].algorithm == CONCURRENT and ctx.number or ctx.tag
			ctxs[i] = ctx_of(ctx.limit, state, ctx.booking and not booking and ctx.at or nil)
		end
		if op == ACQUIRE then
			permit.parts = permit.parts .. to_bytes('<I6I7I7', tag or 0, tag and ctx.place or 0, ctx.moved or 0)
		end
	end
	return op ~= PEEK and store_all() or answer_admitted(granted)
end

-- Of the limits that refuse, the one whose ban ends last begins its ban. Returns nil if no limit bans.
local function begin_ban(moments)
	local which, last = nil, now
	for i, limit in ipairs(limits) do
		local end_at = ban_end(limit.ban_kind, limit.ban_us, limit.steps, groups[limit.group].level)
		if moments[i] > now and end_at > last then
			which, last = i, end_at
		end
	end
	if not which then
		return nil
	end
	local limit = limits[which]
	local judged = ctxs[which].cost
	ctxs[which] = ctx_of(limit)
	ctxs[which].cost = judged
	local group = groups[limit.group]
	local equals = those(limits, function(other) return other.group == limit.group and are_alike(other, limit) end)
	group.ban = {end_at = last, word = equals[2] and limit.word or limit.algorithm, rate = limit.rate, period = limit.period}
	if limit.steps then
		local LEVEL_MAX = 65535
		group.level, group.forget_at = math.min(group.level + 1, LEVEL_MAX), last + limit.ban_us
	end
	return op ~= PEEK and store_all({[limit.group] = true}) or answer_banned(which, group.ban, 1)
end

-- Lets all limits judge, and count, a part of the cost (nil: all of it), with a share to leave.
local function set_cost(part, leave)
	for i, ctx in ipairs(ctxs) do
		ctx.cost = limits[i].skipped and 0 or (part or limits[i].cost) + leave
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

-- Returns how much of a debt limit i still counts, and whether it begins the limit's state.
local function debt_of(i)
	local limit, debt = limits[i], debts[i]
	local begins = not ctxs[i].state
	if limit.algorithm == CALENDAR_WINDOW then
		return now - debt.age >= limit.bounds[now < limit.bounds[2] and 1 or 2] and debt.n or 0, begins
	elseif limit.algorithm == TOKEN_BUCKET then
		return begins and debt.n - mul_div(debt.age, limit.rate, limit.period) or debt.n, begins
	end
	return debt.age < limit.period and debt.n or 0, begins
end

-- Counts what a machine has admitted, as of now. A fixed window that it begins is the machine's own, and ends as that does. Returns
-- Redis' error, if any.
local function count_debts()
	local of_op, changed = op, {}
	op = CONSUME -- the debt is none of the permit's that the call may acquire
	for i, limit in ipairs(limits) do
		local n, begins = debt_of(i)
		local ctx = ctxs[i]
		if n > 0 and limit.algorithm ~= CONCURRENT then
			ctx.cost, ctx.debt = n, true
			local state = admit(i)
			if begins and limit.algorithm == 1 then
				local word, period, end_at, count = from_bytes('<I2I7I7I5', state.bytes)
				state.bytes = to_bytes('<I2I7I7I5', word, period, end_at - debts[i].age, count)
			end
			ctxs[i] = ctx_of(limit, state)
			changed[limit.group] = true
		end
	end
	op = of_op
	return store_all(changed)
end

-- Decides consume, peek, reserve, lease and acquire.
local function decide()
	local failed = debts[1] and count_debts()
	if failed then
		return failed
	end
	local from, part = ctxs[1].at, nil
	if permit then
		part = permit.at_least > 0 and permit.at_least or nil
		set_cost(part, permit.leave)
	end
	for i, limit in ipairs(limits) do
		if ctxs[i].cost > limit.number then
			return answer_of(i, TOO_EXPENSIVE, -1)
		end
	end
	local ban, g = running_ban(from)
	if ban then
		return answer_banned(banning_limit(ban, g), ban, 0)
	end
	if op == PEEK and at == AS_IS then
		left_as_is = left()
	end
	if looks then
		return answer_admitted()
	end
	if part then
		part = part_of(limits[1].cost)
		set_cost(part, permit.leave)
	end
	local moments, latest = {}, 1
	for i = 1, #limits do
		moments[i] = limits[i].skipped and from or earliest(ctxs[i], from)
		if moments[i] > moments[latest] then
			latest = i
		end
	end
	if moments[latest] == from then
		for i = 1, booking and #limits or 0 do
			local book_at = algorithms[limits[i].algorithm].book_at and not limits[i].skipped and invoke(i, 'book_at') or 0
			if book_at > now then
				return answer_of(i, LIMITED, book_at - now)
			end
		end
		if permit then
			set_cost(part, 0)
		end
		return admit_all()
	end
	local booked = op == ACQUIRE and permit.max_wait > 0 and book_turn(moments)
	return booked or not booking and begin_ban(moments) or answer_of(latest, LIMITED, all_earliest(from) - now)
end

local function done(found)
	return answer(ACCEPTED, 1, 0, 0, 0, found and 1 or 0)
end

local function cancel()
	for i, limit in ipairs(limits) do
		if not limit.skipped then
			local state = ctxs[i].state
			if not (state and algorithms[limit.algorithm].cancel and invoke(i, 'cancel')) then
				return done(false)
			end
			ctxs[i] = ctx_of(limit, state)
		end
	end
	return store_all() or done(true)
end

if op == CONSUME or op == PEEK or op == RESERVE or op == LEASE then
	return decide()
elseif op == CANCEL then
	return cancel()
end

if op < ACQUIRE then
	local found, changes, touched = false, false, nil
	local group = groups[1]
	if op == CREDIT then
		touched = {}
		for i = 1, #limits do
			if ctxs[i].state and not limits[i].skipped then
				changes, touched[limits[i].group] = true, true
				invoke(i, 'credit')
				ctxs[i] = ctx_of(limits[i], ctxs[i].state)
			end
		end
	elseif op == BAN then
		local end_at = ban_end(ban_kind, ban_us)
		changes = end_at > now
		group.ban = changes and {end_at = end_at, word = 0, rate = 0, period = 0} or group.ban
	elseif op == UNBAN then
		found, group.ban = group.ban ~= nil, nil
		changes = found
	elseif op == RESET then
		found = group.ban ~= nil or group.n > 0 or group.level > 0
		group.ban, ctxs, group.unmatched, group.level = nil, {}, {}, 0
		changes = true
	end
	return changes and store_all(touched) or done(found)
end
