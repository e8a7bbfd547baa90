-- Fragment 20, a copy of 40 to 44, 80 and 90 for speed; tests/core/redis_limiter_test.c compares them. Decides consume and lease
-- without a table and without a function of its own, in one pass over the limits and their states. Other fragments decide
-- everything else: other ops and numbers, a ban that runs or begins, bookings, tags, levels, states in another order or of
-- other limits, and a clock that was set back.
--
-- A limit state is read and written as 30_state.lua and the fragments of the algorithms describe it. Each limit appends its next
-- state to states, until one refuses: then only the latest moment at which the limits would admit is wanted.
if (op == CONSUME or op == LEASE) and cost > 0 and limits_at <= #request then
	local BAN_STEPS, EXACT = 3, 2 ^ 53
	local flat, from, request_bytes, index = true, limits_at, #request, 0
	local place, value_bytes, stored_end, lapsed, several_lapsed = 4, 0, 0, 0, false
	local first_state, second_state, states, leased, may_ban = '', '', '', 0, false
	local tightest, least, reset_at, next_at, end_at = 0, EXACT, 0, now, 0
	local refusing, refused_left, refused_reset_at, refused_at = 0, 0, 0, now
	local n_states
	if value then
		-- Version 1, without a ban and a level.
		local version, ban
		value_bytes = #value
		version, ban, n_states = string.byte(value, 1, 3)
		flat = version == 1 and ban == 0
	end
	while flat and from <= request_bytes do
		flat = false -- until the limit is decided
		local algorithm, number, rate, kind, _, period
		algorithm, number, rate, kind, _, period, from = from_bytes(LIMIT, request, from)
		if cost > number or kind == BAN_STEPS or op == LEASE and algorithm > 2 then
			break
		end
		may_ban = may_ban or kind ~= 0
		index = index + 1
		-- left: the permits after the call; below 0: the limit refuses. full_at: the moment at which it has all permits again.
		-- again_at: the moment at which the refused call passes; where none are left, a call with a cost of 1.
		local left, full_at, again_at, state
		if algorithm == 1 then
			local count = 0
			full_at = now + period
			if value then
				local same, of_period, of_count
				if place + 17 > value_bytes then
					break
				end
				same, of_period, stored_end, of_count, place = from_bytes('<BI7I7I3', value, place)
				if same ~= 1 or of_period ~= period then
					break
				elseif stored_end > now then
					full_at, count = stored_end, of_count
				end
			end
			left, again_at = number - count - cost, full_at
			if left >= 0 then
				if op == LEASE and index == 1 and from > request_bytes then
					leased = math.max(0, math.min(at % LEASE_VALID, math.floor(left / LEASE_SHARE)))
					left = left - leased
				end
				state = to_bytes('<BI7I7I3', 1, period, full_at, number - left)
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
			full_at = boundary
			if value then
				local same, of_period, of_kind, n, of_count
				if place + 14 > value_bytes then
					break
				end
				same, of_period, of_kind, n, stored_end, of_count, place = from_bytes('<BBBI2I7I3', value, place)
				if same ~= 2 or of_period ~= period or of_kind ~= 0 or n ~= 1 or stored_end > next_boundary then
					break
				elseif stored_end > now then
					full_at, count = stored_end, of_count
				end
			end
			left, again_at = number - count - cost, full_at
			if left >= 0 then
				if op == LEASE and index == 1 and from > request_bytes then
					leased = math.max(0, math.min(at % LEASE_VALID, math.floor(left / LEASE_SHARE)))
					left = left - leased
				end
				state = to_bytes('<BBBI2I7I3', 2, period, 0, 1, full_at, number - left)
			end
		elseif algorithm == 5 then
			local tat_us, tat_frac, used, backlog = now, 0, 0, 0
			if value then
				local same, of_rate, of_period, us, frac
				if place + 20 > value_bytes then
					break
				end
				same, of_rate, of_period, us, frac, place = from_bytes('<BI3I7I7I3', value, place)
				if same ~= 5 or of_rate ~= rate or of_period ~= period then
					break
				end
				stored_end = us + (frac > 0 and 1 or 0)
				if stored_end > now then
					tat_us, tat_frac, full_at, backlog = us, frac, stored_end, (us - now) * rate + frac
				end
			end
			local divide
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
				state = to_bytes('<BI3I7I7I3', 5, rate, period, tat_us, tat_frac)
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
				again_at = tat_us - us + (tat_frac > frac and 1 or 0)
			end
		elseif algorithm == 4 then
			local SUB_WINDOWS = 30
			local width = (period - period % -SUB_WINDOWS) / SUB_WINDOWS -- rounded up
			local origin, n, first, last, last_count
			local begin = place + 16 -- of the counters
			if value then
				local same, of_period, first_count
				if begin + 3 > value_bytes then
					break
				end
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
			local current = value and (now - origin - (now - origin) % width) / width
			if not value or stored_end <= now then
				left, full_at = number - cost, now + width + period
				again_at = full_at
				state = to_bytes('<BI7I7BBI3', 4, period, now, 1, 0, cost)
			elseif current < last then
				break
			else
				-- Counters before the oldest one that counts are gone.
				while origin + (first + 1) * width + period <= now do
					n, begin = n - 1, begin + 4
					first = string.byte(value, begin)
				end
				local used = last_count
				if n > 1 then
					local counters = {from_bytes('<' .. string.rep('xI3', n - 1), value, begin)}
					for i = 1, n - 1 do
						used = used + counters[i]
					end
				end
				left = number - used - cost
				full_at, again_at = stored_end, origin + (first + 1) * width + period
				if left >= 0 then
					full_at = origin + (current + 1) * width + period
					-- All indexes count from the oldest counter.
					local tail_bytes = current > last and 0 or 4
					local kept = string.sub(value, begin, place - 1 - tail_bytes)
					if first > 0 and n > 1 then
						kept = string.gsub(kept, '(.)(...)', function(i, count)
							return string.char(string.byte(i) - first) .. count
						end)
					elseif first > 0 and tail_bytes == 0 then
						kept = '\0' .. string.sub(kept, 2)
					end
					if tail_bytes == 0 then
						n, last_count = n + 1, 0
					end
					if n > 255 then
						break
					end
					state = to_bytes('<BI7I7B', 4, period, origin + first * width, n) .. kept
						.. to_bytes('<BI3', current - first, last_count + cost)
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
				state = to_bytes('<BI7I7BI2', 3, period, now, 4, cost) .. string.rep('\0', 4 * cost)
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
					state = to_bytes('<BI7I7BI2', 3, period, base, width, n - low + cost)
						.. string.sub(value, begin + low * width, place - 1) .. (cost == 1 and new or string.rep(new, cost))
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
			elseif lapsed == algorithm or several_lapsed then
				break
			end
		end
		if left < 0 then
			if again_at > refused_at then
				refusing, refused_left, refused_reset_at, refused_at = index, left + cost, full_at, again_at
			end
		elseif refusing == 0 then
			-- A string in the making costs as much as the others together: the last concatenation takes all parts at once.
			if index == 1 then
				first_state = state
			elseif index == 2 then
				second_state = state
			elseif index == 3 then
				states = state
			else
				states = states .. state
			end
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
		flat = true
	end
	if flat and (not value or n_states == index and place == value_bytes + 1) then
		if refusing > 0 then
			if not may_ban then
				return to_bytes('<c6I7BBI3i7I7I4', nonce, now, LIMITED, refusing - 1, refused_left > 0 and refused_left or 0,
					refused_at - now, refused_reset_at - now, 0)
			end
		elseif op ~= LEASE or index == 1 or least < LEASE_SHARE then -- several limits that have permits to lease: 90_compound.lua
			local head = index == 1 and '\1\0\1' or index == 3 and '\1\0\3' or '\1\0' .. string.char(index)
			states = head .. first_state .. second_state .. states
			-- Written each time: a key that lost its expiry gets it again.
			local done = call('SET', key, states, 'PXAT', (end_at - end_at % -1000) / 1000 + 1000)
			return done.err and done
				or to_bytes('<c6I7BBI3i7I7I4', nonce, now, ACCEPTED, tightest - 1, least, least > 0 and 0 or next_at - now, reset_at - now, leased)
		end
	end
end
