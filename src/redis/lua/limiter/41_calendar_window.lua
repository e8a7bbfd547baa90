-- Fragment 41, the rest of the calendar window: bookings, and a clock that was set back, which src/core/algorithm/calendar_window.c explains.
-- The limit state may then have several windows that have come, in the order of their ends. Its notes are the ends and the counts
-- of those that are booked and have not come.
local WINDOW = '<I7I5'

-- Returns the windows that are not over, and the one that is judged: its index, whether it exists, its end and count.
local function view_of(ctx, state)
	local limit, bounds, windows, ahead = ctx.limit, ctx.limit.bounds, {}, 0
	local boundary, next_boundary = bounds[2], bounds[3]
	if not ctx.booking and now >= boundary then
		boundary, next_boundary = next_boundary, math.huge
	end
	if state and state.bytes then
		for from = 12, #state.bytes, 12 do
			local end_at, count = from_bytes(WINDOW, state.bytes, from)
			windows[#windows + 1] = end_at > now and {end_at = end_at, count = count} or nil
		end
		for _, note in ipairs(state.notes) do
			if note.moment > now then
				windows[#windows + 1] = {end_at = note.moment, count = note.n}
				ahead = ahead + 1
			end
		end
		if ahead < #windows and state.period == limit.period and windows[1].end_at > next_boundary then
			-- The clock was set back by a whole window or more.
			windows = {unpack(windows, #windows - ahead + 1)}
		end
	end
	local n = #windows
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
		windows = windows, ahead = ahead, period = period, index = index, exists = exists,
		end_at = exists and windows[index].end_at or boundary, count = exists and windows[index].count or 0,
	}
end

local function write(state, view)
	local come, parts = #view.windows - view.ahead, {}
	state.period, state.notes = view.period, {}
	for i, window in ipairs(view.windows) do
		if i <= come then
			parts[i] = to_bytes(WINDOW, window.end_at, window.count)
		else
			state.notes[i - come] = {moment = window.end_at, n = window.count}
		end
	end
	state.bytes = to_bytes('<I2I7I2', state.word, view.period, come) .. table.concat(parts)
end

-- Counts in the window that is judged.
local function put(ctx, state, view, count)
	local window = {end_at = view.end_at, count = count}
	if view.exists then
		view.windows[view.index] = window
	else
		if ctx.booking and view.index + view.ahead > #view.windows then
			view.ahead = view.ahead + 1
		end
		table.insert(view.windows, view.index, window)
	end
	write(state, view)
end

algorithms[2] = {
	load = function() end, -- the windows come as a call judges

	ends = function(state)
		local last = state.notes[#state.notes]
		return last and last.moment or #state.bytes > 11 and from_bytes('<I7', state.bytes, #state.bytes - 11) or 0
	end,

	-- A t in the next window, if the call has brought its end, is judged by that window's count; beyond it there is room.
	judge = function(ctx, cost, t)
		local view, next_end = ctx.view or view_of(ctx, ctx.state), ctx.limit.bounds[3]
		local end_at, count = view.end_at, view.count
		ctx.view = view
		if t >= end_at then
			local next_window
			for i = view.exists and 2 or 1, end_at < next_end and t < next_end and #view.windows or 0 do
				next_window = view.windows[i].end_at == next_end and view.windows[i] or next_window
			end
			end_at, count = next_window and next_end or t + 1, next_window and next_window.count or 0
		end
		local bytes = to_bytes('<I2I7I2I7I5', 0, 0, 1, end_at, count)
		return (calendar_window(0, ctx.limit.number, cost, 0, 0, t, bytes, 1, nil, end_at, end_at)), end_at
	end,

	admit = function(ctx, state)
		local view = view_of(ctx, state)
		ctx.place = view.end_at
		put(ctx, state, view, math.min(LARGEST, view.count + ctx.cost))
	end,

	-- Without a current window there is nothing to give back.
	credit = function(ctx)
		local view = ctx.view
		if view.exists then
			put(ctx, ctx.state, view, math.max(0, view.count - ctx.cost))
		else
			write(ctx.state, view)
		end
	end,

	book_at = function(ctx)
		local WINDOWS_MAX = 1000
		local view = ctx.view or view_of(ctx, ctx.state)
		return (view.exists or #view.windows < WINDOWS_MAX) and 0 or view.windows[1].end_at
	end,

	-- A moment of a window that is over is in no window, although a booking would count it in the running one.
	cancel = function(ctx)
		local view = ctx.view
		if ctx.limit.bounds[2] <= now or not view.exists or view.count < ctx.cost then
			return nil
		end
		put(ctx, ctx.state, view, view.count - ctx.cost)
		return true
	end,

	give_back = function(ctx, held, n)
		local view = ctx.view
		for index, window in ipairs(view.windows) do
			if window.end_at == held.place then
				view.index, view.exists, view.end_at = index, true, window.end_at
				if ctx.undo and window.count <= n then
					view.ahead = index > #view.windows - view.ahead and view.ahead - 1 or view.ahead
					table.remove(view.windows, index)
					write(ctx.state, view)
				else
					put(ctx, ctx.state, view, math.max(0, window.count - n))
				end
				return true
			end
		end
	end,
}
