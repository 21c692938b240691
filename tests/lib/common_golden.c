// SPDX-License-Identifier: MIT
#include "common_golden.h"

#include "memo.h"

static void bad(const struct golden *golden, const char *what, const char *line)
{
	fprintf(stderr, "golden %s: %s: %s\n", golden->name, what, line);
	abort();
}

FILE *golden_open(const char *name)
{
	char path[512];
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", TSR_SRCDIR, name);
	in = fopen(path, "r");
	if (!in) {
		perror(path);
		abort();
	}
	return in;
}

bool golden_read(FILE *in, struct golden *ret)
{
	char *line = NULL;
	size_t room = 0;

	memset(ret, 0, sizeof(*ret));
	while (getline(&line, &room, in) >= 0) {
		char *text = line + strspn(line, "\t ");

		text[strcspn(text, "\n")] = '\0';
		if (!text[0] || text[0] == '#')
			continue;
		if (!ret->name[0]) {
			if (sscanf(text, "structure %63s", ret->name) != 1)
				bad(ret, "no structure", text);
			continue;
		}
		if (!strcmp(text, "end"))
			break;
		if (ret->line_count == GOLDEN_LINES)
			bad(ret, "too long", text);
		ret->lines[ret->line_count++] = strdup(text);
	}
	free(line);
	for (ret->resources_at = 0; ret->resources_at < ret->line_count; ret->resources_at++)
		if (!strcmp(ret->lines[ret->resources_at], "resources"))
			break;
	return ret->name[0];
}

/* ---- Words of a line ---------------------------------------------------------------------- */

/* The next word, its %XX decoded; "" at the end of the line. */
static const char *word(char **p)
{
	char *start = *p, *to;

	*p += strcspn(*p, " ");
	if (**p)
		*(*p)++ = '\0';
	to = start;
	for (const char *from = start; *from; from++) {
		unsigned int byte;

		if (*from == '%' && sscanf(from + 1, "%2x", &byte) == 1) {
			*to++ = (char)byte;
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return start;
}

static int64_t number(char **p)
{
	return strtoll(word(p), NULL, 0);
}

/* "x0,y0-x1,y1;x,y", or "all": NULL. */
static struct tsr_coreset *cores(char **p)
{
	struct tsr_coreset *set = NULL;
	char *save = NULL, *text = (char *)word(p);

	if (!strcmp(text, "all"))
		return NULL;
	set = tsr_coreset_new();
	for (char *t = strtok_r(text, ";", &save); t; t = strtok_r(NULL, ";", &save)) {
		struct tsr_rect r;

		if (sscanf(t, "%hu,%hu-%hu,%hu", &r.x0, &r.y0, &r.x1, &r.y1) != 4) {
			r.x1 = r.x0;
			r.y1 = r.y0;
		}
		if (tsr_coreset_add_rect(set, r))
			abort();
	}
	return set;
}

/* ---- Declaration -------------------------------------------------------------------------- */

/* A kernel or descriptor is declared when all lines that belong to it were read. */
struct pending {
	struct tsr_kernel_info info;
	struct tsr_definition definitions[32];
	const char *flags[16];
	uint32_t appended[16];
	struct tsr_coreset *cores;
	const char *descriptor;		/* of this kernel, instead of a kernel */
	char path[512];
	bool used;
};

static void flush(struct golden *golden, struct pending *p)
{
	int err = 0;

	if (p->used && p->descriptor)
		err = tsr_operation_add_descriptor(golden->op, p->descriptor, p->cores,
						   p->definitions, p->info.definition_count);
	else if (p->used)
		err = tsr_operation_add_kernel(golden->op, &p->info);
	if (err)
		bad(golden, "refused", p->descriptor ? p->descriptor : p->info.name);
	tsr_coreset_free(p->cores);
	*p = (struct pending){ 0 };
}

static void begin_kernel(struct golden *golden, struct pending *p, char *rest)
{
	const char *processor, *handle, *form, *content;

	p->used = true;
	p->info.name = word(&rest);
	processor = word(&rest);
	handle = word(&rest);
	form = word(&rest);
	content = word(&rest);
	p->info.kind = TSR_KERNEL_DATA_MOVEMENT;
	p->info.processor = !strcmp(processor, "dm1");
	if (!strcmp(processor, "compute")) {
		p->info.kind = TSR_KERNEL_COMPUTE;
		p->info.processor = TSR_PROCESSOR_COMPUTE;
	}
	if (!strcmp(handle, "handle"))
		golden->handles[golden->kernel_count] = tsr_kernel_new();
	strcpy(golden->kernel_names[golden->kernel_count], p->info.name);
	p->info.handle = golden->handles[golden->kernel_count++];
	if (!strcmp(form, "text")) {
		p->info.source_text = content;
	} else if (!strcmp(form, "elf")) {
		p->info.elf = content;
		p->info.elf_size = strlen(content);
	} else {
		snprintf(p->path, sizeof(p->path), "%s/tests/golden/%s", TSR_SRCDIR, content);
		p->info.source_path = p->path;
	}
	p->info.definitions = p->definitions;
	p->info.flags = p->flags;
	p->info.appended = p->appended;
}

static bool kernel_line(struct golden *golden, struct pending *p, const char *verb, char *rest)
{
	if (!strcmp(verb, "kernel")) {
		flush(golden, p);
		begin_kernel(golden, p, rest);
	} else if (!strcmp(verb, "descriptor")) {
		flush(golden, p);
		p->used = true;
		p->descriptor = word(&rest);
		p->cores = cores(&rest);
	} else if (!strcmp(verb, "define")) {
		struct tsr_definition *d = &p->definitions[p->info.definition_count++];

		d->name = word(&rest);
		d->value = word(&rest);
	} else if (!strcmp(verb, "flag")) {
		p->flags[p->info.flag_count++] = word(&rest);
	} else if (!strcmp(verb, "on")) {
		p->cores = cores(&rest);
		p->info.cores = p->cores;
	} else if (!strcmp(verb, "append")) {
		const char *what = word(&rest);

		p->appended[p->info.appended_count++] =
			!strcmp(what, "rank") ? TSR_APPENDED_RANK :
			!strcmp(what, "cores") ? TSR_APPENDED_CORES :
			TSR_APPENDED_TENSOR + (uint32_t)atoi(what + strlen("tensor"));
	} else {
		return false;
	}
	return true;
}

static void add_cb(struct golden *golden, char *rest)
{
	struct tsr_circular_buffer cb = { .id = (uint32_t)number(&rest) };
	struct tsr_coreset *set;

	cb.page_size = (uint32_t)number(&rest);
	cb.page_count = (uint32_t)number(&rest);
	cb.format = (uint32_t)number(&rest);
	cb.cores = set = cores(&rest);
	if (tsr_operation_add_circular_buffer(golden->op, &cb))
		abort();
	tsr_coreset_free(set);
}

static void operation_line(struct golden *golden, const char *verb, char *rest)
{
	uint32_t a, b;

	if (!strcmp(verb, "cb")) {
		add_cb(golden, rest);
	} else if (!strcmp(verb, "tensor")) {
		a = (uint32_t)number(&rest);
		if (tsr_operation_add_tensor(golden->op, a, (uint64_t)number(&rest)))
			abort();
	} else if (!strcmp(verb, "compiler_semaphore")) {
		struct tsr_coreset *set;

		a = (uint32_t)number(&rest);
		b = (uint32_t)number(&rest);
		set = cores(&rest);
		if (tsr_operation_add_semaphore(golden->op, a, b, set))
			abort();
		tsr_coreset_free(set);
	} else {
		bad(golden, "unknown", verb);
	}
}

static void device_line(struct golden *golden, struct tessera_limits *limits, char *isa,
			uint8_t *toolchain, const char *verb, char *rest)
{
	if (!strcmp(verb, "grid")) {
		limits->grid_width = (uint16_t)number(&rest);
		limits->grid_height = (uint16_t)number(&rest);
	} else if (!strcmp(verb, "isa")) {
		strcpy(isa, word(&rest));
	} else if (!strcmp(verb, "slots")) {
		for (int i = 0; i < 3; i++)
			limits->image_base[i] = (uint32_t)number(&rest);
		limits->image_slot = (uint32_t)number(&rest);
	} else if (!strcmp(verb, "toolchain")) {
		const char *hex = word(&rest);

		for (int i = 0; i < 16; i++)
			sscanf(hex + 2 * i, "%2hhx", &toolchain[i]);
	} else {
		bad(golden, "unknown", verb);
	}
}

/* The device comes first, with the toolchain as described instead of the one that is there. */
static void make_device(struct golden *golden, size_t *ret_next)
{
	struct tessera_limits limits = {
		.grid_width = 8, .grid_height = 8, .cores = 64, .l1_size = 1 << 20,
		.arg_base = 0x10000, .image_base = { 0x14000, 0x24000, 0x34000 },
		.image_slot = 0x10000, .cb_base = 0x44000, .words = 1024, .semaphores = 16,
		.circular_buffers = 32, .bindings = 32, .descriptors = 64, .ranges = 1024,
		.images = 64, .program_size = 1 << 20,
	};
	uint8_t toolchain[16] = { 0 };
	char isa[33] = "rv32im";
	size_t i = 0;

	for (; i < golden->line_count; i++) {
		char *rest = golden->lines[i];
		const char *verb;

		if (!strncmp(rest, "operation", strlen("operation")))
			break;
		verb = word(&rest);
		device_line(golden, &limits, isa, toolchain, verb, rest);
	}
	if (tsr_device_new_offline(&limits, &golden->dev))
		abort();
	strcpy(golden->dev->isa, isa);
	memcpy(golden->dev->toolchain.identity, toolchain, sizeof(toolchain));
	golden->dev->toolchain.known = true;
	golden->dev->toolchain.ready = true;
	*ret_next = i;
}

static void declare(struct golden *golden)
{
	struct pending pending = { 0 };
	struct tsr_coreset *set;
	const char *name;
	char *rest;
	size_t i;

	make_device(golden, &i);
	rest = golden->lines[i++];
	word(&rest);
	name = word(&rest);
	set = cores(&rest);
	if (tsr_operation_new(golden->dev, name, set, &golden->op))
		abort();
	tsr_coreset_free(set);
	for (; i < golden->resources_at; i++) {
		const char *verb;

		rest = golden->lines[i];
		verb = word(&rest);
		if (!kernel_line(golden, &pending, verb, rest))
			operation_line(golden, verb, rest);
	}
	flush(golden, &pending);
}

/* ---- Resources ---------------------------------------------------------------------------- */

static struct tsr_entry *begin_entry(struct golden *golden, const char *name)
{
	struct tsr_selector selector = { 0 };
	struct tsr_entry *entry;

	for (size_t i = 0; i < golden->kernel_count; i++)
		if (!strcmp(golden->kernel_names[i], name)) {
			selector.handle = golden->handles[i];
			selector.select = selector.handle ? TSR_SELECT_HANDLE :
					  tsr_op_kernel(golden->op, i)->kind;
		}
	if (tsr_resources_add_entry(golden->res, selector, &entry))
		abort();
	return entry;
}

static void resource_line(struct golden *golden, struct tsr_entry **entry, char *rest)
{
	const char *verb = word(&rest), *name;
	int64_t words[64];
	size_t n = 0;
	int err = 0;

	if (!strcmp(verb, "entry")) {
		*entry = begin_entry(golden, word(&rest));
	} else if (!strcmp(verb, "define")) {
		name = word(&rest);
		err = tsr_entry_define(*entry, name, word(&rest));
	} else if (!strcmp(verb, "words")) {
		uint16_t x = (uint16_t)number(&rest), y = (uint16_t)number(&rest);

		while (*rest)
			words[n++] = number(&rest);
		err = tsr_entry_add_words(*entry, x, y, words, n);
	} else if (!strcmp(verb, "common")) {
		while (*rest)
			words[n++] = number(&rest);
		err = tsr_entry_set_common(*entry, words, n);
	} else if (!strcmp(verb, "semaphore")) {
		struct tsr_semaphore s = { .id = (uint32_t)number(&rest) };
		struct tsr_coreset *set;

		s.initial = number(&rest);
		s.cores = set = cores(&rest);
		err = tsr_resources_add_semaphore(golden->res, &s);
		tsr_coreset_free(set);
	} else {
		bad(golden, "unknown", verb);
	}
	if (err)
		bad(golden, "refused", verb);
}

void golden_make(struct golden *golden)
{
	struct tsr_check check = { 0 };
	struct tsr_entry *entry = NULL;
	const struct tsr_shape *shape;

	declare(golden);
	if (golden->resources_at < golden->line_count)
		golden->res = tsr_resources_new(golden->dev, golden->op->serial);
	for (size_t i = golden->resources_at + 1; i < golden->line_count; i++)
		resource_line(golden, &entry, golden->lines[i]);
	golden->call = tsr_call_new(golden->dev);
	if (tsr_shape_get(golden->op, &shape) ||
	    tsr_plan_begin(&golden->call->plan, shape, golden->res))
		abort();
	check.op = golden->op;
	check.shape = shape;
	check.limits = &golden->dev->limits;
	check.res = golden->res;
	check.plan = &golden->call->plan;
	tsr_check_operation(&check);
	tsr_check_resources(&check);
	tsr_check_semaphores(&check);
	tsr_diag_print(check.diag, stderr);
	if (check.findings || tsr_plan_make(&golden->call->plan))
		bad(golden, "not valid", "");
	golden->digest = tsr_hash(golden->call->plan.bytes.bytes.data,
				  golden->call->plan.bytes.bytes.count);
}

void golden_free(struct golden *golden)
{
	if (golden->call)
		tsr_call_free(golden->dev, golden->call);
	tsr_resources_unref(golden->res);
	tsr_operation_unref(golden->op);
	tsr_device_unref(golden->dev);
	for (size_t i = 0; i < golden->kernel_count; i++)
		tsr_kernel_unref(golden->handles[i]);
	for (size_t i = 0; i < golden->line_count; i++)
		free(golden->lines[i]);
}
