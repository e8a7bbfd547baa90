-- Fragment 42, the sliding log: admits at most limit permits in every interval of the period, exactly. It keeps each admitted
-- moment until it is a period old; with bookings, also moments that lie ahead of now. src/core/sliding_log.c explains what
-- happens when the clock is set back.
--
-- Limit state: period, a base, the moments as bytes, and how many of the last are booked and have not come (packed only if
-- there are any; AHEAD is then added to the width). A moment is its distance from the base, in 4 bytes while all lie within
-- 71 minutes of it, else in as many as it takes (to 7). The moments stay a slice of the state's bytes (from start on) until
-- some come or go: of thousands, a call reads a dozen.
makers[3] = function()
	local MOMENTS_MAX = 10000
	local AHEAD = 8

	-- Returns the moment at index i, from 0.
	local function moment(state, i)
		return state.base + (struct.unpack(state.format, state.bytes, state.start + i * state.width))
	end

	-- Returns the index of the first moment later than t.
	local function first_after(state, t)
		return first_behind(state, t, moment)
	end

	local function set_width(state, width)
		state.width = width
		state.format = '<I' .. width
	end

	local function slice(state, from, to)
		return string.sub(state.bytes, state.start + from * state.width, state.start + to * state.width - 1)
	end

	-- Writes all distances anew: from the first moment, in the width that the last one takes.
	local function rewrite(state, moments)
		local span = moments[#moments] - moments[1]
		state.base, state.n = moments[1], #moments
		set_width(state, span < 2 ^ 32 and 4 or span < 2 ^ 40 and 5 or span < 2 ^ 48 and 6 or 7)
		for i, m in ipairs(moments) do
			moments[i] = struct.pack(state.format, m - state.base)
		end
		state.bytes, state.start = table.concat(moments), 1
	end

	-- Keeps the moments from a to b and from c to d (the ends not included), with n new ones at t between them.
	local function splice(state, a, b, n, t, c, d)
		local distance = t - state.base
		if n == 0 or (distance >= 0 and distance < 256 ^ state.width) then
			local new = n > 0 and string.rep(struct.pack(state.format, distance), n) or ''
			state.bytes, state.start = slice(state, a, b) .. new .. slice(state, c, d), 1
			state.n = b - a + n + d - c
			return
		end
		local moments = {}
		for i = a, b - 1 do
			moments[#moments + 1] = moment(state, i)
		end
		for _ = 1, n do
			moments[#moments + 1] = t
		end
		for i = c, d - 1 do
			moments[#moments + 1] = moment(state, i)
		end
		rewrite(state, moments)
	end

	-- Returns what the fullest interval of the period's length that contains t holds.
	local function busiest(state, first, t)
		local from, n, ahead = first, state.n, state.ahead
		if moment(state, first) <= t - state.period then
			from = first_after(state, t - state.period)
		end
		if ahead == 0 or moment(state, n - 1) <= t then
			return n - from
		end
		-- An interval begins with each moment up to t, and one begins with t. A moment that has come lies at t at the latest.
		local come = n - ahead
		local later = math.max(come, first_after(state, t))
		local most, to = 0, from
		for i = from, math.max(from, later) do
			local end_at = (i < later and math.min(moment(state, i), t) or t) + state.period
			while to < n and (to < come or moment(state, to) < end_at) do
				to = to + 1
			end
			most = math.max(most, to - i)
		end
		return most
	end

	-- Returns when so many of the oldest moments have left that the log has room for the cost; 0 if it has.
	local function book_after(state, first, cost)
		local beyond = state.n - first + cost - MOMENTS_MAX
		return beyond > 0 and moment(state, first + beyond - 1) + state.period or 0
	end

	-- Returns the index of the first k moments that can forbid t: those before it end earlier.
	local function first_forbidding(state, first, k, t)
		if state.ahead == 0 or moment(state, state.n - 1) <= t then
			return state.n - k -- nothing lies ahead of t: the last k decide
		end
		return math.max(first, first_after(state, t - state.period), state.n - state.ahead - k)
	end

	-- Returns whether the moment that is judged is a booking that has not come, and lies behind all that have.
	local function is_ahead(ctx, first)
		local state = ctx.state
		local come = state.n - state.ahead
		return ctx.booking and ctx.at > ctx.now and (come <= first or ctx.at > moment(state, come - 1))
	end

	return {
		unpack = function(bytes, at, extended)
			local period, base, width, n, start = struct.unpack('<I7I7BI2', bytes, at)
			local ahead = 0
			if width > AHEAD then
				width = width - AHEAD
				ahead, start = struct.unpack('<I2', bytes, start)
			end
			local next = start + n * width
			if width < 4 or width > 7 or ahead > n or next > #bytes + 1 or extended then
				error('not a state')
			end
			return {
				algorithm = 3, period = period, base = base, width = width, format = '<I' .. width, n = n, ahead = ahead,
				bytes = bytes, start = start,
			}, next
		end,

		pack = function(state)
			local n, ahead = state.n, state.ahead
			if ahead > 0 then
				return struct.pack('<BI7I7BI2I2', 3, state.period, state.base, state.width + AHEAD, n, ahead) .. slice(state, 0, n)
			end
			return struct.pack('<BI7I7BI2', 3, state.period, state.base, state.width, n) .. slice(state, 0, n)
		end,

		expires_at = function(state)
			return state.n > 0 and moment(state, state.n - 1) + state.period or 0
		end,

		-- Sets first to the first moment that still counts, by the state's own period. The last one does, or the state would
		-- be over. Booked moments that now has reached have come.
		evaluate = function(ctx)
			local state = ctx.state
			local first = first_after(state, ctx.now - state.period)
			while state.ahead > 0 and moment(state, state.n - state.ahead) <= ctx.now do
				state.ahead = state.ahead - 1
			end
			ctx.first, ctx.full_at = first, moment(state, state.n - 1) + state.period
			-- Moments elsewhere reduce what is left, too, once the log has no room for more.
			ctx.used = math.max(busiest(state, first, ctx.at), state.n - first + ctx.limit.number - MOMENTS_MAX)
		end,

		earliest = function(ctx, t)
			local state, first = ctx.state, ctx.first
			if not state then
				return t
			end
			if not ctx.booking then
				t = math.max(t, book_after(state, first, ctx.cost))
			end
			local k = ctx.limit.number - ctx.cost + 1
			if state.n - first < k then
				return t
			end
			local period, come = state.period, state.n - state.ahead
			for a = first_forbidding(state, first, k, t), state.n - k do
				local from, has_come = moment(state, a), a + k <= come
				local to = has_come and from or moment(state, a + k - 1)
				if not has_come and to - period >= t then
					break
				end
				if (has_come or to - from < period) and t < from + period then
					t = from + period
				end
			end
			return t
		end,

		admit = function(ctx)
			local state, first, period = ctx.state, ctx.first, ctx.limit.period
			local n = ctx.cost
			if ctx.tag then
				ctx.place = ctx.at
			end
			if not state then
				n = math.min(n, MOMENTS_MAX)
				return {
					algorithm = 3, period = period, base = ctx.at, width = 4, format = '<I4', n = n,
					ahead = ctx.booking and ctx.at > ctx.now and n or 0, bytes = string.rep('\0', 4 * n), start = 1,
				}
			end
			-- With a shorter period more moments leave; with a longer one none comes back.
			if state.period ~= period then
				state.period = period
				first = math.max(first, first_after(state, ctx.now - period))
			end
			if ctx.debt then
				n = math.min(n, MOMENTS_MAX - (state.n - first))
			end
			local place, ahead = first_after(state, ctx.at), state.ahead
			if is_ahead(ctx, first) then
				ahead = ahead + n
			end
			splice(state, math.min(first, place), place, n, ctx.at, math.max(first, place), state.n)
			state.ahead = ahead
			return state
		end,

		more = function(algorithm)
			-- Removes the latest moments that have come.
			algorithm.credit = function(ctx)
				local state, first = ctx.state, ctx.first
				local place = math.max(first, state.n - state.ahead)
				splice(state, first, math.max(first, place - ctx.cost), 0, 0, place, state.n)
				return state
			end

			algorithm.book_at = function(ctx)
				return ctx.state and book_after(ctx.state, ctx.first, ctx.cost) or 0
			end

			algorithm.cancel = function(ctx)
				local state, first = ctx.state, ctx.first
				local place = first_after(state, ctx.at)
				if place - first < ctx.cost or moment(state, place - ctx.cost) ~= ctx.at then
					return nil
				end
				local ahead = place > state.n - state.ahead and math.max(0, state.ahead - ctx.cost) or state.ahead
				splice(state, first, place - ctx.cost, 0, 0, place, state.n)
				state.ahead = ahead
				return state
			end

			algorithm.give_back = function(ctx, held, n)
				local state, first = ctx.state, ctx.first
				local place, found = first_after(state, held.place), 0
				while found < n and place - found > first and moment(state, place - found - 1) == held.place do
					found = found + 1
				end
				if found == 0 then
					return nil
				end
				local ahead = place > state.n - state.ahead and math.max(0, state.ahead - found) or state.ahead
				splice(state, first, place - found, 0, 0, place, state.n)
				state.ahead = ahead
				return state
			end
		end,
	}
end
