local calendar_window
if needed >= 32 then
	needed = needed - 32
	-- Admits at most limit permits in each period of a clock. The call brings the end of the clock's window and of the next one.
	-- Limit state: word, period, the number of windows that have come, and of each its end and count. A step is of one window.
	calendar_window = function(word, number, cost, _, period, now, value, place, states, boundary, next_boundary)
		local count, full_at, stored_end = 0, boundary, 0
		if value then
			if place + 22 > #value then
				return
			end
			local of_word, of_period, n, of_end, of_count, next_place = from_bytes('<I2I7I2I7I5', value, place)
			if of_word ~= word or of_period ~= period or n ~= 1 or of_end > next_boundary then
				return
			elseif of_end > now then
				full_at, count = of_end, of_count
			end
			stored_end, place = of_end, next_place
		end
		local left = number - count - cost
		return left, full_at, full_at, place, stored_end,
			states and left >= 0 and to_bytes('<c0I2I7I2I7I5', states, word, period, 1, full_at, number - left)
	end
end
