import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createForge } from "../../adapters/forges/create-forge.ts";
import { githubForge } from "../../adapters/forges/github/definition.ts";
import { gitlabForge } from "../../adapters/forges/gitlab/definition.ts";
import { isOwnReview } from "../../core/forge/review-text.ts";
import type { Requester } from "../../core/task/requester.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { transact } from "../../engine/transact.ts";
import { wakeTask } from "../../engine/wake-task.ts";
import type { Checkpoint } from "../../ports/checkpoint.ts";
import { SAMPLE_DRAFT } from "../builders.ts";
import type { FakeChangeRequest, FakeComment } from "../forges/forge-world.ts";
import { openLoopbackForge, type LoopbackForge } from "../forges/loopback-forge.ts";
import { git, writeFiles, type Files } from "../temp-repo.ts";
import { ADA, openEngineWorld, type EngineWorld } from "./engine-world.ts";
import type { ScriptedCommand, ScriptedEnd } from "./scripted-supervisors.ts";

export type Play = (command: ScriptedCommand) => ScriptedEnd | Promise<ScriptedEnd>;

export interface ReviewSceneOptions {
  readonly kind?: "github" | "gitlab";
  /** Plays every agent. */
  readonly agent?: Play;
  readonly request?: Partial<FakeChangeRequest>;
  readonly files?: Files;
  /** Added to nightshift.yaml. */
  readonly settings?: string;
  readonly reviews?: "post" | "off";
  readonly pass?: (checkpoint: Checkpoint) => void;
}

/** The engine with a project at a loopback forge, and change request 1 of Bob in it, which adds a line to greeting.txt. */
export interface ReviewScene {
  readonly world: EngineWorld;
  readonly forge: LoopbackForge;
  urlOf(number: number): string;
  /** Submits a review of change request 1. */
  submit(draft?: Partial<TaskDraft>, actor?: Requester): Promise<Task>;
  /** Approves what the task shows, and continues it. */
  approve(id: string): Promise<Task>;
  /** Continues a task that waits before its next try. */
  wake(id: string): Promise<Task>;
  /** Force-pushes a commit on top of `main` from another clone. Returns the commit. */
  push(ref: string, changes: Files): Promise<string>;
  /** What Nightshift wrote on any change request. */
  posted(): readonly FakeComment[];
  /** The prompt of the newest reviewer. */
  prompt(id: string): Promise<string>;
  close(): Promise<void>;
}

const TOKEN = "test-token-0123456789abcdef";

export const REQUESTED_CHANGES = {
  outcome: "changes_requested",
  summary: "Not yet, @alice.",
  comments: [
    { file: "missing.txt", line: 700, severity: "nit", comment: "Is this used?" },
    { file: "greeting.txt", line: 2, severity: "critical", comment: "Whom does it greet?" },
  ],
};

export async function openReviewScene(options: ReviewSceneOptions = {}): Promise<ReviewScene> {
  const { kind = "github", agent = () => ({ report: REQUESTED_CHANGES }), settings = "", files } = options;
  const forge = await openLoopbackForge({ kind, token: TOKEN, files: { "greeting.txt": "hello\n", ...files } });
  const world = await openEngineWorld({
    repo: forge.repo,
    settings: `forge: { kind: ${kind}, url: "${forge.url}", project: team/shop, token_env: FORGE_TOKEN, reviews: ${options.reviews ?? "post"} }\n${settings}`,
    script: (command) => (command.name === "agent" ? agent(command) : { exitCode: 0, output: "1 test passed" }),
    pass: options.pass ?? (() => undefined),
    over: () => ({
      forges: {
        open: (_project, { forge: found }) =>
          found === null
            ? null
            : createForge(kind === "github" ? githubForge : gitlabForge, {
                settings: found,
                remote: forge.remoteUrl,
                token: TOKEN,
                pause: async () => undefined,
              }),
      },
    }),
  });
  const urlOf = (number: number): string =>
    `${forge.url}/team/shop/${kind === "github" ? "pull" : "-/merge_requests"}/${number}`;
  const scene: ReviewScene = {
    world,
    forge,
    urlOf,
    submit: (draft = {}, actor = ADA) =>
      world.commands.submit(
        { ...SAMPLE_DRAFT, pipeline: "review", project: "", description: "", url: urlOf(1), ...draft },
        actor,
      ),
    async approve(id) {
      const waiting = (await world.ports.store.tasks.getTask(id))?.waitingFor;
      await world.commands.approve(id, waiting?.kind === "approval" ? waiting.planHash : null, ADA);
      return world.drain(id);
    },
    async wake(id) {
      await transact(world.ports, id, null, (parked) => wakeTask(world.ports, parked, "woken by the test"));
      return world.drain(id);
    },
    async push(ref, changes) {
      const author = join(forge.repo.path, "author");
      await rm(author, { recursive: true, force: true });
      await git(forge.repo.path, "clone", "--quiet", forge.bareDir, author);
      await writeFiles(author, changes);
      await git(author, "add", "--all");
      await git(
        author,
        "-c",
        "user.name=bob",
        "-c",
        "user.email=bob@example.com",
        "commit",
        "--quiet",
        "--message=new",
      );
      await git(author, "push", "--quiet", "--force", "origin", `HEAD:${ref}`);
      return git(author, "rev-parse", "HEAD");
    },
    posted: () => forge.changeRequests.flatMap(({ comments }) => comments.filter(({ body }) => isOwnReview(body))),
    async prompt(id) {
      const run = (await world.runs(id)).findLast(({ role }) => role === "review");
      return readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8");
    },
    async close() {
      await world.close();
      await forge.close();
    },
  };
  await scene.push("refs/heads/topic", { "greeting.txt": "hello\nall\n" });
  await forge.openRequest({ branch: "topic", title: "Greet all", body: "It greets all.", ...options.request });
  return scene;
}
