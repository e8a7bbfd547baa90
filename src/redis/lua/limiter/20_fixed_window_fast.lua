-- The short way of a fixed window that is alone, asked for permits or to lease some, with a window of its own or none: as
-- fixed_window.lua and one.lua have it, without all that they are made of.
if (op == CONSUME or op == LEASE) and #asked == limits_at + LIMIT_BYTES - 1 then
	local algorithm, number, _, kind, _, period = struct.unpack(LIMIT, asked, limits_at)
	-- A state of version 1, without a ban, with one slot, a fixed window's (state.lua).
	if algorithm == 1 and cost <= number and (not value or #value == 21 and string.sub(value, 1, 4) == '\1\0\1\1') then
		local slot_period, over, count = period, 0, 0
		if value then
			slot_period, over, count = struct.unpack('<I7I7I3', value, 5)
		end
		if over <= now then
			slot_period, over, count = period, now + period, 0
		end
		if count + cost <= number then
			local leased = op == LEASE and math.max(0, math.min(at, math.floor((number - count - cost) / LEASE_SHARE))) or 0
			count = count + cost + leased
			local state = struct.pack('<BBBBI7I7I3', 1, 0, 1, 1, slot_period, over, count)
			local done = call('SET', key, state, 'PXAT', math.ceil(over / 1000) + 1000)
			return done.err and done
				or nonce .. struct.pack(ANSWER, now, ACCEPTED, 0, number - count, 0, over - now, leased)
		elseif kind == 0 then
			return nonce .. struct.pack(ANSWER, now, LIMITED, 0, math.max(0, number - count), over - now, over - now, 0)
		end
	end
end
