import type { Actor } from "../../core/task/event.ts";
import type { Project } from "../../ports/store.ts";
import type { Commands } from "./commands-contract.ts";
import { answer, approve, choose, reject, revise } from "./decide.ts";
import { endTask } from "./end-task.ts";
import { giveReason } from "./give-reason.ts";
import { pause, resume } from "./pause-task.ts";
import type { EnginePorts } from "../ports.ts";
import { removeTask } from "./remove-task.ts";
import { retry } from "./retry-task.ts";
import { addRule, editRule, removeRule } from "./rules.ts";
import { submit } from "./submit.ts";
import { runScheduled } from "../schedule/upcoming.ts";

/** The one door: each decision is a function of its own, this only lists them. */
export function createCommands(ports: EnginePorts): Commands {
  return {
    submit: (draft, actor) => submit(ports, draft, actor),
    approve: (task, planHash, actor) => approve(ports, task, { planHash, actor }),
    reject: (task, reason, actor) => reject(ports, task, { reason, actor }),
    revise: (task, feedback, actor) => revise(ports, task, { feedback, actor }),
    answer: (task, answers, actor) => answer(ports, task, { answers, actor }),
    choose: (task, option, note, actor) => choose(ports, task, { option, note, actor }),
    pause: (task, actor) => pause(ports, task, actor),
    resume: (task, actor) => resume(ports, task, actor),
    cancel: (task, actor) => endTask(ports, task, "cancel", actor),
    kill: (task, actor) => endTask(ports, task, "kill", actor),
    retry: (task, state, actor) => retry(ports, task, state, actor),
    remove: (task, actor) => removeTask(ports, task, actor),
    runSchedule: (schedule, actor) => runScheduled(ports, schedule, actor),
    registerProject: (project, actor) => registerProject(ports, project, actor),
    addRule: (draft, actor) => addRule(ports, draft, actor),
    editRule: (rule, patch, actor) => editRule(ports, rule, patch, actor),
    removeRule: (rule, actor) => removeRule(ports, rule, actor),
    giveReason: (proposal, reason, actor) => giveReason(ports, proposal, reason, actor),
  };
}

async function registerProject(
  ports: EnginePorts,
  project: Parameters<Commands["registerProject"]>[0],
  actor: Actor,
): Promise<Project> {
  const at = ports.clock.now();
  const known = await ports.store.projects.getProject(project.name);
  const saved: Project = { ...project, acceptedBy: actor.name, acceptedAt: at };
  await ports.store.projects.saveProject(saved, {
    at,
    task: null,
    run: null,
    type: known === null ? "project.registered" : "project.trusted",
    level: "info",
    actor,
    summary: known === null ? `project ${project.name} registered` : `the files of project ${project.name} accepted`,
    data: { project: project.name, path: project.path },
  });
  return saved;
}
