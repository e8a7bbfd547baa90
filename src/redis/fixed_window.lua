-- At most limit in the period that begins with the first admitted call. Slot: period, end, count.
makers[1] = function()
	local function used(case)
		return case.slot and case.slot.count or 0
	end

	return {
		unpack = function(bytes, at)
			local slot = {}
			slot.period, slot.over, slot.count, at = struct.unpack('<I7I7I3', bytes, at)
			return slot, at
		end,

		pack = function(slot)
			return struct.pack('<I7I7I3', slot.period, slot.over, slot.count)
		end,

		fits = function(slot, limit)
			return slot.period == limit.period
		end,

		over_at = function(slot)
			return slot.over
		end,

		used = used,

		earliest = function(case, t)
			if used(case) + case.cost <= case.limit.number then
				return t
			end
			return math.max(t, case.slot.over)
		end,

		whole_at = function(case)
			return case.slot and case.slot.over or case.now
		end,

		-- A window that runs keeps its period: a change of the limit's holds from the next one on.
		admit = function(case)
			local slot = case.slot or {period = case.limit.period, over = case.now + case.limit.period, count = 0}
			slot.count = slot.count + case.cost
			return slot
		end,

		refund = function(case)
			case.slot.count = math.max(0, case.slot.count - case.cost)
			return case.slot
		end,
	}
end
