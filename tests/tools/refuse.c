/* refuse: runs a command whose system calls of some names fail, as in a container with a strict seccomp profile.
 *
 *   refuse NAME[=ERRNO] ... -- COMMAND ARGUMENT ...
 *
 * The errors are ENOSYS (default) and EPERM. Exit code 125: the filter could not be set. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	long number;
} calls[] = {
	{"memfd_create", SYS_memfd_create},
	{"set_robust_list", SYS_set_robust_list},
	{"getrandom", SYS_getrandom},
};

enum { MOST = 8 };

static struct sock_filter filter[2 + 2 * MOST];
static unsigned short filled;

static void append(struct sock_filter one)
{
	filter[filled++] = one;
}

/* Appends the refusal of one call. Returns 0 for an unknown name. */
static int refuse(const char *word)
{
	const char *equals = strchr(word, '=');
	size_t length = equals != NULL ? (size_t) (equals - word) : strlen(word);
	uint32_t error = equals != NULL && strcmp(equals, "=EPERM") == 0 ? EPERM : ENOSYS;

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (strlen(calls[i].name) == length && strncmp(calls[i].name, word, length) == 0) {
			append((struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) calls[i].number, 0, 1));
			append((struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sock_fprog program;
	int i;

	append((struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (i > MOST || !refuse(argv[i])) {
			fprintf(stderr, "refuse: no system call '%s'\n", argv[i]);
			return 125;
		}
	}
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: refuse NAME[=ERRNO] ... -- COMMAND ...\n");
		return 125;
	}
	append((struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	program = (struct sock_fprog){.len = filled, .filter = filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("refuse: seccomp");
		return 125;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 127;
}
