-- Fragments 20 to 25: each algorithm as one function on numbers, its step. It judges a call by a limit state, a place in the
-- state's bytes, and appends the next one to other bytes. It has no side effect.
--
-- step(word, number, cost, rate, period, now, value, place, states): word: of the limit; number: how many permits it has; rate:
-- of a bucket, else the number of the permit that takes a concurrent place. The limit state begins at place in value (nil: a
-- fresh one). states: the bytes to append to; without them, as for a peek, it makes no bytes.
-- Returns left, full_at, again_at, next_place, stored_end, states. left: the permits after the call; below 0: the limit refuses.
-- full_at: when it has all its permits again. again_at: when the refused call passes; where none are left, when a call with a
-- cost of 1 does. next_place: behind the limit state. stored_end: when that one is over. Returns nothing for a limit state of
-- another word, rate or period, and where a clock that was set back needs more than a step.
--
-- A call of a C function costs as much as ten operations, a new string as much as twenty, and each function and table that a
-- call creates more than that. So a step has no table, and only a question that has the algorithm creates it: each fragment takes
-- its algorithm from those that are needed.
local fixed_window
if needed >= 64 then
	needed = needed - 64
	-- Admits at most limit permits in the period that begins with the first admitted call. It ends with a whole millisecond, rounded
	-- up.
	-- Limit state: word, period, end, count.
	fixed_window = function(word, number, cost, _, period, now, value, place, states)
		local count, full_at, stored_end = 0, now + period, 0
		full_at = full_at + -full_at % 1000
		if value then
			if place + 20 > #value then
				return
			end
			local of_word, of_period, of_end, of_count, next_place = from_bytes('<I2I7I7I5', value, place)
			if of_word ~= word or of_period ~= period then
				return
			elseif of_end > now then
				full_at, count = of_end, of_count
			end
			stored_end, place = of_end, next_place
		end
		local left = number - count - cost
		return left, full_at, full_at, place, stored_end,
			states and left >= 0 and to_bytes('<c0I2I7I7I5', states, word, period, full_at, number - left)
	end
end
