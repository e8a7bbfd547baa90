if not only or only == 2 then
	-- Admits at most limit permits in each period of a clock. The call brings the end of the clock's window and of the next one.
	-- Limit state, of a Period without units and one window: the period, its kind, 1, the window's end and count.
	calendar_window = function(number, cost, _, period, now, value, place, states, boundary, next_boundary)
		local count, full_at, stored_end = 0, boundary, 0
		if value then
			if place + 14 > #value then
				return
			end
			local same, of_period, kind, n, of_end, of_count, next_place = from_bytes('<BBBI2I7I3', value, place)
			if same ~= 2 or of_period ~= period or kind ~= 0 or n ~= 1 or of_end > next_boundary then
				return
			elseif of_end > now then
				full_at, count = of_end, of_count
			end
			stored_end, place = of_end, next_place
		elseif period > 255 then
			return
		end
		local left = number - count - cost
		return left, full_at, full_at, place, stored_end,
			left >= 0 and to_bytes('<c0BBBI2I7I3', states, 2, period, 0, 1, full_at, number - left)
	end
end
