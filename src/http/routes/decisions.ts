import type { Task } from "../../core/task/task.ts";
import type { TaskJson } from "../contract/task.ts";
import type { HttpDeps } from "../deps.ts";
import { findTask, findTaskIds, showTask } from "../lookup.ts";
import type { Handlers } from "./handler.ts";

type Verb =
  | "approve"
  | "reject"
  | "revise"
  | "answer"
  | "choose"
  | "comments"
  | "merge"
  | "pause"
  | "resume"
  | "cancel"
  | "kill"
  | "retry"
  | "follow-up"
  | "run";

export function decisionRoutes({
  commands,
  store,
  clock,
}: HttpDeps): Handlers<`POST /tasks/:id/${Verb}` | "POST /tasks/:id/apply"> {
  /** Finds the task, performs the command and returns the updated task. */
  async function decide(params: { readonly id: string }, command: (id: string) => Promise<Task>): Promise<TaskJson> {
    const { id } = await findTask(store, params.id);
    return await showTask(store, await command(id), clock.now());
  }

  return {
    "POST /tasks/:id/approve": ({ params, body, actor }) => {
      const { plan_hash: planHash, plan } = body;
      return decide(params, (id) =>
        plan === null ? commands.approve(id, planHash, actor) : commands.approveEdited(id, { planHash, plan }, actor),
      );
    },
    "POST /tasks/:id/reject": ({ params, body, actor }) =>
      decide(params, (id) => commands.reject(id, body.reason, actor)),
    "POST /tasks/:id/revise": ({ params, body, actor }) =>
      decide(params, (id) => commands.revise(id, body.feedback, actor)),
    "POST /tasks/:id/answer": ({ params, body, actor }) =>
      decide(params, (id) => commands.answer(id, body.answers, actor)),
    "POST /tasks/:id/choose": ({ params, body, actor }) => decide(params, (id) => commands.choose(id, body, actor)),
    "POST /tasks/:id/comments": ({ params, body, actor, key }) => {
      const comments = body.comments.map(({ file, line, ...each }) => ({
        ...each,
        file: file ?? undefined,
        line: line ?? undefined,
      }));
      return decide(params, (id) => commands.comment(id, { ...body, comments, key }, actor));
    },
    "POST /tasks/:id/merge": ({ params, body, actor }) => decide(params, (id) => commands.merge(id, body, actor)),
    "POST /tasks/:id/apply": async ({ params, body, actor }) => {
      const { id } = await findTask(store, params.id);
      const { applied, files } = await commands.apply(id, { force: body.force, dryRun: body.dry_run }, actor);
      return { task: id, applied, files: [...files] };
    },
    "POST /tasks/:id/pause": ({ params, actor }) => decide(params, (id) => commands.pause(id, actor)),
    "POST /tasks/:id/resume": ({ params, actor }) => decide(params, (id) => commands.resume(id, actor)),
    "POST /tasks/:id/cancel": ({ params, actor }) => decide(params, (id) => commands.cancel(id, actor)),
    "POST /tasks/:id/kill": ({ params, actor }) => decide(params, (id) => commands.kill(id, actor)),
    "POST /tasks/:id/follow-up": ({ params, body, actor, key }) =>
      decide(params, async (id) =>
        commands.followUp(id, { text: body.text, after: await findTaskIds(store, body.after), key }, actor),
      ),
    "POST /tasks/:id/run": ({ params, body, actor }) => decide(params, (id) => commands.runRole(id, body.role, actor)),
    "POST /tasks/:id/retry": ({ params, body, actor }) => {
      const { timeout_ms: timeoutMs, max_turns: maxTurns, budget_usd: budgetUsd, ...draft } = body;
      return decide(params, (id) => commands.retry(id, { ...draft, timeoutMs, maxTurns, budgetUsd }, actor));
    },
  };
}
