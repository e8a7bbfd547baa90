-- At most limit in every interval of the period, with a few dozen counters whatever the limit is. The period is cut
-- into 30 parts; what was admitted in a part counts until all of the part is a period old.
--
-- Slot: period, origin, and the parts {i, count} that count, the oldest first: what was admitted in [origin + i*w,
-- origin + (i+1)*w). A kept origin is that of the oldest part, so that an i is never more than 31.
makers[4] = function()
	local PARTS = 30

	local function width(slot)
		return math.ceil(slot.period / PARTS)
	end

	local function part_over_at(slot, part)
		return slot.origin + (part.i + 1) * width(slot) + slot.period
	end

	-- Only the parts that count now, by the slot's own period.
	local function look(case)
		local slot = case.slot
		local parts = {}
		for _, part in ipairs(slot and slot.parts or {}) do
			if part.count > 0 and part_over_at(slot, part) > case.now then
				parts[#parts + 1] = part
			end
		end
		return parts[1] and {period = slot.period, origin = slot.origin, parts = parts} or nil
	end

	local function count(slot, t, n)
		local last = slot.parts[#slot.parts]
		-- Never before the oldest part, should the clock have gone back: later parts count longer.
		local i = math.max(slot.parts[1] and slot.parts[1].i or 0, math.floor((t - slot.origin) / width(slot)))
		if not last or last.i < i then
			slot.parts[#slot.parts + 1] = {i = i, count = n}
			return
		end
		for place, part in ipairs(slot.parts) do
			if part.i == i then
				part.count = part.count + n
				return
			elseif part.i > i then
				table.insert(slot.parts, place, {i = i, count = n})
				return
			end
		end
	end

	-- Counts anew what was counted under another period, each part at its last moment: never forgotten too early.
	local function turn(old, period, now)
		local slot = {period = period, parts = {}}
		for _, part in ipairs(old.parts) do
			local last = math.min(now, old.origin + (part.i + 1) * width(old) - 1)
			slot.origin = slot.origin or last
			count(slot, last, part.count)
		end
		return look({slot = slot, now = now})
	end

	local function sum(slot)
		local n = 0
		for _, part in ipairs(slot and slot.parts or {}) do
			n = n + part.count
		end
		return n
	end

	return {
		unpack = function(bytes, at)
			local slot = {parts = {}}
			local n
			slot.period, slot.origin, n, at = struct.unpack('<I7I7B', bytes, at)
			for place = 1, n do
				local part = {}
				part.i, part.count, at = struct.unpack('<BI3', bytes, at)
				slot.parts[place] = part
			end
			return slot, at
		end,

		pack = function(slot)
			local first = slot.parts[1].i
			local parts = {struct.pack('<I7I7B', slot.period, slot.origin + first * width(slot), #slot.parts)}
			for place, part in ipairs(slot.parts) do
				parts[place + 1] = struct.pack('<BI3', part.i - first, part.count)
			end
			return table.concat(parts)
		end,

		fits = function(slot, limit)
			return slot.period == limit.period
		end,

		over_at = function(slot)
			local last = slot.parts[#slot.parts]
			return last and part_over_at(slot, last) or 0
		end,

		used = function(case)
			return sum(look(case))
		end,

		earliest = function(case, t)
			local slot = look(case)
			local n = sum(slot)
			for _, part in ipairs(slot and slot.parts or {}) do
				local over = part_over_at(slot, part)
				if over > t then
					if n + case.cost <= case.limit.number then
						break
					end
					t = over
				end
				n = n - part.count
			end
			return t
		end,

		whole_at = function(case)
			local slot = look(case)
			return slot and part_over_at(slot, slot.parts[#slot.parts]) or case.now
		end,

		admit = function(case)
			local slot = look(case)
			if slot and slot.period ~= case.limit.period then
				slot = turn(slot, case.limit.period, case.now)
			end
			slot = slot or {period = case.limit.period, origin = case.now, parts = {}}
			count(slot, case.now, case.cost)
			return slot
		end,

		-- From the newest part first; a part without a count is none.
		refund = function(case)
			local slot = look(case) or {period = case.slot.period, origin = case.slot.origin, parts = {}}
			local left = case.cost
			while left > 0 and slot.parts[1] do
				local last = slot.parts[#slot.parts]
				local back = math.min(left, last.count)
				last.count = last.count - back
				left = left - back
				if last.count == 0 then
					slot.parts[#slot.parts] = nil
				end
			end
			return slot
		end,
	}
end
