-- The scripts run in Redis: Lua 5.1, in one chunk that the build joins from fragments.
std = 'lua51'
globals = {'KEYS', 'ARGV', 'redis', 'struct'}
max_line_length = false
ignore = {
	-- Each function of an algorithm names its parameters as every other one does, also where a fragment has that name.
	'4..',
	-- A local's first value fills the rest of a multiple assignment.
	'311/over',
}
