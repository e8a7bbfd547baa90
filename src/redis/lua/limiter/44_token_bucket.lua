-- Fragment 44, the token bucket: limit permits, refilled continuously with rate permits in a period, by the generic cell rate
-- algorithm (GCRA). One permit takes period / rate.
--
-- Limit state: rate, period, and the theoretical arrival time (TAT), the moment at which the bucket will be full: tat_us +
-- tat_frac / rate, exactly. With a tag, in the form that EXTENDED tells apart: the number of the last take, and the marks, a
-- list of number and backlog in us in turn, both increasing. src/core/token_bucket.c explains them.
--
-- A TAT is at most 20 years ahead, below 2^50 us. A call that waits has its turn within ten, and then takes permits that
-- refill within ten. A debt ends within ten, or where the TAT was.
makers[5] = function()
	-- Returns floor(a * b / c) and the rest, exactly: for a below 2^52, b below 2^53, c below 2^50, a quotient below 2^52. A
	-- larger quotient is rounded, and stays larger than any time or count. docs/semantics.md has the proof.
	local function mul_div(a, b, c)
		local product = a * b
		if product < 2 ^ 53 then
			local rest = math.fmod(product, c)
			return (product - rest) / c, rest
		end
		-- The product has more bits than a number holds: b is added bit by bit, and each sum is reduced by c.
		local rest_of_a = math.fmod(a, c)
		local whole_of_a = (a - rest_of_a) / c
		local whole, rest = 0, 0
		local bit = b < 2 ^ 24 and 2 ^ 23 or b < 2 ^ 40 and 2 ^ 39 or 2 ^ 52
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

	-- Moves the TAT forward by the time that so many permits take.
	local function tat_add(state, permits)
		local us, frac = mul_div(state.period, permits, state.rate)
		state.tat_us, state.tat_frac = state.tat_us + us, state.tat_frac + frac
		if state.tat_frac >= state.rate then
			state.tat_us, state.tat_frac = state.tat_us + 1, state.tat_frac - state.rate
		end
	end

	local function expires_at(state)
		return state.tat_us + (state.tat_frac > 0 and 1 or 0)
	end

	return {
		unpack = function(bytes, at, extended, wide)
			local rate, period, tat_us, tat_frac, next = struct.unpack(wide and '<I6I7I7I6' or '<I3I7I7I3', bytes, at)
			local takes, marks
			if extended then
				local n
				takes, n, next = struct.unpack('<I6B', bytes, next)
				marks = {struct.unpack('<' .. string.rep('I6I7', n), bytes, next)}
				next = table.remove(marks)
			end
			if rate == 0 or period == 0 then
				error('not a state')
			end
			return {
				algorithm = 5, rate = rate, period = period, tat_us = tat_us, tat_frac = tat_frac, takes = takes, marks = marks,
			}, next
		end,

		pack = function(state, wide)
			local marks, EXTENDED_BUCKET = state.marks, 5 + 32
			if marks then
				return struct.pack((wide and '<BI6I7I7I6I6B' or '<BI3I7I7I3I6B') .. string.rep('I6I7', #marks / 2), EXTENDED_BUCKET,
					state.rate, state.period, state.tat_us, state.tat_frac, state.takes, #marks / 2, unpack(marks))
			end
			return struct.pack(wide and '<BI6I7I7I6' or '<BI3I7I7I3', 5, state.rate, state.period, state.tat_us, state.tat_frac)
		end,

		expires_at = expires_at,

		-- Used is the backlog in permits, a part of one as a whole; at most the largest count.
		evaluate = function(ctx)
			local state = ctx.state
			if state.tat_us >= ctx.at then
				local whole, rest = mul_div(state.tat_us - ctx.at, state.rate, state.period)
				ctx.used = math.min(1e12, whole + math.ceil((rest + state.tat_frac) / state.period))
			end
			ctx.full_at = expires_at(state)
		end,

		-- Returns when the backlog is no more than limit - cost permits.
		earliest = function(ctx, t)
			local state = ctx.state
			if not state then
				return t
			end
			local us, frac = mul_div(state.period, ctx.limit.number - ctx.cost, state.rate)
			return math.max(t, state.tat_us - us + (state.tat_frac > frac and 1 or 0))
		end,

		-- Of a call that counts now, by a limit without a tag; more() has the whole.
		admit = function(ctx)
			local limit, state = ctx.limit, ctx.state
			if not state or state.rate ~= limit.rate or state.period ~= limit.period then
				state = {algorithm = 5, rate = limit.rate, period = limit.period, tat_us = ctx.now, tat_frac = 0}
				tat_add(state, ctx.used)
			end
			tat_add(state, ctx.cost)
			return state
		end,

		more = function(algorithm)
			-- Returns the permits that are missing at t, a part of one as a whole; at most the largest count.
			local function missing(state, t)
				local whole, rest = mul_div(state.tat_us - t, state.rate, state.period)
				return math.min(1e12, whole + math.ceil((rest + state.tat_frac) / state.period))
			end

			algorithm.largest = function(state)
				return state.rate
			end

			-- Numbers a take or a give-back.
			local function mark(state, backlog)
				local MARKS_MAX = 8
				local marks, takes = state.marks or {}, (state.takes or 0) + 1
				state.marks, state.takes = marks, takes
				while marks[1] and marks[#marks] >= backlog do
					marks[#marks], marks[#marks - 1] = nil, nil
				end
				if #marks == 2 * MARKS_MAX then
					marks[#marks - 1] = takes
				else
					marks[#marks + 1] = takes
					marks[#marks + 1] = backlog
				end
			end

			-- Returns the lowest backlog since a take.
			local function lowest_since(marks, take)
				for i = 1, #marks, 2 do
					if marks[i] > take then
						return marks[i + 1]
					end
				end
				return math.huge
			end

			-- Moves the TAT back by us + frac / rate, down to now.
			local function tat_sub(state, now, us, frac)
				state.tat_us, state.tat_frac = state.tat_us - us, state.tat_frac - frac
				if state.tat_frac < 0 then
					state.tat_us, state.tat_frac = state.tat_us - 1, state.tat_frac + state.rate
				end
				if state.tat_us < now then
					state.tat_us, state.tat_frac = now, 0
				end
			end

			-- Lowers the backlogs that takes after this one found by what it gives back: they would not have found that.
			local function lower_marks(state, take, us)
				local marks, lowered = state.marks or {}, {}
				for i = 1, #marks, 2 do
					local backlog = marks[i] > take and math.max(0, marks[i + 1] - us) or marks[i + 1]
					while lowered[1] and lowered[#lowered] >= backlog do
						lowered[#lowered], lowered[#lowered - 1] = nil, nil
					end
					lowered[#lowered + 1] = marks[i]
					lowered[#lowered + 1] = backlog
				end
				state.marks = lowered
			end

			algorithm.admit = function(ctx)
				local limit, state, now, at = ctx.limit, ctx.state, ctx.now, ctx.at
				local latest = now + 315360000 * 1000000 -- ten years: of a debt, and of a conversion
				if not state or state.rate ~= limit.rate or state.period ~= limit.period then
					local used = state and missing(state, now) or 0
					state = {algorithm = 5, rate = limit.rate, period = limit.period, tat_us = now, tat_frac = 0}
					tat_add(state, used)
					if state.tat_us >= latest then
						state.tat_us, state.tat_frac = latest, 0
					end
				end
				if ctx.tag then
					mark(state, math.max(0, state.tat_us - at))
					ctx.place = state.takes
				end
				if state.tat_us < at then
					ctx.moved = at - expires_at(state)
					state.tat_us, state.tat_frac = at, 0
				end
				local us, frac = state.tat_us, state.tat_frac
				tat_add(state, ctx.cost)
				if ctx.debt and state.tat_us >= latest then
					state.tat_us, state.tat_frac = latest, 0
					if us >= latest then
						state.tat_us, state.tat_frac = us, frac
					end
				end
				return state
			end

			algorithm.credit = function(ctx)
				local state = ctx.state
				tat_sub(state, ctx.now, mul_div(state.period, ctx.cost, state.rate))
				if state.tag then
					mark(state, state.tat_us - ctx.now)
				end
				return state
			end

			-- Permits that were refilled for everybody since the permit's take do not go back a second time.
			algorithm.give_back = function(ctx, held, n, all)
				local state = ctx.state
				local us, frac = mul_div(state.period, n, state.rate)
				if all then
					us = us + held.moved
				end
				local lowest = lowest_since(state.marks or {}, held.place)
				if us >= lowest then
					us, frac = lowest, 0
				end
				local tat_us, tat_frac = state.tat_us, state.tat_frac
				tat_sub(state, ctx.now, us, frac)
				lower_marks(state, held.place, tat_us - state.tat_us + (tat_frac > state.tat_frac and 1 or 0))
				mark(state, state.tat_us - ctx.now)
				return state
			end
		end,
	}
end
