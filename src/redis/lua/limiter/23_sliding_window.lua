local sliding_window
if needed >= 8 then
	needed = needed - 8
	-- Admits at most limit permits in every interval of the period, with a few dozen counters: the period is cut into 30
	-- sub-windows, and a permit counts until its whole sub-window is a period old.
	-- Limit state: word, period, the number of counters, an origin, and of each counter its sub-window's index and its count. Without
	-- counters, the sub-windows go on from the origin.
	sliding_window = function(word, number, cost, _, period, now, value, place, states)
		local SUB_WINDOWS = 30
		local width = (period - period % -SUB_WINDOWS) / SUB_WINDOWS -- rounded up
		local n, origin, last, last_count = 0, now, nil, nil
		local begin, stored_end = place + 18, 0 -- begin: of the counters
		if value then
			if begin > #value + 1 then
				return
			end
			local of_word, of_period
			of_word, of_period, n, origin = from_bytes('<I2I7I2I7', value, place)
			place = begin + 6 * n
			if of_word ~= word or of_period ~= period or place > #value + 1 then
				return
			elseif n == 0 then
				origin = now - (now - origin) % width
			else
				last, last_count = from_bytes('<BI5', value, place - 6)
				stored_end = origin + (last + 1) * width + period
			end
		end
		if stored_end <= now then
			origin = n > 0 and now or origin
			local left, full_at = number - cost, origin + width + period
			return left, full_at, full_at, place, stored_end,
				states and left >= 0 and to_bytes('<c0I2I7I2I7BI5', states, word, period, 1, origin, 0, cost)
		end
		local current = now - origin
		current = (current - current % width) / width
		if current < last then
			return
		end
		-- Counters before the oldest one that counts are gone.
		local first = n > 1 and string.byte(value, begin) or last
		local again_at = origin + (first + 1) * width + period
		while again_at <= now do
			n, begin = n - 1, begin + 6
			first = string.byte(value, begin)
			again_at = origin + (first + 1) * width + period
		end
		local used = last_count
		if n > 1 then
			local counters = {from_bytes('<' .. string.rep('xI5', n - 1), value, begin)}
			for i = 1, n - 1 do
				used = used + counters[i]
			end
		end
		local left, full_at = number - used - cost, stored_end
		if left < 0 then
			local count
			repeat
				first, count = from_bytes('<BI5', value, begin)
				again_at, used, begin = origin + (first + 1) * width + period, used - count, begin + 6
			until used + cost <= number or begin >= place
			return left, full_at, again_at, place, stored_end
		end
		-- The last counter is written anew; a new sub-window has one more.
		local kept_end = place - 7
		if current > last then
			full_at, n, last_count, kept_end = origin + (current + 1) * width + period, n + 1, 0, place - 1
		end
		if states then
			local kept = n > 1 and string.sub(value, begin, kept_end) or ''
			if first > 0 then
				-- All indexes count from the oldest counter.
				kept = string.gsub(kept, '(.)(.....)', function(i, count)
					return string.char(math.max(0, string.byte(i) - first)) .. count
				end)
			end
			states = to_bytes('<c0I2I7I2I7c0BI5', states, word, period, n, origin + first * width, kept, current - first,
				last_count + cost)
		end
		return left, full_at, again_at, place, stored_end, states
	end
end
