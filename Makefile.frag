RATELIMIT_LUA = $(srcdir)/src/redis/lua
# The numbers in their names are the order in which the fragments are joined.
RATELIMIT_LIMITER_LUA = $(sort $(wildcard $(RATELIMIT_LUA)/limiter/*.lua))

$(builddir)/src/redis/counter_lua.h: $(RATELIMIT_LUA)/counter.lua $(srcdir)/scripts/embed-lua.sh
	$(SHELL) $(srcdir)/scripts/embed-lua.sh rl_redis_counter_lua $@ $(RATELIMIT_LUA)/counter.lua

$(builddir)/src/redis/limiter_lua.h: $(RATELIMIT_LIMITER_LUA) $(srcdir)/scripts/embed-lua.sh
	$(SHELL) $(srcdir)/scripts/embed-lua.sh rl_redis_limiter_lua $@ $(RATELIMIT_LIMITER_LUA)

$(builddir)/src/redis/script.lo: $(builddir)/src/redis/counter_lua.h $(builddir)/src/redis/limiter_lua.h
