-- Fragment 40, the rest of the fixed window. Calls that wait for their turn are counted in the windows that follow the current one
-- directly, each of the same period: its notes are their begins and their counts.

-- Returns the end of a window that begins now.
local function begun_end(period)
	local _, end_at = fixed_window(1, 1, 0, 0, period, now, nil, 1)
	return end_at
end

algorithms[1] = {
	-- Lets the window that now has reached take the current one's place. While a later one is kept, they follow each other.
	load = function(state)
		local end_at = from_bytes('<I7', state.bytes, 10)
		if end_at > now or not state.notes[1] then
			return
		end
		local over, notes = split_notes(state.notes, now - state.period + 1)
		local first = notes[1] or over[#over]
		local count = first.moment <= now and first.n or 0
		state.notes = notes
		if notes[1] and first.moment <= now then
			table.remove(notes, 1)
		end
		state.bytes = to_bytes('<I2I7I7I5', state.word, state.period,
			math.min(first.moment, now - (now - first.moment) % state.period) + state.period, count)
	end,

	ends = function(state)
		local last = state.notes[#state.notes]
		return last and last.moment + state.period or from_bytes('<I7', state.bytes, 10)
	end,

	judge = function(ctx, cost, t)
		local state = ctx.state
		local bytes = state.bytes
		if t >= from_bytes('<I7', bytes, 10) then
			local note = state.notes[first_note(state.notes, t - state.period + 1)]
			bytes = note and note.moment <= t and to_bytes('<I2I7I7I5', state.word, state.period, note.moment + state.period, note.n)
		end
		local left, _, again_at = fixed_window(state.word, ctx.limit.number, cost, 0, state.period, t, bytes, 1)
		return left, again_at
	end,

	-- A running window keeps its period: a changed limit applies from the next window on.
	admit = function(ctx, state)
		local period, end_at, count = state.period, begun_end(state.period), 0
		if state.bytes then
			end_at, count = from_bytes('<I7I5', state.bytes, 10)
		end
		ctx.place = end_at
		if ctx.at < end_at then
			count = math.min(LARGEST, count + ctx.cost)
		else
			local begin = ctx.at - (ctx.at - end_at) % period
			ctx.place = begin + period
			add_note(state.notes, begin, ctx.cost)
		end
		state.bytes = to_bytes('<I2I7I7I5', state.word, period, end_at, count)
	end,

	credit = function(ctx)
		local state = ctx.state
		local end_at, count = from_bytes('<I7I5', state.bytes, 10)
		state.bytes = to_bytes('<I2I7I7I5', state.word, state.period, end_at, math.max(0, count - ctx.cost))
	end,

	book_at = function(ctx)
		local WINDOWS_MAX = 1000
		local limit, state = ctx.limit, ctx.state
		local end_at, period = state and from_bytes('<I7', state.bytes, 10) or begun_end(limit.period), state and state.period or limit.period
		return ctx.at >= end_at + (WINDOWS_MAX - 1) * period and end_at or 0
	end,

	give_back = function(ctx, held, n)
		local state = ctx.state
		local end_at, count = from_bytes('<I7I5', state.bytes, 10)
		if held.place ~= end_at then
			return take_note(state.notes, held.place - state.period, n)
		elseif ctx.undo and not state.notes[1] and count <= n then
			end_at = now -- it is over
		end
		state.bytes = to_bytes('<I2I7I7I5', state.word, state.period, end_at, math.max(0, count - n))
		return n
	end,
}
