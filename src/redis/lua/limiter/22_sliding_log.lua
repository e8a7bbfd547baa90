if not only or only == 3 then
	-- Admits at most limit permits in every interval of the period, exactly: it keeps each admitted moment until it is a period old.
	-- Limit state: period, a base, the width of a moment, their number, and the moments as their distances from the base.
	sliding_log = function(number, cost, _, period, now, value, place, states)
		local base, width, n, format
		local begin, stored_end = place + 18, 0 -- begin: of the moments
		if value then
			if begin > #value then
				return
			end
			local same, of_period
			same, of_period, base, width, n = from_bytes('<BI7I7BI2', value, place)
			place = begin + n * width
			if same ~= 3 or of_period ~= period or n == 0 or width < 4 or width > 7 or place > #value + 1 then
				return
			end
			format = width == 4 and '<I4' or string.format('<I%d', width)
			local last = base + from_bytes(format, value, place - width)
			if last > now then
				return
			end
			stored_end = last + period
		end
		if stored_end <= now then
			local left = number - cost
			return left, now + period, now + period, place, stored_end,
				left >= 0 and to_bytes('<c0BI7I7BI2c0', states, 3, period, now, 4, cost, string.rep('\0', 4 * cost))
		end
		-- Moments of a period ago and before are gone.
		local gone, low, high = now - period - base, 0, n - 1
		if from_bytes(format, value, begin) > gone then
			high = 0
		end
		while low < high do
			local middle = math.floor((low + high) / 2)
			if from_bytes(format, value, begin + middle * width) <= gone then
				low = middle + 1
			else
				high = middle
			end
		end
		local left, full_at = number - (n - low) - cost, stored_end
		if left >= 0 then
			local distance = now - base
			if distance >= 256 ^ width then
				return
			end
			local new = to_bytes(format, distance)
			full_at = now + period
			states = to_bytes('<c0BI7I7BI2c0c0', states, 3, period, base, width, n - low + cost,
				string.sub(value, begin + low * width, place - 1), cost == 1 and new or string.rep(new, cost))
		else
			low = n - number + cost - 1
		end
		local oldest = low < n and base + from_bytes(format, value, begin + low * width) or now
		return left, full_at, oldest + period, place, stored_end, states
	end
end
