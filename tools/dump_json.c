// SPDX-License-Identifier: MIT
/* Device core dumps for programs. */
#include <inttypes.h>
#include <stdio.h>

#include <jansson.h>
#include <tessera/names.h>

#include "dump.h"
#include "json.h"

static void put(json_t *to, const char *name, uint64_t value)
{
	json_object_set_new(to, name, json_integer((json_int_t)value));
}

/* What comes from a file may not be UTF-8: then there is no text. */
static void put_text(json_t *to, const char *name, const char *text)
{
	json_t *value = json_string(text);

	json_object_set_new(to, name, value ? value : json_null());
}

static json_t *proc_json(uint32_t number, const struct tessera_dump_proc *proc)
{
	json_t *to = json_object(), *registers = json_object();
	char text[64];

	put_text(to, "processor", tsr_processor_name(number));
	put_text(to, "state", dump_state(proc->state));
	put(to, "pc", proc->pc);
	put(to, "cycles", proc->cycles);
	put(to, "instructions", proc->instructions);
	if (proc->wait_register) {
		put(to, "wait_register", proc->wait_register);
		put(to, "wait_value", proc->wait_value);
		put_text(to, "waits_for", dump_wait(proc, text, sizeof(text)));
	}
	for (uint32_t i = 0; i < DUMP_REGS; i++)
		put(registers, dump_register(i), proc->registers[i]);
	json_object_set_new(to, "registers", registers);
	return to;
}

static json_t *cb_json(uint32_t id, const struct tessera_dump_cb *cb)
{
	json_t *to = json_object();

	put(to, "id", id);
	put(to, "page_size", cb->page_size);
	put(to, "page_count", cb->page_count);
	put(to, "pushed", cb->pushed);
	put(to, "popped", cb->popped);
	put(to, "level", dump_level(cb));
	return to;
}

static json_t *core_json(const struct tessera_dump_core *core)
{
	json_t *to = json_object(), *procs = json_array(), *sems = json_array();
	json_t *cbs = json_array();

	put(to, "x", core->x);
	put(to, "y", core->y);
	for (uint32_t i = 0; i < DUMP_PROCS; i++)
		if (core->procs[i].state != TESSERA_DUMP_OFF)
			json_array_append_new(procs, proc_json(i, &core->procs[i]));
	for (uint32_t i = 0; i < DUMP_SEMS; i++)
		json_array_append_new(sems, json_integer(core->semaphores[i]));
	for (uint32_t i = 0; i < DUMP_CBS; i++)
		if (core->cbs[i].page_count)
			json_array_append_new(cbs, cb_json(i, &core->cbs[i]));
	json_object_set_new(to, "processors", procs);
	json_object_set_new(to, "semaphores", sems);
	json_object_set_new(to, "circular_buffers", cbs);
	return to;
}

static json_t *fault_json(const struct drm_tessera_fault *f)
{
	json_t *to = json_object();

	put_text(to, "cause", tsr_fault_name(f->cause));
	put(to, "x", f->x);
	put(to, "y", f->y);
	put_text(to, "processor", tsr_processor_name(f->processor));
	put(to, "pc", f->pc);
	put(to, "address", f->address);
	return to;
}

static json_t *stall_json(const struct drm_tessera_stall *s)
{
	json_t *to = json_object();

	put_text(to, "class", tsr_stall_name(s->stall_class));
	put(to, "cores_completed", s->cores_completed);
	put(to, "cores_total", s->cores_total);
	put(to, "running", s->running);
	put(to, "ready", s->ready);
	put(to, "waiting", s->waiting);
	put(to, "dispatch_done", s->dispatch_done);
	put(to, "stuck_x", s->stuck_x);
	put(to, "stuck_y", s->stuck_y);
	put_text(to, "stuck_processor", tsr_processor_name(s->stuck_processor));
	put(to, "stuck_pc", s->stuck_pc);
	return to;
}

static json_t *head_json(const struct dump *d)
{
	const struct drm_tessera_status *s = &d->status;
	json_t *to = json_object();
	char fingerprint[33];

	snprintf(fingerprint, sizeof(fingerprint), "%016" PRIx64 "%016" PRIx64,
		 (uint64_t)d->head.fingerprint[1], (uint64_t)d->head.fingerprint[0]);
	put_text(to, "device", d->head.device);
	put_text(to, "program", d->head.program);
	put_text(to, "fingerprint", fingerprint);
	put_text(to, "kernel", d->head.kernel);
	put(to, "run", s->run_id);
	put(to, "context", s->context_id);
	put_text(to, "code", tsr_code_name(s->code));
	put_text(to, "class", tsr_class_name(s->failure_class));
	put_text(to, "phase", tsr_phase_name(s->phase));
	put_text(to, "description", tsr_code_description(s->code));
	put_text(to, "hint", tsr_code_hint(s->code));
	put(to, "reset_generation", s->reset_generation);
	if (s->code == DRM_TESSERA_CODE_FAULT)
		json_object_set_new(to, "fault", fault_json(&s->fault));
	else if (s->stall.stall_class)
		json_object_set_new(to, "stall", stall_json(&s->stall));
	return to;
}

int dump_print_json(const struct dump *dump)
{
	json_t *all = head_json(dump), *cores = json_array();

	for (uint32_t i = 0; i < dump->count; i++)
		json_array_append_new(cores, core_json(&dump->cores[i]));
	json_object_set_new(all, "cores", cores);
	if (dump->head.memory_end)
		json_object_set_new(all, "memory", dump_memory_json(dump));
	return tool_json_print(all, JSON_INDENT(2));
}
