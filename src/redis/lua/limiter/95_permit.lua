-- Fragment 95: answers acquire, settle, release and renew.

-- Returns ctxs in which all limits judge the moment t, at which a call has its turn, in the place of now; nil if the turn
-- cannot be booked.
local function judge_turn(t)
	local judged = {}
	for i, limit in ipairs(limits) do
		local bounds = not limit.skipped and limit.bounds
		if bounds and t >= bounds[3] then
			return nil
		elseif bounds and t >= bounds[2] then
			limit = {
				algorithm = limit.algorithm, word = limit.word, number = limit.number, rate = limit.rate, period = limit.period, cost = limit.cost,
				bounds = {bounds[2], bounds[3], math.huge},
			}
		end
		judged[i] = limit.skipped and ctxs[i] or ctx_of(limit, ctxs[i].state, t)
		judged[i].cost = ctxs[i].cost
	end
	for i, ctx in ipairs(judged) do
		local algorithm = algorithms[ctx.limit.algorithm]
		if not limits[i].skipped and (earliest(ctx, t) ~= t or algorithm.book_at and algorithm.book_at(ctx) > now) then
			return nil
		end
	end
	return judged
end

book_turn = function(moments)
	for i, limit in ipairs(limits) do
		if limit.algorithm == CONCURRENT and moments[i] > now then
			return nil
		end
	end
	local t = all_earliest(now)
	local judged = t - now <= permit.max_wait and judge_turn(t)
	if not judged then
		return nil
	end
	ctxs = judged
	set_cost(nil, 0)
	permit.wait = t - now
	return admit_all()
end

if op == ACQUIRE then
	return decide()
end

-- A permit's places end by its number alone, whatever the limits are.
if not limits[1] then
	local found = false
	local kept = {}
	for _, state in ipairs(states) do
		local algorithm = algorithms[state.algorithm]
		if state.algorithm == CONCURRENT and op == RELEASE then
			found = algorithm.give_back({state = state}, {tag = permit.number}) ~= nil or found
		end
		if algorithm.ends(state) > now then
			kept[#kept + 1] = state
		end
	end
	return found and store(key, value, ban, kept, level, forget_at) or done(found)
end

-- Ends a permit's part in limit i with its true cost. Returns the limit state; nil: nothing changes.
local function settle(i, held)
	local ctx, state, true_cost = ctxs[i], ctxs[i].state, limits[i].cost
	local is_concurrent = limits[i].algorithm == CONCURRENT
	if true_cost > held.cost and not is_concurrent then
		ctx.cost, ctx.debt = true_cost - held.cost, true
		return admit(i)
	elseif not state or held.tag == 0 or not is_concurrent and (true_cost == held.cost
			or not state.tag or state.tag - state.tag % 2 ~= held.tag - held.tag % 2) then
		return nil
	end
	ctx.undo = permit.number > 0 and permit.number == held.tag
	return invoke(i, 'give_back', held, held.cost - true_cost, true_cost == 0) and state
end

-- Ends the place of a permit in a concurrent limit, or moves its end. Returns the limit state; nil: it is gone.
local function end_or_renew(i, held)
	local state = ctxs[i].state
	if not state or held.tag == 0 then
		return nil
	elseif op == RENEW then
		return invoke(i, 'renew', held, permit.renew_us > 0 and permit.renew_us or limits[i].period) and state
	end
	return invoke(i, 'give_back', held) and state
end

local found, changed, granted = true, {}, {}
for i, limit in ipairs(limits) do
	local held, state = permit.held[i], nil
	local is_concurrent = limit.algorithm == CONCURRENT
	if op == SETTLE then
		state = settle(i, held)
	elseif is_concurrent then
		state = end_or_renew(i, held)
	end
	granted[i] = limit.cost
	if state then
		changed[limit.group] = true
		ctxs[i] = ctx_of(limit, state)
	elseif is_concurrent then
		found = false
	end
end
leased = found and 1 or 0
return store_all(changed) or answer_admitted(granted)
