// SPDX-License-Identifier: MIT
/*
 * A child that inherits the files and is killed at some point. It makes the calls that follow in
 * the list, once more and on its own, and then waits in the kernel.
 */
#include "ops.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cover.h"

#define CHILD_CALLS	6

static void child(struct worker *w, const struct call *c)
{
	const struct input *in = w->input;
	uint32_t end = w->at + 1 + c->a % CHILD_CALLS;

	w->child = true;
	w->cover = NULL;
	if (c->a & 16)
		file_open(w, w->file);
	for (uint32_t i = w->at + 1; i < end && i < in->n; i++)
		if (in->calls[i].op % OPS != OP_CHILD)
			ops[in->calls[i].op % OPS].execute(w, &in->calls[i]);
	if (c->b & 1)
		uapi_wait(w->file->fd, pool_pick(&w->file->pools[KIND_RUN], c->object), -1);
	else if (c->b & 2)
		uapi_claim(w->file->fd, pool_pick(&w->file->pools[KIND_CONTEXT], c->object), 0, -1);
	pause();
	_exit(0);
}

int op_child(struct worker *w, const struct call *c)
{
	struct timespec before = { .tv_nsec = c->b % 4000000 };
	pid_t pid;
	int status;

	call_begin(w, OP_CHILD);
	pid = fork();
	if (!pid)
		child(w, c);
	if (pid < 0)
		return call_end(w, OP_CHILD, -errno);
	nanosleep(&before, NULL);
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return call_end(w, OP_CHILD, WIFSIGNALED(status) ? 0 : -ECHILD);
}
