-- Fragment 42, the rest of the sliding log: bookings, and a clock that was set back, which src/core/algorithm/sliding_log.c explains. Its
-- notes are the moments that are booked and have not come, which lie behind all that have, and their costs.
local MOMENTS_MAX = 10000

local function count_of(state)
	return (from_bytes('<I2', state.bytes, 10))
end

-- Returns the moment at index i, from 0, of those that have come.
local function moment(state, i)
	local width, base = from_bytes('<BI7', state.bytes, 12)
	return base + from_bytes(string.format('<I%d', width), state.bytes, 20 + width * i)
end

-- Returns the index of the first moment that has come later than t.
local function first_after(state, t)
	local low, high = 0, count_of(state)
	-- Mostly it is one of the ends.
	if high == 0 or moment(state, high - 1) <= t then
		return high
	elseif moment(state, 0) > t then
		return 0
	end
	while low < high do
		local middle = math.floor((low + high) / 2)
		if moment(state, middle) <= t then
			low = middle + 1
		else
			high = middle
		end
	end
	return low
end

local function pack_log(state, width, base, moments)
	state.bytes = to_bytes('<I2I7I2BI7c0', state.word, state.period, #moments / width, width, base, moments)
end

-- Writes all moments anew, in as many bytes as the period needs, and a tenth more, so that a base is new now and then only.
local function rewrite(state, base, last)
	local span, moments = math.max(1.1 * state.period, last - base), {}
	local width = span < 2 ^ 32 and 4 or span < 2 ^ 40 and 5 or span < 2 ^ 48 and 6 or 7
	for i = 1, count_of(state) do
		moments[i] = to_bytes('<I' .. width, moment(state, i - 1) - base)
	end
	pack_log(state, width, base, table.concat(moments))
end

-- Keeps the moments from a to b and from c on, with n new ones at t between them.
local function splice(state, a, b, t, n, c)
	local width, base = from_bytes('<BI7', state.bytes, 12)
	if n > 0 and (t < base or t - base >= 256 ^ width) then
		local count = count_of(state)
		rewrite(state, count > 0 and math.min(t, moment(state, 0)) or t, count > 0 and math.max(t, moment(state, count - 1)) or t)
		width, base = from_bytes('<BI7', state.bytes, 12)
	end
	local new = n > 0 and string.rep(to_bytes(string.format('<I%d', width), t - base), n) or ''
	pack_log(state, width, base, string.sub(state.bytes, 20 + width * a, 19 + width * b) .. new .. string.sub(state.bytes, 20 + width * c))
end

-- Drops the moments of a period ago and before.
local function drop(state)
	splice(state, 0, 0, now, 0, first_after(state, now - state.period))
end

-- Returns the sums of the notes' counts, up to each.
local function sums_of(state)
	local sums = {[0] = 0}
	for i, note in ipairs(state.notes) do
		sums[i] = sums[i - 1] + note.n
	end
	return sums
end

-- Returns when so many of the oldest moments have left that the log has room for the cost; 0 if it has.
local function book_after(state, sums, cost)
	local come, i = count_of(state), 1
	local beyond = come + sums[#state.notes] + cost - MOMENTS_MAX
	while sums[i] and sums[i] < beyond - come do
		i = i + 1
	end
	return beyond <= 0 and 0 or (beyond <= come and moment(state, beyond - 1) or state.notes[i].moment) + state.period
end

algorithms[3] = {
	load = function(state)
		local come, notes = split_notes(state.notes, now + 1)
		state.notes = notes
		drop(state)
		for _, note in ipairs(come) do
			if note.moment + state.period > now then
				splice(state, 0, count_of(state), note.moment, note.n, count_of(state))
			end
		end
	end,

	ends = function(state)
		local last, n = state.notes[#state.notes], count_of(state)
		return last and last.moment + state.period or n > 0 and moment(state, n - 1) + state.period or 0
	end,

	-- A call counts in each interval that contains it: the one that ends with t, and those that end with a booking behind t. A ctx keeps
	-- where it was in the notes, for the next t.
	judge = function(ctx, cost, t)
		local state, number = ctx.state, ctx.limit.number
		local notes, period, n = state.notes, state.period, count_of(state)
		local sums = ctx.sums or sums_of(state)
		local before, i = 0, 1 -- the notes behind `before`, and before i, count at t
		if ctx.sums and t >= ctx.last_t then
			before, i = ctx.before, ctx.next_note
		end
		while notes[i] and notes[i].moment <= t do
			i = i + 1
		end
		while before < i - 1 and notes[before + 1].moment <= t - period do
			before = before + 1
		end
		ctx.sums, ctx.last_t, ctx.before, ctx.next_note = sums, t, before, i

		local booked = sums[i - 1] - sums[before]
		local left, _, again_at, _, stored_end = sliding_log(state.word, number - booked, cost, 0, period, t, state.bytes, 1)
		if left < 0 then
			return left, stored_end > t and again_at or notes[before + 1].moment + period
		end
		local first = notes[i] and first_after(state, t - period)
		while notes[i] and notes[i].moment < t + period do
			local from = notes[i].moment - period
			while notes[before + 1].moment <= from do
				before = before + 1
			end
			while first < n and moment(state, first) <= from do
				first = first + 1
			end
			local left_then = number - (n - first) - (sums[i] - sums[before]) - cost
			if left_then < 0 then
				return left_then, notes[i].moment
			end
			left, i = math.min(left, left_then), i + 1
		end
		-- Moments elsewhere reduce what is left, too, once the log has no room for more.
		local room = MOMENTS_MAX - n - sums[#notes]
		if cost > 0 and not ctx.booking and room < cost and book_after(state, sums, cost) > t then
			return -1, book_after(state, sums, cost)
		end
		return cost == 0 and math.min(left, room) or left, t
	end,

	admit = function(ctx, state)
		local limit, at, n = ctx.limit, ctx.at, ctx.cost
		state.bytes = state.bytes or to_bytes('<I2I7I2BI7', state.word, limit.period, 0, 4, at)
		-- With a shorter period more moments leave; with a longer one none comes back.
		state.period = limit.period
		drop(state)
		local come = count_of(state)
		if ctx.debt then
			n = math.min(n, MOMENTS_MAX - come - sums_of(state)[#state.notes])
		end
		ctx.place = at
		if ctx.booking and at > now and (come == 0 or at > moment(state, come - 1)) then
			add_note(state.notes, at, n)
		else
			local place = first_after(state, at)
			splice(state, 0, place, at, n, place)
			drop(state)
		end
	end,

	-- Removes the latest moments that have come.
	credit = function(ctx)
		local n = count_of(ctx.state)
		splice(ctx.state, 0, math.max(0, n - ctx.cost), now, 0, n)
	end,

	book_at = function(ctx)
		return ctx.state and book_after(ctx.state, sums_of(ctx.state), ctx.cost) or 0
	end,

	cancel = function(ctx)
		local state, at, n = ctx.state, ctx.at, ctx.cost
		local note = state.notes[first_note(state.notes, at)]
		if note and note.moment == at then
			return note.n >= n and take_note(state.notes, at, n) or nil
		end
		local place = first_after(state, at)
		if place < n or moment(state, place - n) ~= at then
			return nil
		end
		splice(state, 0, place - n, now, 0, place)
		return n
	end,

	give_back = function(ctx, held, n)
		local state = ctx.state
		local taken = take_note(state.notes, held.place, n)
		local place, found = first_after(state, held.place), 0
		while not taken and found < n and place > found and moment(state, place - found - 1) == held.place do
			found = found + 1
		end
		if found > 0 then
			splice(state, 0, place - found, now, 0, place)
		end
		return taken or found > 0 and found or nil
	end,
}
