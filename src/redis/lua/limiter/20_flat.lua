-- Fragment 20, a copy of 40 to 44, 80 and 90 for speed; tests/core/redis_limiter_test.c compares them. Decides consume and lease
-- without a table and without a function of its own, in one pass over the limits and their states. Other fragments decide
-- everything else: other ops and numbers, a ban that runs or begins, bookings, tags, levels, states in another order or of
-- other limits, and a clock that was set back.
--
-- A limit state is read and written as 30_state.lua and the fragments of the algorithms describe it. Each limit appends its next
-- state to states, until one refuses: then only the latest moment at which the limits would admit is wanted. A call of a C
-- function costs as much as ten operations, and a new string as much as twenty.
if (op == CONSUME or op == LEASE) and cost > 0 and LIMITS_AT <= #request then
	local BAN_STEPS, EXACT = 3, 2 ^ 53
	-- decided: the index behind the last limit that was decided.
	local from, decided, request_bytes, index = LIMITS_AT, 0, #request, 0
	local place, value_bytes, stored_end, lapsed, several_lapsed = 4, 0, 0, 0, false
	local states, leased, may_ban = '\1\0\1', 0, false
	local tightest, least, reset_at, next_at, end_at = 0, EXACT, 0, now, now
	local refusing, refused_left, refused_reset_at, refused_at, kept_ms = 0, 0, 0, now, KEPT_MS
	local n_states
	if value then
		-- Version 1, without a ban and a level.
		local version, ban, n = string.byte(value, 1, 3)
		value_bytes, n_states = #value, n
		if version ~= 1 or ban ~= 0 then
			from = request_bytes + 1
		elseif n and n ~= 1 then
			states = n == 3 and '\1\0\3' or '\1\0' .. string.char(n)
		end
	end
	while from <= request_bytes do
		local algorithm, number, rate, kind, _, period, _, next_from = from_bytes(LIMIT, request, from)
		if cost > number or kind == BAN_STEPS or op == LEASE and algorithm > 2 then
			break
		elseif kind ~= 0 then
			may_ban = true
		end
		from, index = next_from, index + 1
		-- left: the permits after the call; below 0: the limit refuses. full_at: the moment at which it has all permits again.
		-- again_at: the moment at which the refused call passes; where none are left, a call with a cost of 1.
		local left, full_at, again_at
		if algorithm == 1 then
			local count = 0
			full_at = now + period
			if value then
				if place + 17 > value_bytes then
					break
				end
				local same, of_period, of_end, of_count, next_place = from_bytes('<BI7I7I3', value, place)
				if same ~= 1 or of_period ~= period then
					break
				elseif of_end > now then
					full_at, count = of_end, of_count
				end
				stored_end, place = of_end, next_place
			end
			left, again_at = number - count - cost, full_at
			if left >= 0 then
				if op == LEASE and index == 1 and from > request_bytes then
					leased = math.max(0, math.min(at % LEASE_VALID, math.floor(left / LEASE_SHARE)))
					left = left - leased
				end
				states = to_bytes('<c0BI7I7I3', states, 1, period, full_at, number - left)
			end
		elseif algorithm == 2 then
			-- One window, of a Period without units.
			local begin, boundary, next_boundary
			begin, boundary, next_boundary, from = from_bytes(BOUNDS, request, from)
			if now < begin or now >= next_boundary or period > 255 then
				break
			elseif now >= boundary then
				boundary, next_boundary = next_boundary, math.huge
			end
			local count = 0
			full_at, kept_ms = boundary, CALENDAR_KEPT_MS
			if value then
				if place + 14 > value_bytes then
					break
				end
				local same, of_period, of_kind, n, of_end, of_count, next_place = from_bytes('<BBBI2I7I3', value, place)
				if same ~= 2 or of_period ~= period or of_kind ~= 0 or n ~= 1 or of_end > next_boundary then
					break
				elseif of_end > now then
					full_at, count = of_end, of_count
				end
				stored_end, place = of_end, next_place
			end
			left, again_at = number - count - cost, full_at
			if left >= 0 then
				if op == LEASE and index == 1 and from > request_bytes then
					leased = math.max(0, math.min(at % LEASE_VALID, math.floor(left / LEASE_SHARE)))
					left = left - leased
				end
				states = to_bytes('<c0BBBI2I7I3', states, 2, period, 0, 1, full_at, number - left)
			end
		elseif algorithm == 5 then
			local tat_us, tat_frac, backlog = now, 0, 0
			if value then
				if place + 20 > value_bytes then
					break
				end
				local same, of_rate, of_period, us, frac, next_place = from_bytes('<BI3I7I7I3', value, place)
				if same ~= 5 or of_rate ~= rate or of_period ~= period then
					break
				end
				stored_end, place = frac > 0 and us + 1 or us, next_place
				if stored_end > now then
					tat_us, tat_frac, backlog = us, frac, us - now
				end
			end
			local each = tat_frac == 0 and period % rate == 0 and period / rate
			if each and backlog < EXACT and each * number < EXACT then
				-- Each permit takes a whole number of microseconds.
				left = number - (backlog - backlog % -each) / each - cost
				if left >= 0 then
					full_at = tat_us + each * cost
					again_at = full_at - each * (number - 1)
					states = to_bytes('<c0BI3I7I7I3', states, 5, rate, period, full_at, 0)
				else
					full_at, again_at = tat_us, tat_us - each * (number - cost)
				end
			else
				local used, divide = 0, nil
				backlog = backlog * rate + tat_frac
				if backlog >= EXACT or period * number >= EXACT then
					if backlog / period >= EXACT or period * number / rate >= EXACT then
						break
					end
					-- Returns floor(a * b / c) and the rest, exactly, by Dekker's product: a product and its rounding error.
					divide = function(a, b, c)
						local SPLIT = 2 ^ 27 + 1
						local product = a * b
						local whole = math.floor(product / c)
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
				end
				if backlog > 0 then
					local rest
					if divide then
						used, rest = divide(tat_us - now, rate, period)
						used = used + math.ceil((rest + tat_frac) / period)
					else
						rest = backlog % period
						if rest < 0 then -- the quotient was rounded up
							rest = rest + period
						end
						used = (backlog - rest) / period + (rest > 0 and 1 or 0)
					end
				end
				-- The call takes exactly its cost of the backlog, so that one division is enough to admit it.
				left = number - used - cost
				local permits = left >= 0 and cost or number - cost
				local us, frac
				if divide then
					us, frac = divide(period, permits, rate)
				else
					local product = period * permits
					frac = product % rate
					if frac < 0 then
						frac = frac + rate
					end
					us = (product - frac) / rate
				end
				if left >= 0 then
					tat_us, tat_frac = tat_us + us, tat_frac + frac
					if tat_frac >= rate then
						tat_us, tat_frac = tat_us + 1, tat_frac - rate
					end
					full_at = tat_us + (tat_frac > 0 and 1 or 0)
					states = to_bytes('<c0BI3I7I7I3', states, 5, rate, period, tat_us, tat_frac)
					if left == 0 then
						if divide then
							us, frac = divide(period, number - 1, rate)
						else
							local product = period * (number - 1)
							frac = product % rate
							if frac < 0 then
								frac = frac + rate
							end
							us = (product - frac) / rate
						end
						again_at = tat_us - us + (tat_frac > frac and 1 or 0)
					end
				else
					full_at, again_at = stored_end, tat_us - us + (tat_frac > frac and 1 or 0)
				end
			end
		elseif algorithm == 4 then
			local SUB_WINDOWS = 30
			local width = (period - period % -SUB_WINDOWS) / SUB_WINDOWS -- rounded up
			local origin, n, first, last, last_count
			local begin = place + 16 -- of the counters
			if value then
				if begin + 3 > value_bytes then
					break
				end
				local same, of_period, first_count
				same, of_period, origin, n, first, first_count = from_bytes('<BI7I7BBI3', value, place)
				place = begin + 4 * n
				if same ~= 4 or of_period ~= period or n == 0 or place > value_bytes + 1 then
					break
				end
				last, last_count = first, first_count
				if n > 1 then
					last, last_count = from_bytes('<BI3', value, place - 4)
				end
				stored_end = origin + (last + 1) * width + period
			end
			if stored_end <= now then
				left, full_at = number - cost, now + width + period
				again_at = full_at
				states = to_bytes('<c0BI7I7BBI3', states, 4, period, now, 1, 0, cost)
			else
				local current = now - origin
				current = (current - current % width) / width
				if current < last then
					break
				end
				-- Counters before the oldest one that counts are gone.
				again_at = origin + (first + 1) * width + period
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
				left, full_at = number - used - cost, stored_end
				if left >= 0 then
					-- The last counter is written anew; a new sub-window has one more.
					local kept = ''
					if current > last then
						kept = string.sub(value, begin, place - 1)
						full_at, n, last_count = origin + (current + 1) * width + period, n + 1, 0
						if n > 255 then
							break
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
					states = to_bytes('<c0BI7I7Bc0BI3', states, 4, period, origin + first * width, n, kept, current - first,
						last_count + cost)
				else
					local count
					repeat
						first, count = from_bytes('<BI3', value, begin)
						again_at, used, begin = origin + (first + 1) * width + period, used - count, begin + 4
					until used + cost <= number
				end
			end
		elseif algorithm == 3 then
			local base, width, n, format
			local begin = place + 18 -- of the moments
			if value then
				local same, of_period, last
				if begin > value_bytes then
					break
				end
				same, of_period, base, width, n = from_bytes('<BI7I7BI2', value, place)
				place = begin + n * width
				if same ~= 3 or of_period ~= period or n == 0 or width < 4 or width > 7 or place > value_bytes + 1 then
					break
				end
				format = width == 4 and '<I4' or '<I' .. width
				last = base + from_bytes(format, value, place - width)
				if last > now then
					break
				end
				stored_end = last + period
			end
			if not value or stored_end <= now then
				left, full_at = number - cost, now + period
				again_at = full_at
				states = to_bytes('<c0BI7I7BI2c0', states, 3, period, now, 4, cost, string.rep('\0', 4 * cost))
			else
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
				left = number - (n - low) - cost
				if left >= 0 then
					local distance = now - base
					if distance >= 256 ^ width then
						break
					end
					local new = to_bytes(format, distance)
					full_at = now + period
					states = to_bytes('<c0BI7I7BI2c0c0', states, 3, period, base, width, n - low + cost,
						string.sub(value, begin + low * width, place - 1), cost == 1 and new or string.rep(new, cost))
				else
					full_at, low = stored_end, n - number + cost - 1
				end
				again_at = base + from_bytes(format, value, begin + low * width) + period
			end
		else
			break
		end
		if value then
			-- Of two limits that are alike, the first one takes the state that still counts, wherever it is.
			if stored_end <= now then
				lapsed, several_lapsed = algorithm, lapsed > 0
			elseif lapsed > 0 and (lapsed == algorithm or several_lapsed) then
				break
			end
		end
		if left < 0 then
			if again_at > refused_at then
				refusing, refused_left, refused_reset_at, refused_at = index, left + cost, full_at, again_at
			end
		elseif refusing == 0 then
			if left < least then
				tightest, least, reset_at = index, left, full_at
			end
			if left == 0 and again_at > next_at then
				next_at = again_at
			end
			if full_at > end_at then
				end_at = full_at
			end
		end
		decided = from
	end
	if decided > request_bytes and (not value or n_states == index and place == value_bytes + 1) then
		if refusing > 0 then
			if not may_ban then
				return to_bytes('<c6I7BBI3i7I7I4', nonce, now, LIMITED, refusing - 1, refused_left > 0 and refused_left or 0,
					refused_at - now, refused_reset_at - now, 0)
			end
		elseif op ~= LEASE or index == 1 or least < LEASE_SHARE then -- several limits lease together: 90_compound.lua
			if not value and index > 1 then
				states = '\1\0' .. string.char(index) .. string.sub(states, 4)
			end
			-- Written each time: a key that lost its expiry gets it again. Redis takes a small whole number as a string in half the
			-- time of a large one as a number.
			local live_us = end_at - now
			local done = call('SET', key, states, 'PX', string.format('%d', (live_us - live_us % -1000) / 1000 + kept_ms))
			return done.err and done
				or to_bytes('<c6I7BBI3i7I7I4', nonce, now, ACCEPTED, tightest - 1, least, least > 0 and 0 or next_at - now, reset_at - now, leased)
		end
	end
end
