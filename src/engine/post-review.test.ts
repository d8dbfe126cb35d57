import { afterEach, describe, expect, it } from "vitest";
import { createForge } from "../adapters/forges/create-forge.ts";
import { githubForge } from "../adapters/forges/github/definition.ts";
import { gitlabForge } from "../adapters/forges/gitlab/definition.ts";
import { verdictFor } from "../core/task/documents/review.ts";
import type { Checkpoint } from "../ports/checkpoint.ts";
import { openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import { openLoopbackForge, type LoopbackForge } from "../testing/forges/loopback-forge.ts";

let world: EngineWorld;
let loopback: LoopbackForge;
afterEach(async () => {
  await world.close();
  await loopback.close();
});

type Kind = "github" | "gitlab";

const TOKEN = "test-token-0123456789abcdef";
const REVIEW = {
  outcome: "approved",
  summary: "Fine, @alice. Fixes #12.",
  comments: [
    { file: "greeting.txt", line: 1, severity: "nit", comment: "More polite?" },
    { file: "missing.txt", line: 700, severity: "suggestion", comment: "Is this used?" },
  ],
};

/** A project with a forge, and a chore in it. Returns the task's id. */
async function submitChore(kind: Kind, pass: (checkpoint: Checkpoint) => void = () => undefined): Promise<string> {
  loopback = await openLoopbackForge({ kind, token: TOKEN, files: { "greeting.txt": "hello\n" } });
  const open = loopback;
  world = await openEngineWorld({
    repo: open.repo,
    settings: `forge: { kind: ${kind}, url: "${open.url}", project: team/shop, token_env: FORGE_TOKEN }\n`,
    script: ({ name, role }) => {
      if (name !== "agent") return {};
      if (role === "review") return { report: REVIEW };
      return { files: { "greeting.txt": "hello, world\n" }, report: { outcome: "implemented", summary: "Greets." } };
    },
    pass,
    over: () => ({
      forges: {
        open: (_project, { forge }) =>
          forge === null
            ? null
            : createForge(kind === "github" ? githubForge : gitlabForge, {
                settings: forge,
                remote: open.remoteUrl,
                token: TOKEN,
                pause: async () => undefined,
              }),
      },
    }),
  });
  return (await world.submit({ pipeline: "chore" })).id;
}

function comments() {
  return loopback.changeRequests.flatMap((request) => request.comments);
}

describe.each(["github", "gitlab"] as const)("a review at %s", (kind) => {
  it("is posted with a comment on the line; a comment on a missing file is part of the text", async () => {
    const id = await submitChore(kind);
    const task = await world.drain(id);
    expect(task).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
    expect(
      comments()
        .map(({ file, line }) => `${file}:${line}`)
        .toSorted(),
    ).toEqual(["greeting.txt:1", "null:null"]);
    const text = comments().find(({ file }) => file === null)?.body ?? "";
    expect(text).toContain("Review by an AI agent");
    expect(text).toContain("`missing.txt:700` **suggestion**: Is this used?");
    expect(text).not.toMatch(/@alice|Fixes #12/);
  });

  it("is posted once if the daemon dies between posting it and committing the verdict", async () => {
    const crash = new AbortController();
    const id = await submitChore(kind, (checkpoint) => {
      if (checkpoint === "review.posted" && comments().length > 0) crash.abort();
    });
    while (!crash.signal.aborted) await world.step(id, crash.signal);
    expect(await world.ports.store.tasks.getTask(id)).toMatchObject({ state: "reviewing" });
    expect(comments()).toHaveLength(2);
    const task = await world.drain(id);
    expect(task.state).toBe("merging");
    expect(comments()).toHaveLength(2);
  });

  it("that cannot be posted is an event, and the verdict counts all the same", async () => {
    const id = await submitChore(kind);
    loopback.fail({ method: "POST", path: /(reviews|notes)$/, status: 403, times: 100 });
    const task = await world.drain(id);
    expect(task.state).toBe("merging");
    expect(verdictFor(task, task.headCommit)?.verdict).toBe("approved");
    const events = await world.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
    expect(events.filter(({ type }) => type === "artifact.failed").map(({ summary }) => summary)).toEqual([
      expect.stringContaining("The review could not be posted on the change request: The token is not allowed"),
    ]);
    expect(comments()).toEqual([]);
  });
});
