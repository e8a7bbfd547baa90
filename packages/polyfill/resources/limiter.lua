
































local CONSUME, LEASE = 1, 9
local ACCEPTED, LIMITED = 0, 1
local LIMIT, BOUNDS = '<BI3I3BI7I7', '<I7I7I7'
local LEASE_SHARE, LEASE_VALID = 8, 2 ^ 24
local BAN_AT, LIMITS_AT = 18, 26

local key, request = KEYS[1], ARGV[1]
local from_bytes, to_bytes = struct.unpack, struct.pack
local nonce, op, cost, at = from_bytes('<c6BI3I7', request)


local call = redis.pcall

local value = call('GET', key)
if value and value.err then
return value
end
local time = call('TIME')
if time.err then
return time
end
local now = time[1] * 1000000 + time[2]








if (op == CONSUME or op == LEASE) and cost > 0 and LIMITS_AT <= #request then
local BAN_STEPS, EXACT = 3, 2 ^ 53

local from, decided, request_bytes, index = LIMITS_AT, 0, #request, 0
local place, value_bytes, stored_end, lapsed, several_lapsed = 4, 0, 0, 0, false
local states, leased, may_ban = '\1\0\1', 0, false
local tightest, least, reset_at, next_at, end_at = 0, EXACT, 0, now, now
local refusing, refused_left, refused_reset_at, refused_at = 0, 0, 0, now
local n_states
if value then

local version, ban, n = string.byte(value, 1, 3)
value_bytes, n_states = #value, n
if version ~= 1 or ban ~= 0 then
from = request_bytes + 1
elseif n and n ~= 1 then
states = n == 3 and '\1\0\3' or '\1\0' .. string.char(n)
end
end
while from <= request_bytes do
local algorithm, number, rate, kind, _, period, next_from = from_bytes(LIMIT, request, from)
if cost > number or kind == BAN_STEPS or op == LEASE and algorithm > 2 then
break
elseif kind ~= 0 then
may_ban = true
end
from, index = next_from, index + 1


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


local live_us = end_at - now
local done = call('SET', key, states, 'PX', string.format('%d', (live_us - live_us % -1000) / 1000 + 1000))
return done.err and done
or to_bytes('<c6I7BBI3i7I7I4', nonce, now, ACCEPTED, tightest - 1, least, least > 0 and 0 or next_at - now, reset_at - now, leased)
end
end
end



local PEEK, RESERVE, CANCEL, CREDIT, BAN, UNBAN, RESET = 2, 3, 4, 5, 6, 7, 8
local ACQUIRE, SETTLE, RELEASE, RENEW, PARTS = 10, 11, 12, 13, 64
local BANNED, TOO_EXPENSIVE, STALE = 2, 3, 10
local WIDE = 128
local ANSWER = '<I7BBI3i7I7I4'
local ban_kind, ban_us, limits_at = from_bytes('<BI7', request, BAN_AT)
























local makers = {}
local algorithms = setmetatable({}, {
__index = function(made, number)
local algorithm = makers[number] and makers[number]()
made[number] = algorithm
return algorithm
end,
})


local function first_behind(state, t, moment)
local low, high = 0, state.n

if high == 0 or moment(state, 0) > t then
return 0
elseif moment(state, high - 1) <= t then
return high
end
while low < high do
local middle = math.floor((low + high) / 2)
if moment(state, middle) <= t then
low = middle + 1
else
high = middle
end
end
return low
end


















local VERSION, VERSION_WIDE = 1, 2
local EXTENDED, TAGGED = 32, 64
local LEVEL, CARRIES = 4, 8
local CARRY_PART = '<BI7I7I6I6I7I7'



local function unpack_state(bytes)
local version, kind, at = struct.unpack('<BB', bytes)
local has_level, level, forget_at, carries = kind % CARRIES >= LEVEL, 0, 0, kind >= CARRIES and {} or nil
kind = kind % LEVEL
local ban
local wide = version == VERSION_WIDE
if version ~= VERSION and not wide or kind > 2 or string.byte(bytes, 2) >= 2 * CARRIES then
error('not a state')
elseif kind > 0 then
local end_at, algorithm, rate, period
end_at, at = struct.unpack('<I7', bytes, at)
if kind == 2 then
algorithm, rate, period, at = struct.unpack(wide and '<BI6I7' or '<BI3I7', bytes, at)
else
algorithm, rate, period = 0, 0, 0
end
ban = {end_at = end_at, algorithm = algorithm, rate = rate, period = period}
end
if has_level then
level, forget_at, at = struct.unpack('<I2I7', bytes, at)
end
local states, n = {}, string.byte(bytes, at)
at = at + 1
for i = 1, n do
local algorithm = string.byte(bytes, at)
if algorithm < EXTENDED then
states[i], at = algorithms[algorithm].unpack(bytes, at + 1, false, wide)
else
local tag
at = at + 1
if algorithm >= TAGGED then
algorithm = algorithm - TAGGED
tag, at = struct.unpack('<I6', bytes, at)
end
states[i], at = algorithms[algorithm % EXTENDED].unpack(bytes, at, algorithm >= EXTENDED, wide)
states[i].tag = tag
end
end
if carries then
local parts = string.byte(bytes, at)
at = at + 1
for i = 1, parts do
local algorithm, period, end_at, carried, left, from, kept_until
algorithm, period, end_at, carried, left, from, kept_until, at = struct.unpack(CARRY_PART, bytes, at)
carries[i] = {
algorithm = algorithm, period = period, end_at = end_at, carried = carried, left = left, from = from,
kept_until = kept_until,
}
end
end
if at ~= #bytes + 1 then
error('not a state')
end
return ban, states, wide, level, forget_at, carries
end

local function pack_state(ban, states, wide, level, forget_at, carries)
local bytes
local version = wide and VERSION_WIDE or VERSION
if level > 0 then
local kind = ban and (ban.algorithm == 0 and 1 or 2) or 0
bytes = string.char(version, LEVEL + kind) .. (ban and struct.pack('<I7', ban.end_at) or '')
.. (kind == 2 and struct.pack(wide and '<BI6I7' or '<BI3I7', ban.algorithm, ban.rate, ban.period) or '')
.. struct.pack('<I2I7B', level, forget_at, #states)
elseif not ban then
bytes = string.char(version, 0, #states)
elseif ban.algorithm == 0 then
bytes = struct.pack('<BBI7B', version, 1, ban.end_at, #states)
else
bytes = struct.pack(wide and '<BBI7BI6I7B' or '<BBI7BI3I7B', version, 2, ban.end_at, ban.algorithm, ban.rate, ban.period, #states)
end
for _, state in ipairs(states) do
local packed = algorithms[state.algorithm].pack(state, wide)
if state.tag then
packed = struct.pack('<BI6', string.byte(packed) + TAGGED, state.tag) .. string.sub(packed, 2)
end
bytes = bytes .. packed
end
if carries then
bytes = string.sub(bytes, 1, 1) .. string.char(string.byte(bytes, 2) + CARRIES) .. string.sub(bytes, 3) .. string.char(#carries)
for _, part in ipairs(carries) do
bytes = bytes .. struct.pack(CARRY_PART, part.algorithm, part.period, part.end_at, part.carried, part.left, part.from,
part.kept_until)
end
end
return bytes
end





makers[1] = function()
local function expires_at(state)
return state.later and state.end_at + #state.later * state.period or state.end_at
end


local function index_of(state, t)
return t < state.end_at and 0 or math.floor((t - state.end_at) / state.period) + 1
end

local function count_of(state, j)
return j == 0 and state.count or state.later and state.later[j] or 0
end

local set_count, advance -- more() creates them

return {
unpack = function(bytes, at, extended, wide)
local period, end_at, count, next = struct.unpack(wide and '<I7I7I6' or '<I7I7I3', bytes, at)
local later
if extended then
local WINDOWS_MAX, n = 1000
n, next = struct.unpack('<I2', bytes, next)
if n == 0 or n >= WINDOWS_MAX or period == 0 then
error('not a state')
end
later = {struct.unpack('<' .. string.rep(wide and 'I6' or 'I3', n), bytes, next)}
next = table.remove(later)
end
return {algorithm = 1, period = period, end_at = end_at, count = count, later = later}, next
end,

pack = function(state, wide)
local later = state.later
if later then
local EXTENDED_WINDOW, COUNT = 1 + 32, wide and 'I6' or 'I3'
return struct.pack('<BI7I7' .. COUNT .. 'I2' .. string.rep(COUNT, #later), EXTENDED_WINDOW, state.period, state.end_at,
state.count, #later, unpack(later))
end
return struct.pack(wide and '<BI7I7I6' or '<BI7I7I3', 1, state.period, state.end_at, state.count)
end,

expires_at = expires_at,

evaluate = function(ctx)
local state = ctx.state
if state.later then
advance(state, ctx.now)
end
ctx.used, ctx.full_at = count_of(state, index_of(state, ctx.at)), expires_at(state)
end,

earliest = function(ctx, t)
local state = ctx.state
if not state then
return t
end
local begun = index_of(state, t)
local j, last = begun, state.later and #state.later or 0
while j <= last and count_of(state, j) + ctx.cost > ctx.limit.number do
j = j + 1
end

return j == begun and t or state.end_at + (j - 1) * state.period
end,


admit = function(ctx)
local state, period = ctx.state, ctx.limit.period
if not state then
state = {algorithm = 1, period = period, end_at = ctx.now + period, count = 0}
end
local j = index_of(state, ctx.at)
if ctx.tag then
ctx.place = state.end_at + j * state.period
end
local count = math.min(1e12, count_of(state, j) + ctx.cost)
if j == 0 then
state.count = count
else
set_count(state, j, count)
end
return state
end,

more = function(algorithm)
set_count = function(state, j, count)
if j == 0 then
state.count = count
return
end
local later = state.later or {}
for i = #later + 1, j do
later[i] = 0
end
later[j] = count
while later[1] and later[#later] == 0 do
later[#later] = nil
end
state.later = later[1] and later or nil
end


advance = function(state, now)
local later = state.later
while later and state.end_at <= now do
state.end_at, state.count = state.end_at + state.period, table.remove(later, 1)
later = later[1] and later
end
state.later = later or nil
end

algorithm.largest = function(state)
return math.max(state.count, unpack(state.later or {}))
end

algorithm.credit = function(ctx)
ctx.state.count = math.max(0, ctx.state.count - ctx.cost)
return ctx.state
end

algorithm.book_at = function(ctx)
local WINDOWS_MAX = 1000
local state = ctx.state or {end_at = ctx.now + ctx.limit.period, period = ctx.limit.period}
return index_of(state, ctx.at) >= WINDOWS_MAX and state.end_at or 0
end

algorithm.give_back = function(ctx, held, n)
local state = ctx.state
local j = (held.place - state.end_at) / state.period
if j < 0 or j ~= math.floor(j) or j > (state.later and #state.later or 0) then
return nil
end
if ctx.undo and not state.later and state.count <= n then
state.end_at = ctx.now -- it is over
end
set_count(state, j, math.max(0, count_of(state, j) - n))
return state
end
end,
}
end





makers[2] = function()
local WINDOWS_MAX = 1000
local AHEAD, UNITS = 2, 4


local function view_of(ctx)
local limit, state = ctx.limit, ctx.state
local bounds = limit.bounds
local boundary, next_boundary = bounds[2], bounds[3]
if not ctx.booking and ctx.now >= boundary then
boundary, next_boundary = next_boundary, math.huge
end
local windows, n, ahead = {}, 0, 0
if state then
for _, window in ipairs(state.windows) do
if window.end_at > ctx.now then
n = n + 1
windows[n] = window
end
end
ahead = math.min(state.ahead, n)
if ahead < n and state.period == limit.period and windows[1].end_at > next_boundary then

windows, n = {unpack(windows, n - ahead + 1)}, ahead
end
end
local index, period, exists = 1, n > 0 and state.period or limit.period, false
if ctx.booking then
while index <= n and windows[index].end_at < boundary do
index = index + 1
end
exists = index <= n and (windows[index].end_at == boundary or index <= n - ahead and period == limit.period)
elseif n > 0 then
while ahead > 0 and windows[n - ahead + 1].end_at <= boundary do
ahead = ahead - 1
end

exists = ahead < n or windows[1].end_at <= boundary or period ~= limit.period
end
return {
windows = windows, n = n, ahead = ahead, period = period, index = index, exists = exists,
end_at = exists and windows[index].end_at or boundary, count = exists and windows[index].count or 0,
}
end

local function is_full(ctx, count)
return count + ctx.cost > ctx.limit.number
end


local function skip_full_next(ctx, view, t)
local next_end = ctx.limit.bounds[3]
if view.end_at >= next_end or t >= next_end then
return t
end
for i = view.exists and 2 or 1, view.n do
local window = view.windows[i]
if window.end_at == next_end and is_full(ctx, window.count) then
return next_end
end
end
return t
end

local function put(ctx, view, count)
local window, ahead = {end_at = view.end_at, count = count}, view.ahead
if view.exists then
view.windows[view.index] = window
else
if ctx.booking and view.index + ahead > view.n then
ahead = ahead + 1
end
table.insert(view.windows, view.index, window)
end
return {
algorithm = 2, period = view.period, ahead = ahead, windows = view.windows, tag = ctx.state and ctx.state.tag,
}
end

return {
unpack = function(bytes, at, extended, wide)
local period, kind, n
local ahead, windows = 0, {}
period, kind, n, at = struct.unpack('<BBI2', bytes, at)
if kind % AHEAD ~= 0 or kind > AHEAD + UNITS or extended then
error('not a state')
end
if kind == AHEAD or kind == AHEAD + UNITS then
ahead, at = struct.unpack('<I2', bytes, at)
end
if kind >= UNITS then
local units
units, at = struct.unpack('<I4', bytes, at)
period = period + units * 256
end
for i = 1, n do
local end_at, count
end_at, count, at = struct.unpack(wide and '<I7I6' or '<I7I3', bytes, at)
windows[i] = {end_at = end_at, count = count}
end
return {algorithm = 2, period = period, ahead = ahead, windows = windows}, at
end,

pack = function(state, wide)
local period, ahead = state.period % 256, state.ahead > 0
local units = (state.period - period) / 256
local kind = (ahead and AHEAD or 0) + (units > 0 and UNITS or 0)
local parts = {struct.pack('<BBBI2', 2, period, kind, #state.windows)}
if ahead then
parts[1] = parts[1] .. struct.pack('<I2', state.ahead)
end
if units > 0 then
parts[1] = parts[1] .. struct.pack('<I4', units)
end
for i, window in ipairs(state.windows) do
parts[i + 1] = struct.pack(wide and '<I7I6' or '<I7I3', window.end_at, window.count)
end
return table.concat(parts)
end,

expires_at = function(state)
local last = state.windows[#state.windows]
return last and last.end_at or 0
end,

evaluate = function(ctx)
local view = view_of(ctx)
ctx.view, ctx.used = view, view.count
ctx.full_at = view.exists and view.end_at or ctx.now
end,

earliest = function(ctx, t)
local view = ctx.view or view_of(ctx)
if t < view.end_at then
if not is_full(ctx, view.count) then
return t
end
t = view.end_at
end
return skip_full_next(ctx, view, t)
end,

admit = function(ctx)
local view = ctx.view or view_of(ctx)
if ctx.tag then
ctx.place = view.end_at
end
return put(ctx, view, math.min(1e12, view.count + ctx.cost))
end,

more = function(algorithm)
algorithm.largest = function(state)
local most = 0
for _, window in ipairs(state.windows) do
most = math.max(most, window.count)
end
return most
end


algorithm.credit = function(ctx)
local view = ctx.view
if not view.exists then
return {
algorithm = 2, period = view.period, ahead = view.ahead, windows = view.windows, tag = ctx.state.tag,
}
end
return put(ctx, view, math.max(0, view.count - ctx.cost))
end

algorithm.book_at = function(ctx)
local view = ctx.view or view_of(ctx)
return (view.exists or view.n < WINDOWS_MAX) and 0 or view.windows[1].end_at
end

algorithm.cancel = function(ctx)
local view = ctx.view
if not view.exists or view.count < ctx.cost then
return nil
end
return put(ctx, view, view.count - ctx.cost)
end

algorithm.give_back = function(ctx, held, n)
local view = ctx.view
for index, window in ipairs(view.windows) do
if window.end_at == held.place then
view.index, view.exists, view.end_at = index, true, window.end_at
if ctx.undo and window.count <= n then
local ahead = index > view.n - view.ahead and view.ahead - 1 or view.ahead
table.remove(view.windows, index)
return {
algorithm = 2, period = view.period, ahead = ahead, windows = view.windows, tag = ctx.state.tag,
}
end
return put(ctx, view, math.max(0, window.count - n))
end
end
end
end,
}
end








makers[3] = function()
local MOMENTS_MAX = 10000
local AHEAD = 8


local function moment(state, i)
return state.base + (struct.unpack(state.format, state.bytes, state.start + i * state.width))
end


local function first_after(state, t)
return first_behind(state, t, moment)
end

local function set_width(state, width)
state.width = width
state.format = '<I' .. width
end

local function slice(state, from, to)
return string.sub(state.bytes, state.start + from * state.width, state.start + to * state.width - 1)
end


local function rewrite(state, moments)
local span = moments[#moments] - moments[1]
state.base, state.n = moments[1], #moments
set_width(state, span < 2 ^ 32 and 4 or span < 2 ^ 40 and 5 or span < 2 ^ 48 and 6 or 7)
for i, m in ipairs(moments) do
moments[i] = struct.pack(state.format, m - state.base)
end
state.bytes, state.start = table.concat(moments), 1
end


local function splice(state, a, b, n, t, c, d)
local distance = t - state.base
if n == 0 or (distance >= 0 and distance < 256 ^ state.width) then
local new = n > 0 and string.rep(struct.pack(state.format, distance), n) or ''
state.bytes, state.start = slice(state, a, b) .. new .. slice(state, c, d), 1
state.n = b - a + n + d - c
return
end
local moments = {}
for i = a, b - 1 do
moments[#moments + 1] = moment(state, i)
end
for _ = 1, n do
moments[#moments + 1] = t
end
for i = c, d - 1 do
moments[#moments + 1] = moment(state, i)
end
rewrite(state, moments)
end


local function busiest(state, first, t)
local from, n, ahead = first, state.n, state.ahead
if moment(state, first) <= t - state.period then
from = first_after(state, t - state.period)
end
if ahead == 0 or moment(state, n - 1) <= t then
return n - from
end

local come = n - ahead
local later = math.max(come, first_after(state, t))
local most, to = 0, from
for i = from, math.max(from, later) do
local end_at = (i < later and math.min(moment(state, i), t) or t) + state.period
while to < n and (to < come or moment(state, to) < end_at) do
to = to + 1
end
most = math.max(most, to - i)
end
return most
end


local function book_after(state, first, cost)
local beyond = state.n - first + cost - MOMENTS_MAX
return beyond > 0 and moment(state, first + beyond - 1) + state.period or 0
end


local function first_forbidding(state, first, k, t)
if state.ahead == 0 or moment(state, state.n - 1) <= t then
return state.n - k -- nothing lies ahead of t: the last k decide
end
return math.max(first, first_after(state, t - state.period), state.n - state.ahead - k)
end


local function is_ahead(ctx, first)
local state = ctx.state
local come = state.n - state.ahead
return ctx.booking and ctx.at > ctx.now and (come <= first or ctx.at > moment(state, come - 1))
end

return {
unpack = function(bytes, at, extended)
local period, base, width, n, start = struct.unpack('<I7I7BI2', bytes, at)
local ahead = 0
if width > AHEAD then
width = width - AHEAD
ahead, start = struct.unpack('<I2', bytes, start)
end
local next = start + n * width
if width < 4 or width > 7 or ahead > n or next > #bytes + 1 or extended then
error('not a state')
end
return {
algorithm = 3, period = period, base = base, width = width, format = '<I' .. width, n = n, ahead = ahead,
bytes = bytes, start = start,
}, next
end,

pack = function(state)
local n, ahead = state.n, state.ahead
if ahead > 0 then
return struct.pack('<BI7I7BI2I2', 3, state.period, state.base, state.width + AHEAD, n, ahead) .. slice(state, 0, n)
end
return struct.pack('<BI7I7BI2', 3, state.period, state.base, state.width, n) .. slice(state, 0, n)
end,

expires_at = function(state)
return state.n > 0 and moment(state, state.n - 1) + state.period or 0
end,



evaluate = function(ctx)
local state = ctx.state
local first = first_after(state, ctx.now - state.period)
while state.ahead > 0 and moment(state, state.n - state.ahead) <= ctx.now do
state.ahead = state.ahead - 1
end
ctx.first, ctx.full_at = first, moment(state, state.n - 1) + state.period

ctx.used = math.max(busiest(state, first, ctx.at), state.n - first + ctx.limit.number - MOMENTS_MAX)
end,

earliest = function(ctx, t)
local state, first = ctx.state, ctx.first
if not state then
return t
end
if not ctx.booking then
t = math.max(t, book_after(state, first, ctx.cost))
end
local k = ctx.limit.number - ctx.cost + 1
if state.n - first < k then
return t
end
local period, come = state.period, state.n - state.ahead
for a = first_forbidding(state, first, k, t), state.n - k do
local from, has_come = moment(state, a), a + k <= come
local to = has_come and from or moment(state, a + k - 1)
if not has_come and to - period >= t then
break
end
if (has_come or to - from < period) and t < from + period then
t = from + period
end
end
return t
end,

admit = function(ctx)
local state, first, period = ctx.state, ctx.first, ctx.limit.period
local n = ctx.cost
if ctx.tag then
ctx.place = ctx.at
end
if not state then
n = math.min(n, MOMENTS_MAX)
return {
algorithm = 3, period = period, base = ctx.at, width = 4, format = '<I4', n = n,
ahead = ctx.booking and ctx.at > ctx.now and n or 0, bytes = string.rep('\0', 4 * n), start = 1,
}
end

if state.period ~= period then
state.period = period
first = math.max(first, first_after(state, ctx.now - period))
end
if ctx.debt then
n = math.min(n, MOMENTS_MAX - (state.n - first))
end
local place, ahead = first_after(state, ctx.at), state.ahead
if is_ahead(ctx, first) then
ahead = ahead + n
end
splice(state, math.min(first, place), place, n, ctx.at, math.max(first, place), state.n)
state.ahead = ahead
return state
end,

more = function(algorithm)

algorithm.credit = function(ctx)
local state, first = ctx.state, ctx.first
local place = math.max(first, state.n - state.ahead)
splice(state, first, math.max(first, place - ctx.cost), 0, 0, place, state.n)
return state
end

algorithm.book_at = function(ctx)
return ctx.state and book_after(ctx.state, ctx.first, ctx.cost) or 0
end

algorithm.cancel = function(ctx)
local state, first = ctx.state, ctx.first
local place = first_after(state, ctx.at)
if place - first < ctx.cost or moment(state, place - ctx.cost) ~= ctx.at then
return nil
end
local ahead = place > state.n - state.ahead and math.max(0, state.ahead - ctx.cost) or state.ahead
splice(state, first, place - ctx.cost, 0, 0, place, state.n)
state.ahead = ahead
return state
end

algorithm.give_back = function(ctx, held, n)
local state, first = ctx.state, ctx.first
local place, found = first_after(state, held.place), 0
while found < n and place - found > first and moment(state, place - found - 1) == held.place do
found = found + 1
end
if found == 0 then
return nil
end
local ahead = place > state.n - state.ahead and math.max(0, state.ahead - found) or state.ahead
splice(state, first, place - found, 0, 0, place, state.n)
state.ahead = ahead
return state
end
end,
}
end







makers[4] = function()
local SUB_WINDOWS = 30

local function new(period, origin, counters)
return {
algorithm = 4, period = period, width = math.ceil(period / SUB_WINDOWS), origin = origin, counters = counters,
first = 1,
}
end

local function counter_expires_at(state, i)
return state.origin + (i + 1) * state.width + state.period
end

local function expires_at(state)
local counters = state.counters
return counters[state.first] and counter_expires_at(state, counters[#counters - 1]) or 0
end


local function drop_expired(state, now)
local counters, first = state.counters, state.first
while counters[first] and counter_expires_at(state, counters[first]) <= now do
first = first + 2
end
state.first = first
local sum = 0
for place = first + 1, #counters, 2 do
sum = sum + counters[place]
end
return sum
end


local function count(state, i, n)
local counters, first = state.counters, state.first
local place = #counters - 1
while place >= first and counters[place] > i do
place = place - 2
end
if place >= first and counters[place] == i then
counters[place + 1] = math.min(1e12, counters[place + 1] + n)
else
table.insert(counters, place + 2, i)
table.insert(counters, place + 3, n)
end
end

return {
unpack = function(bytes, at, extended, wide)
local COUNTERS_MAX = 2000 -- the results of one struct.unpack() fit on Lua's stack
local period, origin, n
period, origin, n, at = struct.unpack(extended and '<I7I7I2' or '<I7I7B', bytes, at)
if period == 0 or n > COUNTERS_MAX then
error('not a state')
end
local counters = {struct.unpack('<' .. string.rep((extended and 'I6' or 'B') .. (wide and 'I6' or 'I3'), n), bytes, at)}
at = table.remove(counters)
return new(period, origin, counters), at
end,

pack = function(state, wide)
local EXTENDED_WINDOW, SHORT_MAX = 4 + 32, 255 -- the largest i, and the most counters, of the other form
local counters, first = state.counters, state.first
local oldest = counters[first]
state.origin = state.origin + oldest * state.width
for place = first, #counters, 2 do
counters[place] = counters[place] - oldest
end
local n = (#counters - first + 1) / 2
if n > SHORT_MAX or counters[#counters - 1] > SHORT_MAX then
return struct.pack('<BI7I7I2' .. string.rep(wide and 'I6I6' or 'I6I3', n), EXTENDED_WINDOW, state.period, state.origin, n,
unpack(counters, first))
end
return struct.pack('<BI7I7B' .. string.rep(wide and 'BI6' or 'BI3', n), 4, state.period, state.origin, n, unpack(counters, first))
end,

expires_at = expires_at,

evaluate = function(ctx)
local state, at = ctx.state, ctx.at
local used = drop_expired(state, ctx.now)
state.sum, ctx.full_at = used, expires_at(state)
if at > ctx.now then
local counters, place = state.counters, state.first
while counters[place] and counter_expires_at(state, counters[place]) <= at do
used, place = used - counters[place + 1], place + 2
end
end
ctx.used = used
end,

earliest = function(ctx, t)
local state = ctx.state
if not state then
return t
end
local n = state.sum
for place = state.first, #state.counters, 2 do
local end_at = counter_expires_at(state, state.counters[place])
if end_at > t then
if n + ctx.cost <= ctx.limit.number then
break
end
t = end_at
end
n = n - state.counters[place + 1]
end
return t
end,


admit = function(ctx)
local state = ctx.state or new(ctx.limit.period, ctx.now, {})
count(state, math.floor((ctx.now - state.origin) / state.width), ctx.cost)
return state
end,

more = function(algorithm)
algorithm.largest = function(state)
local most = 0
for place = state.first + 1, #state.counters, 2 do
most = math.max(most, state.counters[place])
end
return most
end


local function take(state, place, n)
local counters = state.counters
counters[place + 1] = math.max(0, counters[place + 1] - n)
if counters[place + 1] == 0 then
table.remove(counters, place + 1)
table.remove(counters, place)
end
end



local function recount(old, period, now)
local state = new(period, nil, {})
for place = old.first, #old.counters, 2 do
local begin = old.origin + old.counters[place] * old.width
local last = begin + old.width - 1
if last > now and begin <= now then
last = now
end
state.origin = state.origin or math.min(now, last)
count(state, math.floor((last - state.origin) / state.width), old.counters[place + 1])
end
drop_expired(state, now)
return state.counters[state.first] and state or nil
end

algorithm.admit = function(ctx)
local state, period = ctx.state, ctx.limit.period
if state and state.period ~= period then
state = recount(state, period, ctx.now)
end
state = state or new(period, ctx.now, {})
local i = math.floor((ctx.at - state.origin) / state.width)
if ctx.tag then
ctx.place = state.origin + i * state.width
end
count(state, i, ctx.cost)
return state
end


algorithm.credit = function(ctx)
local state, left = ctx.state, ctx.cost
local counters = state.counters
while left > 0 and #counters > state.first do
local back = math.min(left, counters[#counters])
take(state, #counters - 1, back)
left = left - back
end
return state
end


algorithm.book_at = function(ctx)
local AHEAD_MAX = 1000
local state = ctx.state
if not state then
return 0
end
local counters, ahead = state.counters, 0
for place = #counters - 1, state.first, -2 do
if state.origin + counters[place] * state.width <= ctx.now then
break
end
ahead = ahead + 1
end
return ahead >= AHEAD_MAX and counter_expires_at(state, counters[state.first]) or 0
end

algorithm.give_back = function(ctx, held, n)
local state = ctx.state
local i = (held.place - state.origin) / state.width
for place = state.first, #state.counters, 2 do
if state.counters[place] == i then
take(state, place, n)
return state
end
end
end
end,
}
end









makers[5] = function()


local function mul_div(a, b, c)
local product = a * b
if product < 2 ^ 53 then
local rest = math.fmod(product, c)
return (product - rest) / c, rest
end

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


evaluate = function(ctx)
local state = ctx.state
if state.tat_us >= ctx.at then
local whole, rest = mul_div(state.tat_us - ctx.at, state.rate, state.period)
ctx.used = math.min(1e12, whole + math.ceil((rest + state.tat_frac) / state.period))
end
ctx.full_at = expires_at(state)
end,


earliest = function(ctx, t)
local state = ctx.state
if not state then
return t
end
local us, frac = mul_div(state.period, ctx.limit.number - ctx.cost, state.rate)
return math.max(t, state.tat_us - us + (state.tat_frac > frac and 1 or 0))
end,


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

local function missing(state, t)
local whole, rest = mul_div(state.tat_us - t, state.rate, state.period)
return math.min(1e12, whole + math.ceil((rest + state.tat_frac) / state.period))
end

algorithm.largest = function(state)
return state.rate
end


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


local function lowest_since(marks, take)
for i = 1, #marks, 2 do
if marks[i] > take then
return marks[i + 1]
end
end
return math.huge
end


local function tat_sub(state, now, us, frac)
state.tat_us, state.tat_frac = state.tat_us - us, state.tat_frac - frac
if state.tat_frac < 0 then
state.tat_us, state.tat_frac = state.tat_us - 1, state.tat_frac + state.rate
end
if state.tat_us < now then
state.tat_us, state.tat_frac = now, 0
end
end


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






makers[6] = function()
local PLACE, WIDTH = '<I6I2I7', 15
local PLACES_MAX = 10000


local function place(state, i)
return struct.unpack(PLACE, state.bytes, state.start + i * WIDTH)
end

local function end_of(state, i)
return (struct.unpack('<I7', state.bytes, state.start + i * WIDTH + 8))
end

local function slice(state, from, to)
return string.sub(state.bytes, state.start + from * WIDTH, state.start + to * WIDTH - 1)
end

local function expires_at(state)
return state.n > 0 and end_of(state, state.n - 1) or 0
end


local function first_after(state, t)
return first_behind(state, t, end_of)
end


local function sum_of(state, a, b)
local sum = 0
for i = a, b - 1 do
local _, count = place(state, i)
sum = sum + count
end
return sum
end


local function drop(state, a, b)
state.sum = state.sum - sum_of(state, a, b)
state.bytes, state.start, state.n = slice(state, 0, a) .. slice(state, b, state.n), 1, state.n - (b - a)
end

local function insert(state, number, count, end_at)
local i = first_after(state, end_at)
state.bytes = slice(state, 0, i) .. struct.pack(PLACE, number, count, end_at) .. slice(state, i, state.n)
state.start, state.n, state.sum = 1, state.n + 1, state.sum + count
end


local function find(state, number)
local packed, from = struct.pack('<I6', number), state.start
while true do
from = string.find(state.bytes, packed, from, true)
local i = from and (from - state.start) / WIDTH
if not i or i >= state.n then
return nil
elseif i == math.floor(i) then
return i
end
from = from + 1
end
end


local function release(state, number)
local first
local i = find(state, number)
while i do
local _, count = place(state, i)
first = first or count
drop(state, i, i + 1)
i = find(state, number)
end
return first
end

return {
unpack = function(bytes, at, extended)
local period, n, sum, start = struct.unpack('<I7I2I4', bytes, at)
local next = start + n * WIDTH
if n > PLACES_MAX or next > #bytes + 1 or extended then
error('not a state')
end
return {algorithm = 6, period = period, n = n, sum = sum, bytes = bytes, start = start}, next
end,

pack = function(state)
return struct.pack('<BI7I2I4', 6, state.period, state.n, state.sum) .. slice(state, 0, state.n)
end,

expires_at = expires_at,

evaluate = function(ctx)
local state = ctx.state
local over = first_after(state, ctx.now)
if over > 0 then
drop(state, 0, over)
end
ctx.used = state.sum
if ctx.at > ctx.now then
ctx.used = ctx.used - sum_of(state, 0, first_after(state, ctx.at))
end
ctx.full_at = expires_at(state)
end,


earliest = function(ctx, t)
local state, used, i = ctx.state, ctx.used, 0
if not state or used + ctx.cost <= ctx.limit.number then
return t
end
if ctx.at > ctx.now then
i = first_after(state, ctx.at)
end
while i < state.n and used + ctx.cost > ctx.limit.number do
local _, count, end_at = place(state, i)
used, t, i = used - count, math.max(t, end_at), i + 1
end
return t
end,


admit = function(ctx)
local state, period = ctx.state, ctx.limit.period
state = state or {algorithm = 6, n = 0, sum = 0, bytes = '', start = 1}
state.period = period
insert(state, ctx.number or 0, ctx.cost, ctx.at + period)
return state
end,


credit = function(ctx)
return ctx.state
end,

give_back = function(ctx, held)
return release(ctx.state, held.tag) and ctx.state or nil
end,


renew = function(ctx, held, period)
local count = release(ctx.state, held.tag)
if not count then
return nil
end
insert(ctx.state, held.tag, count, ctx.now + period)
return ctx.state
end,
}
end


local CALENDAR_WINDOW = 2
local BAN_STEPS = 3
local CARRY = 16

local wide = op >= WIDE
op = op % WIDE


local permit
if op > LEASE then
local PERMIT, HELD = wide and '<I6I6I7I6I7B' or '<I3I3I7I6I7B', wide and '<I6I7I7I6' or '<I6I7I7I3'
local leave, at_least, max_wait, number, renew_us, n
leave, at_least, max_wait, number, renew_us, n, limits_at = struct.unpack(PERMIT, request, limits_at)
permit = {
leave = leave, at_least = at_least, max_wait = max_wait, number = number, renew_us = renew_us, held = {},
granted = 0, wait = 0, parts = '',
}
for i = 1, n do
local tag, place, moved, charged
tag, place, moved, charged, limits_at = struct.unpack(HELD, request, limits_at)
permit.held[i] = {tag = tag, place = place, moved = moved, cost = charged}
end
op = op % PARTS
end

local booking = op == RESERVE or op == CANCEL

local limits, has_cost = {}, cost > 0
while limits_at <= #request do
local algorithm, number, rate, kind, us, period, bounds
local own, group, carry = cost, 0, nil
if wide then
algorithm, number, rate, kind, us, period, own, group, limits_at = struct.unpack('<BI6I6BI7I7I6B', request, limits_at)
else
algorithm, number, rate, kind, us, period, limits_at = struct.unpack(LIMIT, request, limits_at)
end
if algorithm > CARRY then
algorithm, carry = algorithm - CARRY, 0
end
if algorithm == CALENDAR_WINDOW then
bounds = {struct.unpack(BOUNDS, request, limits_at)}
limits_at = bounds[4]
end
local steps
if kind == BAN_STEPS then
local n = string.byte(request, limits_at)
steps = {struct.unpack('<' .. string.rep('I7', n), request, limits_at + 1)}
limits_at = table.remove(steps)
end
if carry then
carry, limits_at = struct.unpack('<I6', request, limits_at)
end
has_cost = has_cost or own > 0
limits[#limits + 1] = {
algorithm = algorithm, number = number, rate = rate, ban_kind = kind, ban_us = us, period = period, bounds = bounds,
cost = own, group = group + 1, skipped = wide and own == 0 and op < SETTLE, steps = steps, carry = carry,
}
end


local looks = op == PEEK and not has_cost
for i = 1, looks and #limits or 0 do
limits[i].skipped = false
end



local function read_state(bytes)
if not bytes then
return nil, {}, false, 0, 0
end
local valid, read, found, is_wide, level, forget_at, carries = pcall(unpack_state, bytes)
if not valid then
return {err = 'RATELIMIT_FOREIGN the key holds a value that is not a limiter\'s state'}
end
return read and read.end_at > now and read or nil, found, is_wide, forget_at > now and level or 0, forget_at, carries
end

local ban, states, wide_state, level, forget_at, carries = read_state(value)
if ban and ban.err then
return ban
end

local function answer(reason, limit, remaining, retry, reset, found)
local facts = nonce .. struct.pack(wide and '<I7BBI6i7I7I4' or ANSWER, now, reason, limit - 1, math.max(0, remaining), retry,
math.max(0, reset), found)
if permit then
facts = facts .. struct.pack(wide and '<I6I7' or '<I3I7', permit.granted, permit.wait) .. permit.parts
end
return level > 0 and facts .. struct.pack('<I2', level) or facts
end

if op <= CREDIT or op >= LEASE and op <= SETTLE then
for _, limit in ipairs(limits) do
local bounds, t = limit.bounds, booking and at or now
if bounds and (t < bounds[1] or t >= bounds[booking and 2 or 3]) then
return answer(STALE, 1, 0, 0, 0, 0)
end
end
end


local function ctx_of(limit, state, turn)
local algorithm = algorithms[limit.algorithm]
local ctx = {
limit = limit, state = state and algorithm.expires_at(state) > now and state or nil, now = now,
at = turn or booking and at or now, booking = turn ~= nil or booking, cost = limit.cost, used = 0, full_at = now,
}
if ctx.state then
algorithm.evaluate(ctx)
end
return ctx
end





local function lease(ctx)
if op ~= LEASE then
return 0
end
local DEMAND_US = 200000 -- RL_DEMAND_BATCH_MS
local limit, state, most = ctx.limit, ctx.state, at % LEASE_VALID
local left = limit.number - ctx.used - limit.cost - (permit and permit.leave or 0)
if limit.algorithm == 4 then
local width = math.ceil(limit.period / 30)
local age = state and now - state.origin or 0
if state and state.counters[#state.counters - 1] > math.floor(age / width) then
return 0 -- the clock was set back
end
most = math.min(most, math.floor(most * (width - age % width) / (2 * DEMAND_US)))
elseif limit.algorithm == 5 then
left = math.min(left, limit.number - math.ceil(math.floor(at / LEASE_VALID) * limit.rate / limit.period))
end
return math.max(0, math.min(most, math.floor(left / LEASE_SHARE)))
end


local function store(key, value, ban, states, wide, level, forget_at, parts)
local done
if ban or states[1] or level > 0 or parts then
local end_at = math.max(ban and ban.end_at or 0, level > 0 and forget_at or 0)
for _, state in ipairs(states) do
end_at = math.max(end_at, algorithms[state.algorithm].expires_at(state))
end
for _, part in ipairs(parts or {}) do
end_at = math.max(end_at, part.kept_until)
end

done = call('SET', key, pack_state(ban, states, wide, level, forget_at, parts), 'PXAT', math.ceil(end_at / 1000) + 1000)
elseif value then
done = call('DEL', key)
end
return type(done) == 'table' and done.err and done or nil
end

local limit, state = limits[1], states[1]
if not permit and not wide and not wide_state and not limits[2] and not states[2] and not ban and level == 0 and cost > 0
and cost <= limit.number and (op == CONSUME or op == PEEK or op == LEASE)
and (not state or state.algorithm == limit.algorithm and state.period == limit.period and not state.tag and not state.later) then
local algorithm, ctx = algorithms[limit.algorithm], ctx_of(limit, state)
local earliest = algorithm.earliest(ctx, now)
if earliest == now then
local leased = lease(ctx)
local of_bucket = leased > 0 and limit.algorithm == 5
ctx.cost = of_bucket and cost or cost + leased
ctx = ctx_of(limit, algorithm.admit(ctx))
if of_bucket then
local end_at, bucket = now + math.floor(at / LEASE_VALID), ctx.state
if bucket.tat_us < end_at then
bucket.tat_us, bucket.tat_frac = end_at, 0
end
ctx.cost = leased
ctx = ctx_of(limit, algorithm.admit(ctx))
end
local next_at = now
if ctx.used >= limit.number then
ctx.cost = 1
next_at = algorithm.earliest(ctx, now)
end
return op ~= PEEK and store(key, value, nil, {ctx.state}, false, 0, 0)
or answer(ACCEPTED, 1, limit.number - ctx.used, next_at - now, ctx.full_at - now, leased)
elseif limit.ban_kind == 0 and algorithm.earliest(ctx, earliest) == earliest then
return answer(LIMITED, 1, limit.number - ctx.used, earliest - now, ctx.full_at - now, 0)
end
end

local BAN_FOR, BAN_UNTIL = 1, 2
local SLIDING_WINDOW, TOKEN_BUCKET, CONCURRENT = 4, 5, 6
local UNMATCHED_MAX = 8




local function complete(number)
local algorithm = algorithms[number]
if algorithm.more then
algorithm.more(algorithm)
algorithm.more = nil
end
return algorithm
end

for _, limit in ipairs(limits) do
complete(limit.algorithm)
end


local groups = {{key = key, value = value, ban = ban, states = states, level = level, forget_at = forget_at, carries = carries}}
for g = 2, #KEYS do
local found = call('GET', KEYS[g])
if type(found) == 'table' then
return found
end
local running, read, is_wide, of_key, forgets_at, parts = read_state(found)
if running and running.err then
return running
end
groups[g] = {key = KEYS[g], value = found, ban = running, states = read, level = of_key, forget_at = forgets_at, carries = parts}
wide_state = wide_state or is_wide
end


local may_be_wide = wide or wide_state or op == SETTLE

local ctxs, taken = {}, {}
for g, group in ipairs(groups) do
local free, n = {}, 0
for _, state in ipairs(group.states) do
if algorithms[state.algorithm].expires_at(state) > now then
n = n + 1
free[n] = state
end
end
local function match(same_period)
for i, limit in ipairs(limits) do
for j = 1, limit.group == g and n or 0 do
local state = free[j]
if not taken[i] and state and state.algorithm == limit.algorithm
and (not same_period or state.period == limit.period and (state.rate or 0) == limit.rate) then
taken[i], free[j] = state, false
end
end
end
end
match(true)
match(false)
group.unmatched, group.n = {}, n
for j = 1, n do
if free[j] and #group.unmatched < UNMATCHED_MAX then
group.unmatched[#group.unmatched + 1] = free[j]
end
end
end
for i, limit in ipairs(limits) do
ctxs[i] = ctx_of(limit, taken[i])
end




local carry_ends, carry_parts, carries_change = {}, {}, op <= PEEK or op == CREDIT or op == ACQUIRE or op == SETTLE


local function clock_window(limit)
local bounds = limit.bounds
local later = now >= bounds[2] and 1 or 0
return bounds[1 + later], bounds[2 + later]
end

local function kept_until(limit, end_at)
if not limit.bounds then
return end_at + limit.period
end
local begin, clock_end = clock_window(limit)
return end_at + 2 * (clock_end - begin)
end


local function is_last(limit, part)
if part.end_at > now then
return false
elseif limit.bounds then
return clock_window(limit) == part.end_at
end
return now < part.end_at + limit.period
end


for i, limit in ipairs(limits) do
if limit.carry then
local carries = groups[limit.group].carries or {}
local part
for j = 1, #carries do
if not part and carries[j] and carries[j].algorithm == limit.algorithm and carries[j].period == limit.period
and carries[j].kept_until > now then
part, carries[j] = carries[j], false
end
end
local ends = ctxs[i].full_at > now and ctxs[i].full_at or nil
limit.carried, limit.own = 0, limit.number
if part and carries_change then
if ends then
limit.carried = part.end_at == ends and part.carried or 0
elseif is_last(limit, part) then
limit.carried = math.min(part.left, limit.carry)
end
limit.number = limit.number + math.min(limit.carried, limit.carry)
end
carry_ends[i], carry_parts[i] = ends, part
end
end


local function next_carry(i)
local limit, ctx, part, ends = limits[i], ctxs[i], carry_parts[i], carry_ends[i]
if not carries_change then
return part
elseif ctx.full_at > now then
return {
algorithm = limit.algorithm, period = limit.period, end_at = ctx.full_at, carried = limit.carried,
left = math.max(0, limit.number - ctx.used), from = part and (ends and part.from or part.end_at) or 0,
kept_until = kept_until(limit, ctx.full_at),
}
elseif not ends then
return part
elseif part and op == SETTLE and part.from > 0 and part.end_at == ends then

part.end_at, part.left, part.carried, part.kept_until = part.from, part.carried, 0, kept_until(limit, part.from)
return part
end
end


local function carries_of(g)
local parts
for i = 1, #ctxs do
local part = limits[i].carry and limits[i].group == g and next_carry(i)
if part and part.kept_until > now then
parts = parts or {}
parts[#parts + 1] = part
end
end
return parts
end


local function invoke(i, name, ...)
return algorithms[limits[i].algorithm][name](ctxs[i], ...)
end


local function is_large(ban, states)
local SMALL_MAX = 2 ^ 24 - 1
local large = ban and ban.rate > SMALL_MAX
for _, state in ipairs(states) do
local largest = complete(state.algorithm).largest
large = large or largest and largest(state) > SMALL_MAX
end
return large
end


local function store_group(group, g)
local states = {}
for i = 1, #ctxs do
if limits[i].group == g then
states[#states + 1] = ctxs[i].state
end
end
for _, state in ipairs(group.unmatched) do
states[#states + 1] = state
end
return store(group.key, group.value, group.ban, states, may_be_wide and is_large(group.ban, states), group.level,
group.forget_at, carries_of(g))
end


local function store_all(changed)
for g, group in ipairs(groups) do
local failed = (not changed or changed[g]) and store_group(group, g)
if failed then
return failed
end
end
end



local leased = 0

local function remaining(i)
return math.max(0, limits[i].number - ctxs[i].used)
end


local function answer_by(i, reason, ...)
level = groups[limits[i].group].level
return answer(reason, i, ...)
end

local function answer_of(i, reason, retry)
return answer_by(i, reason, remaining(i), retry, ctxs[i].full_at - now, leased)
end


local function all_earliest(t)
repeat
local before = t
for i = 1, #limits do
t = limits[i].skipped and t or invoke(i, 'earliest', t)
end
until t == before
return t
end


local function answer_banned(i, ban, begins)
return answer_by(i, BANNED, 0, (looks and ban.end_at or all_earliest(ban.end_at)) - now, ban.end_at - now, begins)
end


local function running_ban(t)
local last, of_group
for g, group in ipairs(groups) do
local ban = group.ban
if ban and t < ban.end_at and (not last or ban.end_at > last.end_at) then
last, of_group = ban, g
end
end
return last, of_group
end


local function banning_limit(ban, g)
local alike, first
for i, limit in ipairs(limits) do
if limit.group == g then
first = first or i
if limit.algorithm == ban.algorithm then
if limit.period == ban.period and limit.rate == ban.rate then
return i
end
alike = alike or i
end
end
end
return alike or first
end




local function ban_end(kind, us, steps, level)
if steps then
return now + steps[math.min(level + 1, #steps)]
end
return kind == BAN_FOR and now + us or kind == BAN_UNTIL and us or 0
end




local function tag_to_make(i)
local limit, state = limits[i], ctxs[i].state
local algorithm = limit.algorithm
if state and (algorithm == SLIDING_WINDOW or algorithm == TOKEN_BUCKET)
and (state.period ~= limit.period or (state.rate or 0) ~= limit.rate) then
state = nil
end
if state and state.tag then
return state.tag
elseif op ~= ACQUIRE or algorithm == CONCURRENT then
return nil
end
return state and permit.number - permit.number % 2 + 1 or permit.number
end

local function admit(i)
local ctx = ctxs[i]
ctx.tag = tag_to_make(i)
local state = invoke(i, 'admit')
state.tag = ctx.tag
return state
end




local function answer_admitted(granted)
local tightest, least
for i, limit in ipairs(limits) do
if not limit.skipped and (not least or remaining(i) < least) then
tightest, least = i, remaining(i)
end
end
local next_at = ctxs[1].at
if least == 0 and op ~= RELEASE and op ~= RENEW then
for _, ctx in ipairs(ctxs) do
ctx.cost = 1
end
next_at = all_earliest(next_at)
end
tightest = tightest or 1
if permit then
permit.granted = granted[tightest]
end
return answer_of(tightest, ACCEPTED, math.max(0, next_at - now))
end



local function lease_of_all()
if limits[1].algorithm > 2 then
return 0
end
local most, several = lease(ctxs[1]), ctxs[2]
local valid_until = now + math.floor(at / LEASE_VALID)
for _, ctx in ipairs(several and ctxs or {}) do
local state = ctx.state
local windows = state and state.windows
if not state or ctx.limit.algorithm > 2 or ctx.full_at < valid_until or state.later
or windows and (windows[2] or state.ahead > 0 or windows[1].end_at > ctx.limit.bounds[3]) then
return 0
end
most = math.min(most, lease(ctx))
end
return most
end

local function admit_all()
local granted = {}
leased = op == LEASE and lease_of_all() or 0
for i, ctx in ipairs(ctxs) do
local tag
granted[i] = ctx.cost
ctx.cost = ctx.cost + leased
if not limits[i].skipped then
ctx.number = op == ACQUIRE and permit.number or nil
local state = admit(i)
tag = limits[i].algorithm == CONCURRENT and ctx.number or ctx.tag
ctxs[i] = ctx_of(ctx.limit, state, ctx.booking and not booking and ctx.at or nil)
end
if op == ACQUIRE then
permit.parts = permit.parts .. struct.pack('<I6I7I7', tag or 0, ctx.place or 0, ctx.moved or 0)
end
end
return op ~= PEEK and store_all() or answer_admitted(granted)
end


local function begin_ban(earliest)
local which, last = nil, now
for i, limit in ipairs(limits) do
local end_at = ban_end(limit.ban_kind, limit.ban_us, limit.steps, groups[limit.group].level)
if earliest[i] > now and end_at > last then
which, last = i, end_at
end
end
if not which then
return nil
end
local limit = limits[which]
local judged = ctxs[which].cost
ctxs[which] = ctx_of(limit)
ctxs[which].cost = judged
local group = groups[limit.group]
group.ban = {end_at = last, algorithm = limit.algorithm, rate = limit.rate, period = limit.period}
if limit.steps then
local LEVEL_MAX = 65535
group.level, group.forget_at = math.min(group.level + 1, LEVEL_MAX), last + limit.ban_us
end
return op ~= PEEK and store_all({[limit.group] = true}) or answer_banned(which, group.ban, 1)
end


local function set_cost(part, leave)
for i, ctx in ipairs(ctxs) do
ctx.cost = limits[i].skipped and 0 or (part or limits[i].cost) + leave
end
end


local function part_of(wanted)
for i = 1, #limits do
wanted = math.min(wanted, remaining(i) - permit.leave)
end
return math.max(wanted, permit.at_least)
end


local book_turn


local function decide()
local from, part = ctxs[1].at, nil
if permit then
part = permit.at_least > 0 and permit.at_least or nil
set_cost(part, permit.leave)
end
for i, limit in ipairs(limits) do
if ctxs[i].cost > (limit.own or limit.number) then
return answer_of(i, TOO_EXPENSIVE, -1)
end
end
local ban, g = running_ban(from)
if ban then
return answer_banned(banning_limit(ban, g), ban, 0)
end
if looks then
return answer_admitted()
end
if part then
part = part_of(limits[1].cost)
set_cost(part, permit.leave)
end
local earliest, latest = {}, 1
for i = 1, #limits do
earliest[i] = limits[i].skipped and from or invoke(i, 'earliest', from)
if earliest[i] > earliest[latest] then
latest = i
end
end
if earliest[latest] == from then
for i = 1, booking and #limits or 0 do
local book_at = algorithms[limits[i].algorithm].book_at and not limits[i].skipped and invoke(i, 'book_at') or 0
if book_at > now then
return answer_of(i, LIMITED, book_at - now)
end
end
if permit then
set_cost(part, 0)
end
return admit_all()
end
local booked = op == ACQUIRE and permit.max_wait > 0 and book_turn(earliest)
return booked or not booking and begin_ban(earliest) or answer_of(latest, LIMITED, all_earliest(from) - now)
end

local function done(found)
return answer(ACCEPTED, 1, 0, 0, 0, found and 1 or 0)
end

local function cancel()
for i, limit in ipairs(limits) do
if not limit.skipped then
local state = ctxs[i].state and algorithms[limit.algorithm].cancel and invoke(i, 'cancel')
if not state then
return done(false)
end
ctxs[i] = ctx_of(limit, state)
end
end
return store_all() or done(true)
end

if op == CONSUME or op == PEEK or op == RESERVE or op == LEASE then
return decide()
elseif op == CANCEL then
return cancel()
end

if op < ACQUIRE then
local found, changes, touched = false, false, nil
local group = groups[1]
if op == CREDIT then
touched = {}
for i = 1, #limits do
if ctxs[i].state and not limits[i].skipped then
changes, touched[limits[i].group] = true, true
ctxs[i] = ctx_of(limits[i], invoke(i, 'credit'))
end
end
elseif op == BAN then
local end_at = ban_end(ban_kind, ban_us)
group.ban = end_at > now and {end_at = end_at, algorithm = 0, rate = 0, period = 0} or nil
changes = true
elseif op == UNBAN then
found, group.ban = group.ban ~= nil, nil
changes = found
elseif op == RESET then
found = group.ban ~= nil or group.n > 0 or group.level > 0
group.ban, ctxs, group.unmatched, group.level = nil, {}, {}, 0
changes = true
end
return changes and store_all(touched) or done(found)
end




local function judge_turn(t)
local judged = {}
for i, limit in ipairs(limits) do
local bounds = not limit.skipped and limit.bounds
if bounds and t >= bounds[3] then
return nil
elseif bounds and t >= bounds[2] then
limit = {
algorithm = limit.algorithm, number = limit.number, rate = limit.rate, period = limit.period, cost = limit.cost,
bounds = {bounds[2], bounds[3], math.huge},
}
end
judged[i] = ctx_of(limit, ctxs[i].state, t)
judged[i].cost = ctxs[i].cost
end
for i, ctx in ipairs(judged) do
local algorithm = algorithms[ctx.limit.algorithm]
if not limits[i].skipped and (algorithm.earliest(ctx, t) ~= t or algorithm.book_at and algorithm.book_at(ctx) > now) then
return nil
end
end
return judged
end

book_turn = function(earliest)
for i, limit in ipairs(limits) do
if limit.algorithm == CONCURRENT and earliest[i] > now then
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


if not limits[1] then
local found = false
local kept = {}
for _, state in ipairs(states) do
local algorithm = algorithms[state.algorithm]
if state.algorithm == CONCURRENT and op == RELEASE and algorithm.expires_at(state) > now then
algorithm.evaluate({state = state, now = now, at = now})
found = algorithm.give_back({state = state}, {tag = permit.number}) ~= nil or found
end
if algorithm.expires_at(state) > now then
kept[#kept + 1] = state
end
end
return found and store(key, value, ban, kept, wide_state, level, forget_at, carries) or done(found)
end


local function settle(i, held)
local ctx, state, true_cost = ctxs[i], ctxs[i].state, limits[i].cost
local concurrent = limits[i].algorithm == CONCURRENT
if true_cost > held.cost and not concurrent then
ctx.cost, ctx.debt = true_cost - held.cost, true
return admit(i)
elseif not state or held.tag == 0 or not concurrent and (true_cost == held.cost
or not state.tag or state.tag - state.tag % 2 ~= held.tag - held.tag % 2) then
return nil
end
ctx.undo = permit.number > 0 and permit.number == held.tag
return invoke(i, 'give_back', held, held.cost - true_cost, true_cost == 0)
end


local function end_or_renew(i, held)
if not ctxs[i].state or held.tag == 0 then
return nil
elseif op == RENEW then
return invoke(i, 'renew', held, permit.renew_us > 0 and permit.renew_us or limits[i].period)
end
return invoke(i, 'give_back', held)
end

local found, changed, granted = true, {}, {}
for i, limit in ipairs(limits) do
local held, state = permit.held[i], nil
local concurrent = limit.algorithm == CONCURRENT
if op == SETTLE then
state = settle(i, held)
elseif concurrent then
state = end_or_renew(i, held)
end
granted[i] = limit.cost
if state then
changed[limit.group] = true
ctxs[i] = ctx_of(limit, state)
elseif concurrent then
found = false
end
end
leased = found and 1 or 0
return store_all(changed) or answer_admitted(granted)
