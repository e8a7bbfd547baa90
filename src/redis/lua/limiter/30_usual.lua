-- Fragment 30: decides the usual calls in one pass over the limits and their states: consume, peek and lease of limits that
-- neither wait for bookings nor have a tag, and acquire of concurrent places. Every other call goes on to the next fragments: a
-- ban that runs or begins, a level, states in another order or of other limits, a clock that was set back.
--
-- Each limit appends its next state to states, until one refuses: then only the latest moment at which the limits would admit is
-- wanted.
local usual = op == CONSUME or op == PEEK or op == LEASE
local permit_number, limits_from = 0, LIMITS_AT
if op == ACQUIRE then
	local leave, at_least, n
	leave, at_least, permit_number, n, limits_from = from_bytes('<I5I5xxxxxxxI6xxxxxxxB', request, LIMITS_AT)
	usual = leave == 0 and at_least == 0 and n == 0
end
if usual and limits_from <= #request then
	local BAN_STEPS, LARGEST, FACTS = 3, 1e12, 11 -- FACTS: the length of '<c6I7BBi7I4'
	local from, request_bytes, index = limits_from, #request, 0
	local place, value_bytes, n_states = 3, 0, nil
	local states, may_ban, granted = op ~= PEEK and '\1\1', false, 0
	-- Two numbers of each limit: what it has left, and in how many us it has all. left_of has them as they are now, and behind the
	-- index `after` as they are after the call. A decision about one limit has them as remaining and reset after.
	local as_is = op == PEEK and at == AS_IS
	local left_of, after
	local tightest, least, reset_at, next_at, end_at = 0, LARGEST + 1, 0, now, now
	local refusing, refused_left, refused_reset_at, refused_at, kept_ms = 0, 0, 0, now, KEPT_MS
	if value then
		version, n_states = string.byte(value, 1, 2)
		value_bytes = #value
		if version ~= VERSION then
			n_states = -1
		elseif n_states and n_states ~= 1 then
			states = states and (n_states == 3 and '\1\3' or string.char(VERSION, n_states))
		end
	end
	local word, number, rate, cost, period, step, boundary, next_boundary
	while from <= request_bytes do
		local kind, next_from
		word, number, rate, cost, period, kind, next_from = from_bytes(LIMIT, request, from)
		local algorithm = word % MARKS
		if cost > number or cost == 0 or kind > BAN_STEPS or op == ACQUIRE and algorithm ~= 6 or op == LEASE and kind == BAN_STEPS then
			break
		elseif algorithm == 1 then
			step = fixed_window
		elseif algorithm == 2 then
			local begin
			step, kept_ms = calendar_window, CALENDAR_KEPT_MS
			begin, boundary, next_boundary, next_from = from_bytes(BOUNDS, request, next_from)
			if now < begin or now >= next_boundary then
				break
			elseif now >= boundary then
				boundary, next_boundary = next_boundary, math.huge
			end
		elseif algorithm == 3 then
			step = sliding_log
		elseif algorithm == 4 then
			step = sliding_window
		elseif algorithm == 5 then
			step = token_bucket
		elseif algorithm == 6 then
			step, rate = concurrent, permit_number
		else
			break
		end
		if kind ~= 0 then
			may_ban, next_from = true, next_from + 7
			if kind == BAN_STEPS then
				next_from = next_from + 1 + 7 * string.byte(request, next_from)
			end
		end
		if index == 0 and next_from > request_bytes then
			word = algorithm -- a limit that has the state for itself writes no mark
		end
		local left, full_at, again_at, next_place, stored_end, next_states
			= step(word, number, cost, rate, period, now, value, place, refusing == 0 and states, boundary, next_boundary)
		if not left or algorithm == 3 and stored_end > now + period then -- a moment of the log is ahead of the clock
			break
		end
		if as_is or left_of or next_from <= request_bytes then
			local i, has = 2 * index, left + cost
			if not left_of then
				left_of, after = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, request_bytes - limits_from + 1
				after = 2 * (after - after % LIMIT_BYTES) / LIMIT_BYTES
			end
			left_of[i + 1] = has > 0 and has or 0
			left_of[i + 2] = stored_end > now and stored_end - now or 0
			if refusing == 0 then
				i = i + after
				left_of[i + 1] = left
				left_of[i + 2] = full_at - now
			end
		end
		from, place, index = next_from, next_place, index + 1
		if left < 0 then
			if again_at > refused_at then
				refusing, refused_left, refused_reset_at, refused_at = index, left + cost, full_at, again_at
			end
		elseif refusing == 0 then
			states = next_states
			if left < least then
				tightest, least, reset_at, granted = index, left, full_at, cost
			end
			if left == 0 and again_at > next_at then
				next_at = again_at
			end
			if full_at > end_at then
				end_at = full_at
			end
		end
	end
	if from > request_bytes and (not value or n_states == index and place == value_bytes + 1) then
		local reason, leased, told = nil, 0, 0
		if refusing > 0 then
			reason = not may_ban and LIMITED
			tightest, least, next_at, reset_at, granted = refusing, refused_left > 0 and refused_left or 0, refused_at, refused_reset_at, 0
		elseif op ~= LEASE or index == 1 or least < LEASE_SHARE then -- several limits lease together: 90_compound.lua
			reason, told = ACCEPTED, as_is and 0 or after
			if op == LEASE and index == 1 and word ~= 3 then
				-- A share of what is left, so that batches shrink as the window runs out and no machine keeps many that others need.
				-- The permits of a sliding window count in the sub-window of now, and are valid until its end: as many as the machine
				-- uses by then, with room for chance. Those of a bucket count at the end of their life, and what is refilled until then
				-- is not for them.
				local most, left, valid_us = at % LEASE_VALID, least, math.floor(at / LEASE_VALID)
				if word == 4 then
					local DEMAND_US = 200000 -- RL_DEMAND_BATCH_MS
					most = math.min(most, math.floor(most * (reset_at - period - now) / (2 * DEMAND_US)))
				elseif word == 5 then
					left = math.min(left, number - math.ceil(valid_us * rate / period))
				end
				leased = math.min(most, math.floor(left / LEASE_SHARE))
				if leased <= 0 then
					leased = 0
				elseif word == 5 then
					local _
					_, reset_at, _, _, _, states = step(word, number, leased, rate, period, now + valid_us, states, 3, '\1\1')
					least, end_at = step(word, number, 0, rate, period, now, states, 3)
				else
					local _
					least, _, _, _, _, states
						= step(word, number, cost + leased, rate, period, now, value, 3, '\1\1', boundary, next_boundary)
				end
			end
			next_at = least > 0 and now or next_at
			if states and not value and index > 1 then
				states = string.char(VERSION, index) .. string.sub(states, 3)
			end
			-- Written each time: a key that lost its expiry gets it again. Redis takes a small whole number as a string in half the
			-- time of a large one as a number.
			local live_us = end_at - now
			local done = states and call('SET', key, states, 'PX', string.format('%d', (live_us - live_us % -1000) / 1000 + kept_ms))
			if done and done.err then
				return done
			end
		end
		if reason then
			local bytes
			if left_of then
				local first, last = told + 1, told + 2 * index
				if as_is then -- the answer has remaining and reset after, too
					left_of[-1], left_of[0], first = least, reset_at - now, -1
				end
				local format = string.sub('<c6I7BBi7I4I5I7I5I7I5I7I5I7I5I7I5I7I5I7I5I7I5I7', 1, FACTS + 2 * (last - first + 1))
				bytes = to_bytes(format, nonce, now, reason, tightest - 1, next_at - now, leased, unpack(left_of, first, last))
			else
				bytes = to_bytes('<c6I7BBi7I4I5I7', nonce, now, reason, tightest - 1, next_at - now, leased, least, reset_at - now)
			end
			if op == ACQUIRE then
				bytes = to_bytes('<c0I5I7', bytes, granted, 0)
					.. (reason == ACCEPTED and string.rep(to_bytes('<I6I7I7', permit_number, 0, 0), index) or '')
			end
			return bytes
		end
	end
end
