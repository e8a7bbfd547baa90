-- Fragment 44, the rest of the token bucket. A call that waits counts at once, by a TAT from its turn on. With a tag the notes are
-- the number of the last take; and the marks, each a backlog in us and a number, both increasing. src/core/algorithm/token_bucket.c
-- explains them.
--
-- A TAT is at most 20 years ahead, below 2^50 us. A call that waits has its turn within ten, and then takes permits that
-- refill within ten. A debt ends within ten, or where the TAT was.
local function set_tat(state, us, frac)
	state.bytes = to_bytes('<I2I7I5I7I5', state.word, state.period, state.rate, us, frac)
end

local function tat_of(state)
	local us, frac = from_bytes('<I7I5', state.bytes, 15)
	return us, frac
end

-- Numbers a take or a give-back.
local function mark(state, backlog)
	local MARKS_MAX = 8
	local notes = state.notes
	notes[1] = {moment = (notes[1] and notes[1].moment or 0) + 1, n = 0}
	while notes[2] and notes[#notes].moment >= backlog do
		notes[#notes] = nil
	end
	if #notes > MARKS_MAX then
		notes[#notes].n = notes[1].moment
	else
		notes[#notes + 1] = {moment = backlog, n = notes[1].moment}
	end
end

-- Moves the TAT back by us + frac / rate, down to now.
local function tat_sub(state, us, frac)
	local tat_us, tat_frac = tat_of(state)
	tat_us, tat_frac = tat_us - us, tat_frac - frac
	if tat_frac < 0 then
		tat_us, tat_frac = tat_us - 1, tat_frac + state.rate
	end
	if tat_us < now then
		tat_us, tat_frac = now, 0
	end
	set_tat(state, tat_us, tat_frac)
	return tat_us, tat_frac
end

-- Lowers the backlogs that takes after this one found by what it gives back: they would not have found that.
local function lower_marks(state, take, us)
	local lowered = {state.notes[1]}
	for i = 2, #state.notes do
		local note = state.notes[i]
		local backlog = note.n > take and math.max(0, note.moment - us) or note.moment
		while lowered[2] and lowered[#lowered].moment >= backlog do
			lowered[#lowered] = nil
		end
		lowered[#lowered + 1] = {moment = backlog, n = note.n}
	end
	state.notes = lowered
end

algorithms[5] = {
	load = function() end,

	ends = function(state)
		local us, frac = tat_of(state)
		return us + (frac > 0 and 1 or 0)
	end,

	judge = function(ctx, cost, t)
		local state = ctx.state
		local left, _, again_at = token_bucket(state.word, ctx.limit.number, cost, state.rate, state.period, t, state.bytes, 1)
		return left, again_at
	end,

	admit = function(ctx, state)
		local limit, at = ctx.limit, ctx.at
		local latest = now + 315360000 * 1000000 -- ten years: of a debt, and of a conversion
		local ends_at = state.bytes and algorithms[5].ends(state) or now
		if state.bytes and (state.rate ~= limit.rate or state.period ~= limit.period) then
			local used = -token_bucket(state.word, 0, 0, state.rate, state.period, now, state.bytes, 1)
			local us, frac = mul_div(limit.period, used, limit.rate)
			us = now + us
			state.rate, state.period, state.notes = limit.rate, limit.period, {}
			if us >= latest then
				us, frac = latest, 0
			end
			set_tat(state, us, frac)
			ends_at = algorithms[5].ends(state)
		end
		local us, frac = now, 0
		if state.bytes then
			us, frac = tat_of(state)
		end
		if ctx.tag then
			mark(state, math.max(0, us - at))
			ctx.place = state.notes[1].moment
		end
		ctx.moved = us < at and at - math.max(ends_at, now) or 0
		if ctx.debt and math.max(us, at) + mul_div(limit.period, ctx.cost, limit.rate) >= latest then
			if us < latest then
				us, frac = latest, 0
			end
			set_tat(state, us, frac)
		else
			state.bytes = select(6, token_bucket(state.word, ENDLESS, ctx.cost, limit.rate, limit.period, at, state.bytes, 1, ''))
		end
	end,

	credit = function(ctx)
		local state = ctx.state
		local us = tat_sub(state, mul_div(state.period, ctx.cost, state.rate))
		if state.tag then
			mark(state, us - now)
		end
	end,

	-- Permits that were refilled for everybody since the permit's take do not go back a second time.
	give_back = function(ctx, held, n, all)
		local state, lowest = ctx.state, math.huge
		local us, frac = mul_div(state.period, n, state.rate)
		us = us + (all and held.moved or 0)
		for i = 2, #state.notes do
			if state.notes[i].n > held.place then
				lowest = state.notes[i].moment
				break
			end
		end
		if us >= lowest then
			us, frac = lowest, 0
		end
		local before_us, before_frac = tat_of(state)
		local tat_us, tat_frac = tat_sub(state, us, frac)
		lower_marks(state, held.place, before_us - tat_us + (before_frac > tat_frac and 1 or 0))
		mark(state, tat_us - now)
		return n
	end,
}
