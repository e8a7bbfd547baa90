RATELIMIT_REDIS = $(srcdir)/src/redis
RATELIMIT_LIMITER_LUA = \
	$(RATELIMIT_REDIS)/asked.lua \
	$(RATELIMIT_REDIS)/short.lua \
	$(RATELIMIT_REDIS)/state.lua \
	$(RATELIMIT_REDIS)/fixed_window.lua \
	$(RATELIMIT_REDIS)/calendar_window.lua \
	$(RATELIMIT_REDIS)/sliding_log.lua \
	$(RATELIMIT_REDIS)/sliding_window.lua \
	$(RATELIMIT_REDIS)/token_bucket.lua \
	$(RATELIMIT_REDIS)/one.lua \
	$(RATELIMIT_REDIS)/limiter.lua

$(builddir)/src/redis/plain_lua.h: $(RATELIMIT_REDIS)/plain.lua $(srcdir)/scripts/embed-lua.sh
	$(SHELL) $(srcdir)/scripts/embed-lua.sh rl_redis_plain_lua $@ $(RATELIMIT_REDIS)/plain.lua

$(builddir)/src/redis/limiter_lua.h: $(RATELIMIT_LIMITER_LUA) $(srcdir)/scripts/embed-lua.sh
	$(SHELL) $(srcdir)/scripts/embed-lua.sh rl_redis_limiter_lua $@ $(RATELIMIT_LIMITER_LUA)

$(builddir)/src/redis/script.lo: $(builddir)/src/redis/plain_lua.h $(builddir)/src/redis/limiter_lua.h
