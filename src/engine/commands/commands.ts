import { acceptTrust, addProject, removeProject } from "./project-commands.ts";
import type { Commands } from "./commands-contract.ts";
import { answer, approve, choose, reject, revise } from "./decide.ts";
import { endTask, pause, resume, retry, removeTask } from "./task-commands.ts";
import { giveReason, addRule, editRule, removeRule } from "./rules.ts";
import type { EnginePorts } from "../ports.ts";
import { submit, runSchedule } from "./submit.ts";
import { addToken, removeToken } from "./tokens.ts";

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
    runSchedule: (schedule, actor) => runSchedule(ports, schedule, actor),
    addProject: (source, actor) => addProject(ports, source, actor),
    acceptTrust: (source, hash, actor) => acceptTrust(ports, source, hash, actor),
    removeProject: (name, actor) => removeProject(ports, name, actor),
    addToken: (draft, actor) => addToken(ports, draft, actor),
    removeToken: (name, actor) => removeToken(ports, name, actor),
    addRule: (draft, actor) => addRule(ports, draft, actor),
    editRule: (rule, patch, actor) => editRule(ports, rule, patch, actor),
    removeRule: (rule, actor) => removeRule(ports, rule, actor),
    giveReason: (proposal, reason, actor) => giveReason(ports, proposal, reason, actor),
  };
}
