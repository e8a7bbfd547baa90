-- Fragment 40, the fixed window: admits at most limit permits in the period that begins with the first admitted call. Calls
-- that wait for their turn are counted in the windows that follow the current one directly, each of the same period.
--
-- Limit state: period, end, count; then (packed only if there are any, which EXTENDED tells apart) the counts of the later
-- windows, of which the last is above 0.
makers[1] = function()
	local function expires_at(state)
		return state.later and state.end_at + #state.later * state.period or state.end_at
	end

	-- Returns the index of the window that contains t; the current one has 0.
	local function index_of(state, t)
		return t < state.end_at and 0 or math.floor((t - state.end_at) / state.period) + 1
	end

	local function count_of(state, j)
		return j == 0 and state.count or state.later and state.later[j] or 0
	end

	local set_count, advance -- more() creates them

	return {
		unpack = function(bytes, at, extended, wide)
			local period, end_at, count, next = struct.unpack(wide and '<I7I7I6' or '<I7I7I3', bytes, at)
			local later
			if extended then
				local WINDOWS_MAX, n = 1000
				n, next = struct.unpack('<I2', bytes, next)
				if n == 0 or n >= WINDOWS_MAX or period == 0 then
					error('not a state')
				end
				later = {struct.unpack('<' .. string.rep(wide and 'I6' or 'I3', n), bytes, next)}
				next = table.remove(later)
			end
			return {algorithm = 1, period = period, end_at = end_at, count = count, later = later}, next
		end,

		pack = function(state, wide)
			local later = state.later
			if later then
				local EXTENDED_WINDOW, COUNT = 1 + 32, wide and 'I6' or 'I3'
				return struct.pack('<BI7I7' .. COUNT .. 'I2' .. string.rep(COUNT, #later), EXTENDED_WINDOW, state.period, state.end_at,
					state.count, #later, unpack(later))
			end
			return struct.pack(wide and '<BI7I7I6' or '<BI7I7I3', 1, state.period, state.end_at, state.count)
		end,

		expires_at = expires_at,

		evaluate = function(ctx)
			local state = ctx.state
			if state.later then
				advance(state, ctx.now)
			end
			ctx.used, ctx.full_at = count_of(state, index_of(state, ctx.at)), expires_at(state)
		end,

		earliest = function(ctx, t)
			local state = ctx.state
			if not state then
				return t
			end
			local begun = index_of(state, t)
			local j, last = begun, state.later and #state.later or 0
			while j <= last and count_of(state, j) + ctx.cost > ctx.limit.number do
				j = j + 1
			end
			-- Where the clock was set back, t may lie before the current window's begin.
			return j == begun and t or state.end_at + (j - 1) * state.period
		end,

		-- A running window keeps its period: a changed limit applies from the next window on.
		admit = function(ctx)
			local state, period = ctx.state, ctx.limit.period
			if not state then
				state = {algorithm = 1, period = period, end_at = ctx.now + period, count = 0}
			end
			local j = index_of(state, ctx.at)
			if ctx.tag then
				ctx.place = state.end_at + j * state.period
			end
			local count = math.min(1e12, count_of(state, j) + ctx.cost)
			if j == 0 then
				state.count = count
			else
				set_count(state, j, count)
			end
			return state
		end,

		more = function(algorithm)
			set_count = function(state, j, count)
				if j == 0 then
					state.count = count
					return
				end
				local later = state.later or {}
				for i = #later + 1, j do
					later[i] = 0
				end
				later[j] = count
				while later[1] and later[#later] == 0 do
					later[#later] = nil
				end
				state.later = later[1] and later or nil
			end

			-- Lets the windows that now has reached take the current one's place.
			advance = function(state, now)
				local later = state.later
				while later and state.end_at <= now do
					state.end_at, state.count = state.end_at + state.period, table.remove(later, 1)
					later = later[1] and later
				end
				state.later = later or nil
			end

			algorithm.largest = function(state)
				return math.max(state.count, unpack(state.later or {}))
			end

			algorithm.credit = function(ctx)
				ctx.state.count = math.max(0, ctx.state.count - ctx.cost)
				return ctx.state
			end

			algorithm.book_at = function(ctx)
				local WINDOWS_MAX = 1000
				local state = ctx.state or {end_at = ctx.now + ctx.limit.period, period = ctx.limit.period}
				return index_of(state, ctx.at) >= WINDOWS_MAX and state.end_at or 0
			end

			algorithm.give_back = function(ctx, held, n)
				local state = ctx.state
				local j = (held.place - state.end_at) / state.period
				if j < 0 or j ~= math.floor(j) or j > (state.later and #state.later or 0) then
					return nil
				end
				if ctx.undo and not state.later and state.count <= n then
					state.end_at = ctx.now -- it is over
				end
				set_count(state, j, math.max(0, count_of(state, j) - n))
				return state
			end
		end,
	}
end
