import { requireRight, type Requester, type Right } from "../../core/task/requester.ts";
import type { EnginePorts } from "../ports.ts";
import type { Commands } from "./commands-contract.ts";
import { retryAgent } from "./agents.ts";
import { answer } from "./answer.ts";
import { applyTask } from "./apply.ts";
import { approve, reject, revise } from "./decide.ts";
import { commentOnChange } from "./comment.ts";
import { chooseOption } from "./dependencies.ts";
import { followUp } from "./follow-up.ts";
import { mergeTask } from "./merge.ts";
import { acceptTrust, addProject, removeProject } from "./project-commands.ts";
import { removeProjectTasks } from "./remove-project-tasks.ts";
import { runRole } from "./run-role.ts";
import { giveReason, addRule, editRule, removeRule } from "./rules.ts";
import { submit, runSchedule } from "./submit.ts";
import { addToken, removeToken } from "./tokens.ts";
import {
  endWithVariants,
  pauseWithVariants,
  refuseVariant,
  removeWithVariants,
  resumeWithVariants,
  retryWithVariants,
} from "./variants/variant-commands.ts";

/** The right that each command needs. `submit`, `retry` and `followUp` need `approve` in addition if they skip a gate. */
const COMMAND_RIGHTS: Readonly<Record<keyof Commands, Right>> = {
  submit: "submit",
  approve: "approve",
  approveEdited: "approve",
  reject: "approve",
  revise: "approve",
  answer: "approve",
  choose: "approve",
  comment: "approve",
  merge: "approve",
  apply: "approve",
  pause: "submit",
  resume: "submit",
  cancel: "submit",
  kill: "submit",
  retry: "submit",
  followUp: "submit",
  runRole: "submit",
  remove: "admin",
  runSchedule: "submit",
  retryAgent: "submit",
  addProject: "admin",
  acceptTrust: "admin",
  removeProject: "admin",
  removeProjectTasks: "admin",
  addToken: "admin",
  removeToken: "admin",
  addRule: "approve",
  editRule: "approve",
  removeRule: "approve",
  giveReason: "approve",
};

export function createCommands(ports: EnginePorts): Commands {
  return requireRights({
    submit: async (draft, actor) => {
      // A schedule's `auto_approve` is part of the settings that a person accepted, so only this command checks it.
      if (draft.autoApprove)
        requireRight(
          actor,
          "approve",
          draft.url == null ? "Submitting a task with auto-approval" : "Posting a review without an approval",
        );
      if (draft.withoutChecks) requireRight(actor, "approve", "Submitting a task without the project's checks");
      return submit(ports, draft, actor);
    },
    approve: (task, planHash, actor) => approve(ports, task, { planHash, plan: null, actor }),
    approveEdited: (task, edited, actor) => approve(ports, task, { ...edited, actor }),
    reject: (task, reason, actor) => reject(ports, task, { reason, actor }),
    revise: (task, feedback, actor) => revise(ports, task, { feedback, actor }),
    answer: (task, answers, actor) => answer(ports, task, { answers, actor }),
    choose: (task, choice, actor) => chooseOption(ports, task, { ...choice, actor }),
    comment: (task, draft, actor) => commentOnChange(ports, task, { ...draft, actor }),
    merge: (task, draft, actor) => mergeTask(ports, task, { ...draft, actor }),
    apply: (task, draft, actor) => applyTask(ports, task, { ...draft, actor }),
    pause: (task, actor) => pauseWithVariants(ports, task, actor),
    resume: (task, actor) => resumeWithVariants(ports, task, actor),
    cancel: (task, actor) => endWithVariants(ports, task, "cancel", actor),
    kill: (task, actor) => endWithVariants(ports, task, "kill", actor),
    retry: (task, draft, actor) => retryWithVariants(ports, task, draft ?? {}, actor),
    followUp: async (task, more, actor) => {
      await refuseVariant(ports, task, "follow up on");
      return followUp(ports, task, more, actor);
    },
    runRole: async (task, role, actor) => {
      await refuseVariant(ports, task, "run a role on");
      return runRole(ports, task, role, actor);
    },
    remove: (task, actor) => removeWithVariants(ports, task, actor),
    runSchedule: (schedule, actor) => runSchedule(ports, schedule, actor),
    retryAgent: (name, actor) => retryAgent(ports, name, actor),
    addProject: (source, actor) => addProject(ports, source, actor),
    acceptTrust: (source, hash, actor) => acceptTrust(ports, source, hash, actor),
    removeProject: (name, actor) => removeProject(ports, name, actor),
    removeProjectTasks: (name, actor) => removeProjectTasks(ports, name, actor),
    addToken: (draft, actor) => addToken(ports, draft, actor),
    removeToken: (name, actor) => removeToken(ports, name, actor),
    addRule: (draft, actor) => addRule(ports, draft, actor),
    editRule: (rule, patch, actor) => editRule(ports, rule, patch, actor),
    removeRule: (rule, actor) => removeRule(ports, rule, actor),
    giveReason: (proposal, reason, actor) => giveReason(ports, proposal, reason, actor),
  });
}

/** Checks the requester's right before each command. The last argument of every command is the requester. */
function requireRights(commands: Commands): Commands {
  type AnyCommand = (...given: unknown[]) => Promise<unknown>;
  const guarded = Object.entries(commands).map(([name, command]: [string, AnyCommand]) => [
    name,
    async (...given: unknown[]) => {
      requireRight(given.at(-1) as Requester, COMMAND_RIGHTS[name as keyof Commands]);
      return await command(...given);
    },
  ]);
  return Object.fromEntries(guarded) as Commands; // the same keys, and each value has the type of the original
}
