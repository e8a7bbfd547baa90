RATELIMIT_LUA = $(srcdir)/src/redis/lua
# The numbers in their names are the order in which the fragments are joined.
RATELIMIT_LIMITER_LUA = $(sort $(wildcard $(RATELIMIT_LUA)/limiter/*.lua))

$(builddir)/src/redis/counter_lua.h: $(RATELIMIT_LUA)/counter.lua $(srcdir)/src/redis/lua/embed.sh
	$(SHELL) $(srcdir)/src/redis/lua/embed.sh rl_redis_counter_lua $@ $(RATELIMIT_LUA)/counter.lua

$(builddir)/src/redis/limiter_lua.h: $(RATELIMIT_LIMITER_LUA) $(srcdir)/src/redis/lua/embed.sh
	$(SHELL) $(srcdir)/src/redis/lua/embed.sh rl_redis_limiter_lua $@ $(RATELIMIT_LIMITER_LUA)

$(builddir)/src/redis/script.lo: $(builddir)/src/redis/counter_lua.h $(builddir)/src/redis/limiter_lua.h

# The command `ratelimit`, in PHP's own folder of programs, with its man page and its completions in the folder share beside that.
# The command runs the PHP that the extension was built for. DESTDIR is another name of PHP's INSTALL_ROOT.
ifdef DESTDIR
INSTALL_ROOT = $(DESTDIR)
endif

install: install-ratelimit-command

.PHONY: install-ratelimit-command
install-ratelimit-command:
	@folder='$(bindir)'; php='$(PHP_EXECUTABLE)'; \
	test -x "$$php" || php=; \
	test "$$folder" || folder=`test -z "$$php" || "$$php" -n -r 'echo PHP_BINDIR;'`; \
	test "$$folder" || folder='$(prefix)/bin'; \
	echo "Installing the command:           $(INSTALL_ROOT)$$folder/ratelimit"; \
	$(mkinstalldirs) "$(INSTALL_ROOT)$$folder" && \
	$(SHELL) $(srcdir)/bin/one-file.sh $${php:+"$$php"} >"$(INSTALL_ROOT)$$folder/ratelimit" && \
	chmod 755 "$(INSTALL_ROOT)$$folder/ratelimit" && \
	share="$(INSTALL_ROOT)`dirname "$$folder"`/share" && \
	echo "Installing its page, completions: $$share/" && \
	put() { $(mkinstalldirs) "$$share/$${2%/*}" && cp "$(srcdir)/packaging/$$1" "$$share/$$2" && chmod 644 "$$share/$$2"; } && \
	put man/ratelimit.1 man/man1/ratelimit.1 && \
	put completion/ratelimit.bash bash-completion/completions/ratelimit && \
	put completion/_ratelimit zsh/site-functions/_ratelimit
