-- At most limit in each minute, hour, day, week or month of a clock, whose boundaries come with the call.
-- Slot: the Period, whether any window was booked ahead, and the windows {over, count} in the order of their ends.
makers[2] = function()
	local WINDOWS_MAX = 1000

	-- The page: the windows that are not over, and of them the one that is judged: its place, whether it is there, end and
	-- count.
	local function open(case)
		local bounds, slot = case.limit.bounds, case.slot
		local boundary = (case.booking or case.now < bounds[2]) and bounds[2] or bounds[3]
		local windows = {}
		for _, window in ipairs(slot and slot.windows or {}) do
			if window.over > case.now then
				windows[#windows + 1] = window
			end
		end
		local first = windows[1]
		local page = {
			windows = windows, place = 1, over = boundary,
			period = first and slot.period or case.limit.period, booked = first and slot.booked or false,
		}
		if case.booking then
			while windows[page.place] and windows[page.place].over < boundary do
				page.place = page.place + 1
			end
			page.there = windows[page.place] ~= nil and windows[page.place].over == boundary
		elseif first and (page.period ~= case.limit.period or first.over <= boundary) then
			-- Of another period: it holds until it is over.
			page.there, page.over = true, first.over
		else
			-- A window that ends later was booked, or the clock went back: then it ends with the clock's.
			page.there = first ~= nil and not page.booked
		end
		page.count = page.there and windows[page.place].count or 0
		return page
	end

	local function is_full(case, count)
		return count + case.cost > case.limit.number
	end

	-- t, or the end of the next window if t lies in that one and it is full: the call has brought its end.
	local function past_the_next(case, page, t)
		local next_over = case.limit.bounds[3]
		if page.over >= next_over or t >= next_over then
			return t
		end
		for i = page.there and 2 or 1, #page.windows do
			local window = page.windows[i]
			if window.over == next_over and is_full(case, window.count) then
				return next_over
			end
		end
		return t
	end

	local function put(case, page, count)
		local window = {over = page.over, count = count}
		if page.there then
			page.windows[page.place] = window
		else
			table.insert(page.windows, page.place, window)
		end
		return {algorithm = 2, period = page.period, booked = page.booked or case.booking, windows = page.windows}
	end

	return {
		unpack = function(bytes, at)
			local period, booked, n
			period, booked, n, at = struct.unpack('<BBI2', bytes, at)
			local windows = {}
			for i = 1, n do
				local over, count
				over, count, at = struct.unpack('<I7I3', bytes, at)
				windows[i] = {over = over, count = count}
			end
			return {algorithm = 2, period = period, booked = booked == 1, windows = windows}, at
		end,

		pack = function(slot)
			local parts = {struct.pack('<BBBI2', 2, slot.period, slot.booked and 1 or 0, #slot.windows)}
			for i, window in ipairs(slot.windows) do
				parts[i + 1] = struct.pack('<I7I3', window.over, window.count)
			end
			return table.concat(parts)
		end,

		over_at = function(slot)
			local last = slot.windows[#slot.windows]
			return last and last.over or 0
		end,

		look = function(case)
			local page = open(case)
			case.page, case.used = page, page.count
			case.whole_at = page.there and page.over or case.now
		end,

		earliest = function(case, t)
			local page = case.page or open(case)
			if t < page.over then
				if not is_full(case, page.count) then
					return t
				end
				t = page.over
			end
			return past_the_next(case, page, t)
		end,

		admit = function(case)
			local page = case.page or open(case)
			return put(case, page, page.count + case.cost)
		end,

		refund = function(case)
			local page = case.page
			if not page.there then
				return case.slot
			end
			return put(case, page, math.max(0, page.count - case.cost))
		end,

		room_at = function(case)
			local page = case.page or open(case)
			return (page.there or #page.windows < WINDOWS_MAX) and 0 or page.windows[1].over
		end,

		cancel = function(case)
			local page = case.page
			if not page.there or page.count < case.cost then
				return nil
			end
			return put(case, page, page.count - case.cost)
		end,
	}
end
