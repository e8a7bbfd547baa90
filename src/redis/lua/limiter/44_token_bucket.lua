-- A bucket of limit permits, refilled continuously with rate of them in a period. One permit takes period / rate.
--
-- Slot: rate, period, and the moment at which the bucket will be full, us + num / rate, exactly.
makers[5] = function()
	-- floor(a * b / c) and the rest, exactly: for a below 2^52, b below 2^24, c below 2^50 and a quotient below 2^52.
	local function mul_div(a, b, c)
		local product = a * b
		if product < 2 ^ 53 then
			local rest = math.fmod(product, c)
			return (product - rest) / c, rest
		end
		-- The product has more bits than a number: b is taken bit by bit, and what is more than c put aside each time.
		local rest_of_a = math.fmod(a, c)
		local whole_of_a = (a - rest_of_a) / c
		local whole, rest = 0, 0
		local bit = 2 ^ 24
		while bit >= 1 do
			whole, rest = whole * 2, rest * 2
			if b >= bit then
				b = b - bit
				whole, rest = whole + whole_of_a, rest + rest_of_a
			end
			while rest >= c do
				whole, rest = whole + 1, rest - c
			end
			bit = bit / 2
		end
		return whole, rest
	end

	-- Moves the moment at which the bucket is full by so many permits.
	local function owe(slot, permits)
		local us, num = mul_div(slot.period, permits, slot.rate)
		slot.us, slot.num = slot.us + us, slot.num + num
		if slot.num >= slot.rate then
			slot.us, slot.num = slot.us + 1, slot.num - slot.rate
		end
	end

	local function pay(slot, permits)
		local us, num = mul_div(slot.period, permits, slot.rate)
		slot.us, slot.num = slot.us - us, slot.num - num
		if slot.num < 0 then
			slot.us, slot.num = slot.us - 1, slot.num + slot.rate
		end
	end

	local function over_at(slot)
		return slot.us + (slot.num > 0 and 1 or 0)
	end

	return {
		unpack = function(bytes, at)
			local rate, period, us, num, next = struct.unpack('<I3I7I7I3', bytes, at)
			if rate == 0 or period == 0 then
				error('no state of ours')
			end
			return {algorithm = 5, rate = rate, period = period, us = us, num = num}, next
		end,

		pack = function(slot)
			return struct.pack('<BI3I7I7I3', 5, slot.rate, slot.period, slot.us, slot.num)
		end,

		over_at = over_at,

		-- Used is what is missing, a part of a permit for a whole.
		look = function(case)
			local slot = case.slot
			local whole, rest = mul_div(slot.us - case.now, slot.rate, slot.period)
			case.used = whole + math.ceil((rest + slot.num) / slot.period)
			case.whole_at = over_at(slot)
		end,

		-- When what is missing is no more than limit - cost permits.
		earliest = function(case, t)
			local slot = case.slot
			if not slot then
				return t
			end
			local us, num = mul_div(slot.period, case.limit.number - case.cost, slot.rate)
			return math.max(t, slot.us - us + (slot.num > num and 1 or 0))
		end,

		admit = function(case)
			local limit, slot = case.limit, case.slot
			if not slot or slot.rate ~= limit.rate or slot.period ~= limit.period then
				slot = {algorithm = 5, rate = limit.rate, period = limit.period, us = case.now, num = 0}
				owe(slot, case.used)
			end
			owe(slot, case.cost)
			return slot
		end,

		refund = function(case)
			local slot = case.slot
			if case.cost >= case.used then
				slot.us, slot.num = case.now, 0
			else
				pay(slot, case.cost)
			end
			return slot
		end,
	}
end
