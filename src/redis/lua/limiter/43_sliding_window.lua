-- Fragment 43, the rest of the sliding window: bookings, other periods, and a clock that was set back. Its notes are the begins of
-- the sub-windows that begin after now, and their counts, which count at once.
local function width_of(period)
	local SUB_WINDOWS = 30
	return math.ceil(period / SUB_WINDOWS)
end

-- Returns all counters, the oldest first: the begin of each one's sub-window, and its count; and the origin.
local function counters_of(state)
	local n, origin = from_bytes('<I2I7', state.bytes, 10)
	local counters, width = {}, width_of(state.period)
	for i = 1, n do
		local index, count = from_bytes('<BI5', state.bytes, 13 + 6 * i)
		counters[i] = {moment = origin + index * width, n = count}
	end
	for _, note in ipairs(state.notes) do
		counters[#counters + 1] = note
	end
	return counters, origin
end

-- Writes those of the counters that still count.
local function write(state, counters)
	local width = width_of(state.period)
	local come, notes = split_notes(counters, now + 1)
	local parts, origin = {}, notes[1] and now - (now - notes[1].moment) % width or 0
	for _, counter in ipairs(come) do
		if counter.moment + width + state.period > now then
			origin = parts[1] and origin or counter.moment
			parts[#parts + 1] = to_bytes('<BI5', (counter.moment - origin) / width, counter.n)
		end
	end
	state.bytes, state.notes = to_bytes('<I2I7I2I7', state.word, state.period, #parts, origin) .. table.concat(parts), notes
end

-- Counts anew what was counted under another period, each counter at its last moment, or now, if it contains that, so that nothing
-- is forgotten too early.
local function recount(state, period)
	local counters, old_width, width, origin = {}, width_of(state.period), width_of(period), nil
	for _, counter in ipairs((counters_of(state))) do
		local last = counter.moment + old_width - 1
		if last > now and counter.moment <= now then
			last = now
		end
		origin = origin or math.min(now, last)
		add_note(counters, last - (last - origin) % width, counter.n)
	end
	state.period = period
	write(state, counters)
end

algorithms[4] = {
	load = function(state)
		write(state, (counters_of(state)))
	end,

	ends = function(state)
		local counters = counters_of(state)
		return counters[1] and counters[#counters].moment + width_of(state.period) + state.period or 0
	end,

	judge = function(ctx, cost, t)
		local state, period = ctx.state, ctx.state.period
		local booked, first, kept_us = 0, nil, period + width_of(period)
		for _, note in ipairs(state.notes) do
			if note.moment + kept_us > t then
				booked, first = booked + note.n, first or note
			end
		end
		local left, _, again_at, _, stored_end = sliding_window(state.word, ctx.limit.number - booked, cost, 0, period, math.max(t, now), state.bytes, 1)
		return left, stored_end <= t and first and first.moment + kept_us or again_at
	end,

	admit = function(ctx, state)
		local period = ctx.limit.period
		state.bytes = state.bytes or to_bytes('<I2I7I2I7', state.word, period, 0, now)
		if state.period ~= period then
			recount(state, period)
		end
		local counters, origin = counters_of(state)
		origin = counters[1] and origin or now
		ctx.place = ctx.at - (ctx.at - origin) % width_of(period)
		add_note(counters, ctx.place, ctx.cost)
		write(state, counters)
	end,

	-- Takes from the newest counter first.
	credit = function(ctx)
		local counters, left = counters_of(ctx.state), ctx.cost
		while left > 0 and counters[1] do
			left = left - take_note(counters, counters[#counters].moment, left)
		end
		write(ctx.state, counters)
	end,

	-- Only a call that waits for its turn needs room.
	book_at = function(ctx)
		local AHEAD_MAX = 1000
		local state = ctx.state
		return state and state.notes[AHEAD_MAX] and counters_of(state)[1].moment + width_of(state.period) + state.period or 0
	end,

	give_back = function(ctx, held, n)
		local counters = counters_of(ctx.state)
		local taken = take_note(counters, held.place, n)
		write(ctx.state, counters)
		return taken
	end,
}
