// SPDX-License-Identifier: BSD-2-Clause
// fexecve, execle, execlp, execvpe and execveat, that one by number too, execute a program with its arguments, its
// environment and the processors of its process, from a thread beside others that compute (execveat(2), exec(3)).
#include "../beside.h"

enum form { BY_FEXECVE, BY_EXECLE, BY_EXECLP, BY_EXECVPE, BY_EXECVEAT, BY_NUMBER, BY_NUMBER_EMPTY_PATH, FORMS };

static char path[PATH_MAX], directory[PATH_MAX], number[12];
static const char *name;		/* in the directory */
static enum form form;

static int count(void)
{
	cpu_set_t cpus;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	return CPU_COUNT(&cpus);
}

static void *execute(void *arg)
{
	char *argv[] = { "again", number, NULL }, *envp[] = { "FORM=other", NULL };
	int fd = open(path, O_PATH | O_CLOEXEC), dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	CHECK(fd >= 0 && dir >= 0);
	for (int i = 0; i < 10; i++)
		usleep(500);
	switch (form) {
	case BY_FEXECVE:
		fexecve(fd, argv, envp);
		break;
	case BY_EXECLE:
		execle(path, "again", number, NULL, envp);
		break;
	case BY_EXECLP:
		CHECK_OK(setenv("PATH", directory, 1));
		CHECK_OK(setenv("FORM", "other", 1));
		execlp(name, "again", number, NULL);
		break;
	case BY_EXECVPE:
		CHECK_OK(setenv("PATH", directory, 1));
		execvpe(name, argv, envp);
		break;
	case BY_EXECVEAT:
#if __GLIBC_PREREQ(2, 34)
		execveat(dir, name, argv, envp, 0);
		break;
#endif
	case BY_NUMBER:
		syscall(SYS_execveat, dir, name, argv, envp, 0);
		break;
	default:
		syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
	}
	CHECK(!"executed");
	return arg;
}

static void execute_in_a_thread(void)
{
	beside_begin();
	join(spawn(execute, NULL));
}

/* What fails returns, and the thread goes on. */
static void *execute_nothing(void *arg)
{
	char *none[] = { NULL };

	CHECK_ERRNO(fexecve(-1, none, none), EINVAL);
	CHECK_ERRNO(execlp("", "again", NULL), ENOENT);
	CHECK_ERRNO(syscall(SYS_execveat, -1, "again", none, none, 0), EBADF);
#if __GLIBC_PREREQ(2, 34)
	CHECK_ERRNO(execveat(-1, "again", none, none, 0), EBADF);
#endif
	return arg;
}

int main(int argc, char **argv)
{
	const char *word = getenv("FORM");

	if (argc > 1)
		return !strcmp(argv[0], "again") && word && !strcmp(word, "other") && count() == atoi(argv[1]) ? 0 : 1;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	CHECK(n > 0);
	name = strrchr(path, '/') + 1;
	memcpy(directory, path, (size_t)(name - path));
	snprintf(number, sizeof(number), "%d", count());
	for (form = 0; form < FORMS; form++)
		CHECK_EQ(in_child(execute_in_a_thread), 0);
	join(spawn(execute_nothing, NULL));
}
