-- At most limit in every interval of the period, exactly: every admitted moment is kept until it is a period old. With
-- bookings, moments lie ahead of now as well.
--
-- Slot: period, a base, and the moments as bytes: each its distance from the base, in 4 bytes while all lie within 71
-- minutes of it, else in as many as it takes (to 7). They stay bytes, of the state itself (from start on) until some
-- come or go: of thousands, a call looks at a dozen.
makers[3] = function()
	local MOMENTS_MAX = 10000

	-- The i-th moment, from 0.
	local function moment(slot, i)
		return slot.base + (struct.unpack(slot.format, slot.bytes, slot.start + i * slot.width))
	end

	-- The first moment later than t.
	local function first_after(slot, t)
		local low, high = 0, slot.n
		-- Mostly it is one of the ends.
		if high == 0 or moment(slot, 0) > t then
			return 0
		elseif moment(slot, high - 1) <= t then
			return high
		end
		while low < high do
			local middle = math.floor((low + high) / 2)
			if moment(slot, middle) <= t then
				low = middle + 1
			else
				high = middle
			end
		end
		return low
	end

	local function set_width(slot, width)
		slot.width = width
		slot.format = '<I' .. width
	end

	local function cut(slot, from, to)
		return string.sub(slot.bytes, slot.start + from * slot.width, slot.start + to * slot.width - 1)
	end

	-- Writes all distances anew, from the first of the moments and in the width that the last one takes.
	local function rewrite(slot, moments)
		local span = moments[#moments] - moments[1]
		slot.base, slot.n = moments[1], #moments
		set_width(slot, span < 2 ^ 32 and 4 or span < 2 ^ 40 and 5 or span < 2 ^ 48 and 6 or 7)
		for i, m in ipairs(moments) do
			moments[i] = struct.pack(slot.format, m - slot.base)
		end
		slot.bytes, slot.start = table.concat(moments), 1
	end

	-- Keeps the moments from a to b and from c to d (the ends not included), with n new ones at t between them.
	local function splice(slot, a, b, n, t, c, d)
		local distance = t - slot.base
		if n == 0 or (distance >= 0 and distance < 256 ^ slot.width) then
			local new = n > 0 and string.rep(struct.pack(slot.format, distance), n) or ''
			slot.bytes, slot.start = cut(slot, a, b) .. new .. cut(slot, c, d), 1
			slot.n = b - a + n + d - c
			return
		end
		local moments = {}
		for i = a, b - 1 do
			moments[#moments + 1] = moment(slot, i)
		end
		for _ = 1, n do
			moments[#moments + 1] = t
		end
		for i = c, d - 1 do
			moments[#moments + 1] = moment(slot, i)
		end
		rewrite(slot, moments)
	end

	-- Of all intervals of the period's length that contain t, what the fullest one holds.
	local function fullest(slot, first, t)
		local from = math.max(first, first_after(slot, t - slot.period))
		local ahead = first_after(slot, t)
		if ahead == slot.n then
			return slot.n - from
		end
		-- An interval begins with each moment up to t, and one with t.
		local most, to = 0, from
		for i = from, math.max(from, ahead) do
			local over = (i < ahead and moment(slot, i) or t) + slot.period
			while to < slot.n and moment(slot, to) < over do
				to = to + 1
			end
			most = math.max(most, to - i)
		end
		return most
	end

	-- When so many of the oldest will have left that there is room for the cost; 0 when there is.
	local function room_after(slot, first, cost)
		local beyond = slot.n - first + cost - MOMENTS_MAX
		return beyond > 0 and moment(slot, first + beyond - 1) + slot.period or 0
	end

	return {
		unpack = function(bytes, at)
			local period, base, width, n, start = struct.unpack('<I7I7BI2', bytes, at)
			local next = start + n * width
			if width < 4 or width > 7 or next > #bytes + 1 then
				error('no state of ours')
			end
			return {
				algorithm = 3, period = period, base = base, width = width, format = '<I' .. width, n = n,
				bytes = bytes, start = start,
			}, next
		end,

		pack = function(slot)
			return struct.pack('<BI7I7BI2', 3, slot.period, slot.base, slot.width, slot.n) .. cut(slot, 0, slot.n)
		end,

		over_at = function(slot)
			return slot.n > 0 and moment(slot, slot.n - 1) + slot.period or 0
		end,

		-- First is the first moment that still counts, by the slot's own period. The last one does, or the slot were over.
		look = function(case)
			local slot = case.slot
			local first = first_after(slot, case.now - slot.period)
			case.first, case.whole_at = first, moment(slot, slot.n - 1) + slot.period
			-- Moments elsewhere take from what is left, too, once there is no room for more.
			case.used = math.max(fullest(slot, first, case.at), slot.n - first + case.limit.number - MOMENTS_MAX)
		end,

		earliest = function(case, t)
			local slot, first = case.slot, case.first
			if not slot then
				return t
			end
			if not case.booking then
				t = math.max(t, room_after(slot, first, case.cost))
			end
			local k = case.limit.number - case.cost + 1
			if slot.n - first < k then
				return t
			end
			-- The ends of what is forbidden only grow: with nothing ahead of t, the last one decides.
			local a = moment(slot, slot.n - 1) <= t and slot.n - k or math.max(first, first_after(slot, t - slot.period))
			while a + k <= slot.n do
				local from, to = moment(slot, a), moment(slot, a + k - 1)
				if to - slot.period >= t then
					break
				end
				if to - from < slot.period and t < from + slot.period then
					t = from + slot.period
				end
				a = a + 1
			end
			return t
		end,

		admit = function(case)
			local slot, first, period = case.slot, case.first, case.limit.period
			if not slot then
				return {
					algorithm = 3, period = period, base = case.at, width = 4, format = '<I4', n = case.cost,
					bytes = string.rep('\0', 4 * case.cost), start = 1,
				}
			end
			-- Turned into a shorter period it forgets more; into a longer one it brings nothing back.
			slot.period = period
			first = math.max(first, first_after(slot, case.now - slot.period))
			local place = first_after(slot, case.at)
			splice(slot, math.min(first, place), place, case.cost, case.at, math.max(first, place), slot.n)
			return slot
		end,

		-- The latest that are not ahead.
		refund = function(case)
			local slot, first = case.slot, case.first
			local place = math.max(first, first_after(slot, case.now))
			splice(slot, first, math.max(first, place - case.cost), 0, 0, place, slot.n)
			return slot
		end,

		room_at = function(case)
			return case.slot and room_after(case.slot, case.first, case.cost) or 0
		end,

		cancel = function(case)
			local slot, first = case.slot, case.first
			local place = first_after(slot, case.at)
			if place - first < case.cost or moment(slot, place - case.cost) ~= case.at then
				return nil
			end
			splice(slot, first, place - case.cost, 0, 0, place, slot.n)
			return slot
		end,
	}
end
