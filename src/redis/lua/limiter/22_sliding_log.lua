local sliding_log
if needed >= 16 then
	needed = needed - 16
	-- Admits at most limit permits in every interval of the period, exactly: it keeps each admitted moment until it is a period old.
	-- Limit state: word, period, the number of moments that have come, the width of each, a base, and the distances from that.
	sliding_log = function(word, number, cost, _, period, now, value, place, states)
		local width, format, n, base, last, low, high = 4, '<I4', 0, now, 0, 0, 0
		local begin = place + 19 -- of the moments
		if value then
			if begin > #value + 1 then
				return
			end
			local of_word, of_period
			of_word, of_period, n, width, base = from_bytes('<I2I7I2BI7', value, place)
			place, high = begin + n * width, n
			if of_word ~= word or of_period ~= period or width < 4 or width > 7 or place > #value + 1 then
				return
			end
			format = width == 4 and format or string.format('<I%d', width)
			if n > 0 then
				last = base + from_bytes(format, value, place - width)
			end
		end
		local stored_end = n > 0 and last + period or 0
		if stored_end <= now then
			low, base = n, now
		elseif base + from_bytes(format, value, begin) + period > now then
			high = 0
		end
		-- Moments of a period ago and before are gone.
		while low < high do
			local middle = math.floor((low + high) / 2)
			if base + from_bytes(format, value, begin + middle * width) + period <= now then
				low = middle + 1
			else
				high = middle
			end
		end
		local left, full_at, again_at = number - (n - low) - cost, stored_end, nil
		if left < 0 then
			low = math.min(low - left, n) - 1
		else
			full_at = math.max(stored_end, now + period)
			if states then
				if now - base >= 256 ^ width then
					return -- a new base is due
				end
				local new = to_bytes(format, now - base)
				states = to_bytes('<c0I2I7I2BI7c0c0', states, word, period, n - low + cost, width, base,
					low < n and string.sub(value, begin + low * width, place - 1) or '', cost == 1 and new or string.rep(new, cost))
			end
		end
		if low < n then
			again_at = base + from_bytes(format, value, begin + low * width) + period
		end
		return left, full_at, again_at or now + period, place, stored_end, states
	end
end
