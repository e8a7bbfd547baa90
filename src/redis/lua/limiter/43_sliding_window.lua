-- At most limit in every interval of the period, with a few dozen counters whatever the limit is. The period is cut
-- into 30 parts; what was admitted in a part counts until all of the part is a period old.
--
-- Slot: period, origin, and the parts that count, the oldest first, each as its i and its count: what was admitted in
-- [origin + i*w, origin + (i+1)*w). A kept origin is that of the oldest part, so that an i is never more than 31.
-- The parts are one list, i and count in turn, from the place first on.
makers[4] = function()
	local PARTS = 30

	local function new(period, origin, parts)
		return {algorithm = 4, period = period, width = math.ceil(period / PARTS), origin = origin, parts = parts, first = 1}
	end

	local function part_over_at(slot, i)
		return slot.origin + (i + 1) * slot.width + slot.period
	end

	local function over_at(slot)
		local parts = slot.parts
		return parts[slot.first] and part_over_at(slot, parts[#parts - 1]) or 0
	end

	-- Passes by the parts that no longer count, by the slot's own period. The sum of the others.
	local function settle(slot, now)
		local parts, first = slot.parts, slot.first
		while parts[first] and part_over_at(slot, parts[first]) <= now do
			first = first + 2
		end
		slot.first = first
		local sum = 0
		for place = first + 1, #parts, 2 do
			sum = sum + parts[place]
		end
		return sum
	end

	local function count(slot, t, n)
		local parts, first = slot.parts, slot.first
		-- Never before the oldest part, should the clock have gone back: later parts count longer.
		local i = math.max(parts[first] or 0, math.floor((t - slot.origin) / slot.width))
		local place = #parts - 1
		while place >= first and parts[place] > i do
			place = place - 2
		end
		if place >= first and parts[place] == i then
			parts[place + 1] = parts[place + 1] + n
		else
			table.insert(parts, place + 2, i)
			table.insert(parts, place + 3, n)
		end
	end

	-- Counts anew what was counted under another period, each part at its last moment: never forgotten too early.
	local function turn(old, period, now)
		local slot = new(period, nil, {})
		for place = old.first, #old.parts, 2 do
			local last = math.min(now, old.origin + (old.parts[place] + 1) * old.width - 1)
			slot.origin = slot.origin or last
			count(slot, last, old.parts[place + 1])
		end
		settle(slot, now)
		return slot.parts[slot.first] and slot or nil
	end

	return {
		unpack = function(bytes, at)
			local period, origin, n
			period, origin, n, at = struct.unpack('<I7I7B', bytes, at)
			if period == 0 then
				error('no state of ours')
			end
			local parts = {struct.unpack('<' .. string.rep('BI3', n), bytes, at)}
			at = table.remove(parts)
			return new(period, origin, parts), at
		end,

		pack = function(slot)
			local parts, first = slot.parts, slot.first
			local oldest = parts[first]
			slot.origin = slot.origin + oldest * slot.width
			for place = first, #parts, 2 do
				parts[place] = parts[place] - oldest
			end
			local n = (#parts - first + 1) / 2
			return struct.pack('<BI7I7B' .. string.rep('BI3', n), 4, slot.period, slot.origin, n, unpack(parts, first))
		end,

		over_at = over_at,

		look = function(case)
			case.used, case.whole_at = settle(case.slot, case.now), over_at(case.slot)
		end,

		earliest = function(case, t)
			local slot, n = case.slot, case.used
			if not slot then
				return t
			end
			for place = slot.first, #slot.parts, 2 do
				local over = part_over_at(slot, slot.parts[place])
				if over > t then
					if n + case.cost <= case.limit.number then
						break
					end
					t = over
				end
				n = n - slot.parts[place + 1]
			end
			return t
		end,

		admit = function(case)
			local slot, period = case.slot, case.limit.period
			if slot and slot.period ~= period then
				slot = turn(slot, period, case.now)
			end
			slot = slot or new(period, case.now, {})
			count(slot, case.now, case.cost)
			return slot
		end,

		-- From the newest part first; a part without a count is none.
		refund = function(case)
			local slot, left = case.slot, case.cost
			local parts = slot.parts
			while left > 0 and #parts > slot.first do
				local last = #parts
				local back = math.min(left, parts[last])
				parts[last] = parts[last] - back
				left = left - back
				if parts[last] == 0 then
					parts[last], parts[last - 1] = nil, nil
				end
			end
			return slot
		end,
	}
end
