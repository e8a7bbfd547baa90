/* Drops RTLD_DEEPBIND from each dlopen(): AddressSanitizer refuses that flag, with which PHP before 8.3 loads extensions. Preloaded by
 * scripts/asan.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *file, int mode)
{
	void *(*next)(const char *, int) = (void *(*) (const char *, int) ) dlsym(RTLD_NEXT, "dlopen");

	return next(file, mode & ~RTLD_DEEPBIND);
}
