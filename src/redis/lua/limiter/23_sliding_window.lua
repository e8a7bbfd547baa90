if not only or only == 4 then
	-- Admits at most limit permits in every interval of the period, with a few dozen counters: the period is cut into 30
	-- sub-windows, and a permit counts until its whole sub-window is a period old.
	-- Limit state: period, origin, the number of counters, and each as the index of its sub-window and its count.
	sliding_window = function(number, cost, _, period, now, value, place, states)
		local SUB_WINDOWS = 30
		local width = (period - period % -SUB_WINDOWS) / SUB_WINDOWS -- rounded up
		local origin, n, first, last, last_count
		local begin, stored_end = place + 16, 0 -- begin: of the counters
		if value then
			if begin + 3 > #value then
				return
			end
			local same, of_period, first_count
			same, of_period, origin, n, first, first_count = from_bytes('<BI7I7BBI3', value, place)
			place = begin + 4 * n
			if same ~= 4 or of_period ~= period or n == 0 or place > #value + 1 then
				return
			end
			last, last_count = first, first_count
			if n > 1 then
				last, last_count = from_bytes('<BI3', value, place - 4)
			end
			stored_end = origin + (last + 1) * width + period
		end
		if stored_end <= now then
			local left, full_at = number - cost, now + width + period
			return left, full_at, full_at, place, stored_end, left >= 0 and to_bytes('<c0BI7I7BBI3', states, 4, period, now, 1, 0, cost)
		end
		local current = now - origin
		current = (current - current % width) / width
		if current < last then
			return
		end
		-- Counters before the oldest one that counts are gone.
		local again_at = origin + (first + 1) * width + period
		while again_at <= now do
			n, begin = n - 1, begin + 4
			first = string.byte(value, begin)
			again_at = origin + (first + 1) * width + period
		end
		local used = last_count
		if n > 1 then
			local counters = {from_bytes('<' .. string.rep('xI3', n - 1), value, begin)}
			for i = 1, n - 1 do
				used = used + counters[i]
			end
		end
		local left, full_at = number - used - cost, stored_end
		if left < 0 then
			local count
			repeat
				first, count = from_bytes('<BI3', value, begin)
				again_at, used, begin = origin + (first + 1) * width + period, used - count, begin + 4
			until used + cost <= number or begin >= place
			return left, full_at, again_at, place, stored_end
		end
		-- The last counter is written anew; a new sub-window has one more.
		local kept = ''
		if current > last then
			kept = string.sub(value, begin, place - 1)
			full_at, n, last_count = origin + (current + 1) * width + period, n + 1, 0
			if n > 255 then
				return
			end
		elseif n > 1 then
			kept = string.sub(value, begin, place - 5)
		end
		if first > 0 then
			-- All indexes count from the oldest counter.
			kept = string.gsub(kept, '(.)(...)', function(i, count)
				return string.char(string.byte(i) - first) .. count
			end)
		end
		return left, full_at, again_at, place, stored_end,
			to_bytes('<c0BI7I7Bc0BI3', states, 4, period, origin + first * width, n, kept, current - first, last_count + cost)
	end
end
