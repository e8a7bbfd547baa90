-- At most limit in the period that begins with the first admitted call. Slot: period, end, count.
makers[1] = function()
	return {
		unpack = function(bytes, at)
			local period, over, count, next = struct.unpack('<I7I7I3', bytes, at)
			return {algorithm = 1, period = period, over = over, count = count}, next
		end,

		pack = function(slot)
			return struct.pack('<BI7I7I3', 1, slot.period, slot.over, slot.count)
		end,

		over_at = function(slot)
			return slot.over
		end,

		look = function(case)
			case.used, case.whole_at = case.slot.count, case.slot.over
		end,

		earliest = function(case, t)
			if case.used + case.cost <= case.limit.number then
				return t
			end
			return math.max(t, case.slot.over)
		end,

		-- A window that runs keeps its period: a change of the limit's holds from the next one on.
		admit = function(case)
			local slot, period = case.slot, case.limit.period
			if not slot then
				return {algorithm = 1, period = period, over = case.now + period, count = case.cost}
			end
			slot.count = slot.count + case.cost
			return slot
		end,

		refund = function(case)
			case.slot.count = math.max(0, case.slot.count - case.cost)
			return case.slot
		end,
	}
end
