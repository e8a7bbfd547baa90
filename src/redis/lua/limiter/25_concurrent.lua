local concurrent
if needed >= 2 then
	-- Admits at most limit places at a time, each of which is held until it is released, or its end.
	-- Limit state: word, period, the number of places, the sum of their counts; then the places in the order of their ends, each as its
	-- permit's number, its count and its end.
	concurrent = function(word, number, cost, permit_number, period, now, value, place, states)
		local WIDTH, PLACE, END_AT = 15, '<I6I2I7', 8
		local n, sum, begin, stored_end = 0, 0, place + 15, 0 -- begin: of the places
		local low, end_at = 0, now + period
		if value then
			if begin > #value + 1 then
				return
			end
			local of_word, of_period
			of_word, of_period, n, sum = from_bytes('<I2I7I2I4', value, place)
			place = begin + n * WIDTH
			if of_word ~= word or of_period ~= period or place > #value + 1 then
				return
			elseif n > 0 then
				stored_end = from_bytes('<I7', value, place - 7)
			end
		end
		-- Places that ended are gone.
		while low < n and from_bytes('<I7', value, begin + low * WIDTH + END_AT) <= now do
			local _, count = from_bytes(PLACE, value, begin + low * WIDTH)
			sum, low = sum - count, low + 1
		end
		local left, again_at, i = number - sum - cost, now, low
		if left < 0 then
			local free = left
			while i < n and free < 0 do
				local _, count, of_end = from_bytes(PLACE, value, begin + i * WIDTH)
				free, again_at, i = free + count, of_end, i + 1
			end
			return left, math.max(stored_end, now), again_at, place, stored_end
		end
		if left == 0 then
			again_at = low < n and math.min(end_at, (from_bytes('<I7', value, begin + low * WIDTH + END_AT))) or end_at
		end
		if not states then
			return left, math.max(stored_end, end_at), again_at, place, stored_end
		end
		-- The new one's end lies behind most others.
		i = n
		while i > low and from_bytes('<I7', value, begin + (i - 1) * WIDTH + END_AT) > end_at do
			i = i - 1
		end
		local before = value and string.sub(value, begin + low * WIDTH, begin + i * WIDTH - 1) or ''
		local behind = value and string.sub(value, begin + i * WIDTH, place - 1) or ''
		return left, math.max(stored_end, end_at), again_at, place, stored_end, to_bytes('<c0I2I7I2I4c0I6I2I7c0', states, word, period,
			n - low + 1, sum + cost, before, permit_number, cost, end_at, behind)
	end
end
