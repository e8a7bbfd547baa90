-- Fragment 2, a copy of 40_fixed_window.lua and 80_single.lua for speed; tests/core/redis_limiter_test.c compares them.
-- Decides a fixed window alone: consume or lease, without a ban, on a state of one fixed window or none.
if (op == CONSUME or op == LEASE) and #request == limits_at + LIMIT_BYTES - 1 then
	local algorithm, number, _, kind, _, period = struct.unpack(LIMIT, request, limits_at)
	-- A state of version 1, without a ban, with one limit state, of a fixed window (30_state.lua).
	if algorithm == 1 and cost <= number and (not value or #value == 21 and string.sub(value, 1, 4) == '\1\0\1\1') then
		local state_period, end_at, count = period, 0, 0
		if value then
			state_period, end_at, count = struct.unpack('<I7I7I3', value, 5)
		end
		if end_at <= now then
			state_period, end_at, count = period, now + period, 0
		end
		if count + cost <= number then
			local leased = op == LEASE and math.max(0, math.min(at, math.floor((number - count - cost) / LEASE_SHARE))) or 0
			count = count + cost + leased
			local bytes = struct.pack('<BBBBI7I7I3', 1, 0, 1, 1, state_period, end_at, count)
			local done = call('SET', key, bytes, 'PXAT', math.ceil(end_at / 1000) + 1000)
			return done.err and done
				or nonce .. struct.pack(ANSWER, now, ACCEPTED, 0, number - count, count < number and 0 or end_at - now, end_at - now, leased)
		elseif kind == 0 then
			return nonce .. struct.pack(ANSWER, now, LIMITED, 0, math.max(0, number - count), end_at - now, end_at - now, 0)
		end
	end
end
