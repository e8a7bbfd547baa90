local token_bucket, mul_div
if needed >= 4 then
	needed = needed - 4
	-- Returns floor(a * b / c) and the rest, exactly: for whole numbers below 2^53 and a quotient below 2^53. A larger quotient is
	-- rounded, and stays larger than any time or count. docs/internals.md has the proof.
	mul_div = function(a, b, c)
		local SPLIT = 2 ^ 27 + 1
		local product = a * b
		local whole = product / c
		whole = whole - whole % 1
		if product < 2 ^ 53 then
			local rest = product - whole * c
			if rest < 0 then -- the quotient was rounded up
				return whole - 1, rest + c
			end
			return whole, rest
		end
		-- Dekker's product: a product and its rounding error.
		local back = whole * c
		local a1, b1, w1, c1 = SPLIT * a, SPLIT * b, SPLIT * whole, SPLIT * c
		a1, b1, w1, c1 = a1 - (a1 - a), b1 - (b1 - b), w1 - (w1 - whole), c1 - (c1 - c)
		local a2, b2, w2, c2 = a - a1, b - b1, whole - w1, c - c1
		local rest = product - back + ((a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2)
			- (w1 * c1 - back + w1 * c2 + w2 * c1 + w2 * c2))
		if rest < 0 then
			return whole - 1, rest + c
		elseif rest >= c then
			return whole + 1, rest - c
		end
		return whole, rest
	end

	-- Limit permits, refilled continuously with rate permits in a period, by the generic cell rate algorithm (GCRA). One permit
	-- takes period / rate. Limit state: word, period, rate, and the theoretical arrival time (TAT), the moment at which the bucket will
	-- be full: tat_us + tat_frac / rate, exactly.
	token_bucket = function(word, number, cost, rate, period, now, value, place, states)
		local LARGEST = 1e12
		local tat_us, tat_frac, used, stored_end = now, 0, 0, 0
		if value then
			if place + 25 > #value then
				return
			end
			local of_word, of_period, of_rate, us, frac, next_place = from_bytes('<I2I7I5I7I5', value, place)
			if of_word ~= word or of_rate ~= rate or of_period ~= period then
				return
			end
			stored_end, place = frac > 0 and us + 1 or us, next_place
			if stored_end > now then
				tat_us, tat_frac = us, frac
				local rest
				used, rest = mul_div(us - now, rate, period)
				rest = rest + frac
				used = used + (rest - rest % -period) / period -- rounded up
				used = used < LARGEST and used or LARGEST
			end
		end
		-- The call takes exactly its cost of the backlog, so that one division is enough to admit it.
		local left = number - used - cost
		local us, frac = mul_div(period, left >= 0 and cost or number - cost, rate)
		if left < 0 then
			return left, stored_end, tat_us - us + (tat_frac > frac and 1 or 0), place, stored_end
		end
		tat_us, tat_frac = tat_us + us, tat_frac + frac
		if tat_frac >= rate then
			tat_us, tat_frac = tat_us + 1, tat_frac - rate
		end
		local again_at = now
		if left == 0 then
			us, frac = mul_div(period, number - 1, rate)
			again_at = tat_us - us + (tat_frac > frac and 1 or 0)
		end
		return left, tat_us + (tat_frac > 0 and 1 or 0), again_at, place, stored_end,
			states and to_bytes('<c0I2I7I5I7I5', states, word, period, rate, tat_us, tat_frac)
	end
end
