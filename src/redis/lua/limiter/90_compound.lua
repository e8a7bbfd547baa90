-- The answer where several limits decide together, where there is a ban, and to whatever else is asked of a limiter.
local BAN_FOR, BAN_UNTIL = 1, 2
local OTHERS_MAX = 8

-- ---- Which slot is whose ----

local cases, others = {}, {}
local n_slots = 0
do
	local free, taken = {}, {}
	for _, slot in ipairs(slots) do
		if algorithms[slot.algorithm].over_at(slot) > now then
			n_slots = n_slots + 1
			free[n_slots] = slot
		end
	end
	local function take(same_period)
		for i, limit in ipairs(limits) do
			for j = 1, n_slots do
				local slot = free[j]
				if not taken[i] and slot and slot.algorithm == limit.algorithm
						and (not same_period or slot.period == limit.period and (slot.rate or 0) == limit.rate) then
					taken[i], free[j] = slot, false
				end
			end
		end
	end
	take(true)
	take(false)
	for i, limit in ipairs(limits) do
		cases[i] = case_of(limit, taken[i])
	end
	for j = 1, n_slots do
		if free[j] and #others < OTHERS_MAX then
			others[#others + 1] = free[j]
		end
	end
end

local function ask(i, what, ...)
	return algorithms[limits[i].algorithm][what](cases[i], ...)
end

-- Writes what the cases, the others and the ban are now.
local function write_all()
	local slots = {}
	for i = 1, #cases do
		slots[#slots + 1] = cases[i].slot
	end
	for _, slot in ipairs(others) do
		slots[#slots + 1] = slot
	end
	return write(slots)
end

-- ---- What is told ----

local leased = 0

local function remaining(i)
	return math.max(0, limits[i].number - cases[i].used)
end

local function tell(i, reason, retry)
	return answer(reason, i, remaining(i), retry, cases[i].whole_at - now, leased)
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
	return answer(BANNED, i, 0, all_earliest(ban.over) - now, ban.over - now, 0)
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

local function admit_all()
	local tightest, least
	leased = lease(cases[1])
	cases[1].cost = cost + leased
	for i, limit in ipairs(limits) do
		cases[i] = case_of(limit, ask(i, 'admit'))
		if not least or remaining(i) < least then
			tightest, least = i, remaining(i)
		end
	end
	return op ~= PEEK and write_all() or tell(tightest, ACCEPTED, 0)
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
	cases[which] = case_of(limit)
	ban = {over = last, algorithm = limit.algorithm, rate = limit.rate, period = limit.period}
	return op ~= PEEK and write_all() or tell_ban(which)
end

-- consume, peek, reserve and lease
local function decide()
	local from = cases[1].at
	for i, limit in ipairs(limits) do
		if cost > limit.number then
			return tell(i, TOO_EXPENSIVE, -1)
		end
	end
	if ban and from < ban.over then
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

local function done(found)
	return answer(ACCEPTED, 1, 0, 0, 0, found and 1 or 0)
end

local function cancel()
	for i, limit in ipairs(limits) do
		local slot = cases[i].slot and algorithms[limit.algorithm].cancel and ask(i, 'cancel')
		if not slot then
			return done(false)
		end
		cases[i] = case_of(limit, slot)
	end
	return write_all() or done(true)
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
			cases[i] = case_of(limits[i], ask(i, 'refund'))
		end
	end
elseif op == BAN then
	local over = ban_end(ban_kind, ban_us)
	ban = over > now and {over = over, algorithm = 0, rate = 0, period = 0} or nil
	changes = true
elseif op == UNBAN then
	found, ban = ban ~= nil, nil
	changes = found
elseif op == RESET then
	found = ban ~= nil or n_slots > 0
	ban, cases, others = nil, {}, {}
	changes = true
end
return changes and write_all() or done(found)
