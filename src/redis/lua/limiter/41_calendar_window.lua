-- Fragment 41, the calendar window: admits at most limit permits in each period of a clock: a minute to a year, or an interval
-- from an anchor. The boundaries come with the call. src/core/calendar_window.c explains what happens when the clock is set back.
-- Limit state: the Period, the windows {end_at, count} in the order of their ends, and how many of the last are booked and
-- have not come. The byte behind the period's lowest one has flags for what follows the number of windows: AHEAD, how many are
-- ahead; UNITS, the period's other bytes, which only an interval has.
makers[2] = function()
	local WINDOWS_MAX = 1000
	local AHEAD, UNITS = 2, 4

	-- Returns the windows that are not over, and the one that is judged: its index, whether it exists, its end and count.
	local function view_of(ctx)
		local limit, state = ctx.limit, ctx.state
		local bounds = limit.bounds
		local boundary, next_boundary = bounds[2], bounds[3]
		if not ctx.booking and ctx.now >= boundary then
			boundary, next_boundary = next_boundary, math.huge
		end
		local windows, n, ahead = {}, 0, 0
		if state then
			for _, window in ipairs(state.windows) do
				if window.end_at > ctx.now then
					n = n + 1
					windows[n] = window
				end
			end
			ahead = math.min(state.ahead, n)
			if ahead < n and state.period == limit.period and windows[1].end_at > next_boundary then
				-- The clock was set back by a whole window or more.
				windows, n = {unpack(windows, n - ahead + 1)}, ahead
			end
		end
		local index, period, exists = 1, n > 0 and state.period or limit.period, false
		if ctx.booking then
			while index <= n and windows[index].end_at < boundary do
				index = index + 1
			end
			exists = index <= n and (windows[index].end_at == boundary or index <= n - ahead and period == limit.period)
		elseif n > 0 then
			while ahead > 0 and windows[n - ahead + 1].end_at <= boundary do
				ahead = ahead - 1
			end
			-- A window of another Period runs until it is over, whatever its end is.
			exists = ahead < n or windows[1].end_at <= boundary or period ~= limit.period
		end
		return {
			windows = windows, n = n, ahead = ahead, period = period, index = index, exists = exists,
			end_at = exists and windows[index].end_at or boundary, count = exists and windows[index].count or 0,
		}
	end

	local function is_full(ctx, count)
		return count + ctx.cost > ctx.limit.number
	end

	-- Returns t, or the end of the next window if t lies in that one, the call has brought its end, and it is full.
	local function skip_full_next(ctx, view, t)
		local next_end = ctx.limit.bounds[3]
		if view.end_at >= next_end or t >= next_end then
			return t
		end
		for i = view.exists and 2 or 1, view.n do
			local window = view.windows[i]
			if window.end_at == next_end and is_full(ctx, window.count) then
				return next_end
			end
		end
		return t
	end

	local function put(ctx, view, count)
		local window, ahead = {end_at = view.end_at, count = count}, view.ahead
		if view.exists then
			view.windows[view.index] = window
		else
			if ctx.booking and view.index + ahead > view.n then
				ahead = ahead + 1
			end
			table.insert(view.windows, view.index, window)
		end
		return {
			algorithm = 2, period = view.period, ahead = ahead, windows = view.windows, tag = ctx.state and ctx.state.tag,
		}
	end

	return {
		unpack = function(bytes, at, extended, wide)
			local period, kind, n
			local ahead, windows = 0, {}
			period, kind, n, at = struct.unpack('<BBI2', bytes, at)
			if kind % AHEAD ~= 0 or kind > AHEAD + UNITS or extended then
				error('not a state')
			end
			if kind == AHEAD or kind == AHEAD + UNITS then
				ahead, at = struct.unpack('<I2', bytes, at)
			end
			if kind >= UNITS then
				local units
				units, at = struct.unpack('<I4', bytes, at)
				period = period + units * 256
			end
			for i = 1, n do
				local end_at, count
				end_at, count, at = struct.unpack(wide and '<I7I6' or '<I7I3', bytes, at)
				windows[i] = {end_at = end_at, count = count}
			end
			return {algorithm = 2, period = period, ahead = ahead, windows = windows}, at
		end,

		pack = function(state, wide)
			local period, ahead = state.period % 256, state.ahead > 0
			local units = (state.period - period) / 256
			local kind = (ahead and AHEAD or 0) + (units > 0 and UNITS or 0)
			local parts = {struct.pack('<BBBI2', 2, period, kind, #state.windows)}
			if ahead then
				parts[1] = parts[1] .. struct.pack('<I2', state.ahead)
			end
			if units > 0 then
				parts[1] = parts[1] .. struct.pack('<I4', units)
			end
			for i, window in ipairs(state.windows) do
				parts[i + 1] = struct.pack(wide and '<I7I6' or '<I7I3', window.end_at, window.count)
			end
			return table.concat(parts)
		end,

		expires_at = function(state)
			local last = state.windows[#state.windows]
			return last and last.end_at or 0
		end,

		evaluate = function(ctx)
			local view = view_of(ctx)
			ctx.view, ctx.used = view, view.count
			ctx.full_at = view.exists and view.end_at or ctx.now
		end,

		earliest = function(ctx, t)
			local view = ctx.view or view_of(ctx)
			if t < view.end_at then
				if not is_full(ctx, view.count) then
					return t
				end
				t = view.end_at
			end
			return skip_full_next(ctx, view, t)
		end,

		admit = function(ctx)
			local view = ctx.view or view_of(ctx)
			if ctx.tag then
				ctx.place = view.end_at
			end
			return put(ctx, view, math.min(1e12, view.count + ctx.cost))
		end,

		more = function(algorithm)
			algorithm.largest = function(state)
				local most = 0
				for _, window in ipairs(state.windows) do
					most = math.max(most, window.count)
				end
				return most
			end

			-- Without a current window there is nothing to give back.
			algorithm.credit = function(ctx)
				local view = ctx.view
				if not view.exists then
					return {
						algorithm = 2, period = view.period, ahead = view.ahead, windows = view.windows, tag = ctx.state.tag,
					}
				end
				return put(ctx, view, math.max(0, view.count - ctx.cost))
			end

			algorithm.book_at = function(ctx)
				local view = ctx.view or view_of(ctx)
				return (view.exists or view.n < WINDOWS_MAX) and 0 or view.windows[1].end_at
			end

			-- A moment of a window that is over is in no window, although a booking would count it in the running one.
			algorithm.cancel = function(ctx)
				local view = ctx.view
				if ctx.limit.bounds[2] <= ctx.now or not view.exists or view.count < ctx.cost then
					return nil
				end
				return put(ctx, view, view.count - ctx.cost)
			end

			algorithm.give_back = function(ctx, held, n)
				local view = ctx.view
				for index, window in ipairs(view.windows) do
					if window.end_at == held.place then
						view.index, view.exists, view.end_at = index, true, window.end_at
						if ctx.undo and window.count <= n then
							local ahead = index > view.n - view.ahead and view.ahead - 1 or view.ahead
							table.remove(view.windows, index)
							return {
								algorithm = 2, period = view.period, ahead = ahead, windows = view.windows, tag = ctx.state.tag,
							}
						end
						return put(ctx, view, math.max(0, window.count - n))
					end
				end
			end
		end,
	}
end
