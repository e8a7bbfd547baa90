-- Fragment 40, the fixed window: admits at most limit permits in the period that begins with the first admitted call.
-- Limit state: period, end, count.
makers[1] = function()
	return {
		unpack = function(bytes, at)
			local period, end_at, count, next = struct.unpack('<I7I7I3', bytes, at)
			return {algorithm = 1, period = period, end_at = end_at, count = count}, next
		end,

		pack = function(state)
			return struct.pack('<BI7I7I3', 1, state.period, state.end_at, state.count)
		end,

		expires_at = function(state)
			return state.end_at
		end,

		evaluate = function(ctx)
			ctx.used, ctx.full_at = ctx.state.count, ctx.state.end_at
		end,

		earliest = function(ctx, t)
			if ctx.used + ctx.cost <= ctx.limit.number then
				return t
			end
			return math.max(t, ctx.state.end_at)
		end,

		-- A running window keeps its period: a changed limit applies from the next window on.
		admit = function(ctx)
			local state, period = ctx.state, ctx.limit.period
			if not state then
				return {algorithm = 1, period = period, end_at = ctx.now + period, count = ctx.cost}
			end
			state.count = state.count + ctx.cost
			return state
		end,

		credit = function(ctx)
			ctx.state.count = math.max(0, ctx.state.count - ctx.cost)
			return ctx.state
		end,
	}
end
