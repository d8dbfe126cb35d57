import { inspect } from "node:util";
import { expect } from "vitest";
import { ForgeError } from "../../core/text/errors.ts";
import { DEFAULT_REACT, type ForgeSettings } from "../../core/settings/settings.ts";
import type { ChangeRequestDraft, Forge } from "../../ports/forge.ts";
import { git, writeFiles } from "../temp-repo.ts";
import type { TempRepo } from "../temp-repo.ts";
import { openLoopbackForge } from "./loopback-forge.ts";
import type { LoopbackForge, LoopbackParams, LoopbackRequest } from "./loopback-forge.ts";

export interface ForgeSetup {
  readonly kind: "github" | "gitlab";
  create(params: {
    settings: ForgeSettings;
    remote: string;
    token: string | null;
    fetch?: typeof globalThis.fetch;
    pause?: (ms: number) => Promise<void>;
  }): Forge;
  /** Checks these requests against the forge's published API description. */
  checkRequests(requests: readonly LoopbackRequest[]): Promise<readonly string[]>;
}

export const TOKEN = "test-token-0123456789abcdef";

/** A loopback forge, the adapter for it, and helpers for the tests. */
export interface ForgeScene {
  readonly setup: ForgeSetup;
  readonly loopback: LoopbackForge;
  readonly waits: number[];
  restart(params: Partial<LoopbackParams>): Promise<void>;
  /** For tests that change the repository. */
  repo(): TempRepo;
  forge(params?: {
    token?: string | null;
    fetch?: typeof fetch;
    settings?: Partial<ForgeSettings>;
    remote?: string;
  }): Forge;
  /** Creates a new branch with its own commit in the repository, without http. Returns the commit. */
  makeBranch(branch: string): Promise<string>;
  /** The same, but pushed over http with the forge's credentials. */
  pushBranch(branch: string): Promise<void>;
  draft(changes?: Partial<ChangeRequestDraft>): ChangeRequestDraft;
  apiRequests(): readonly LoopbackRequest[];
}

export function createForgeScene(setup: ForgeSetup): ForgeScene {
  let loopback: LoopbackForge | undefined;
  let isPristine = false;
  // Makes commits of the same second different.
  let commitCount = 0;
  const scene: ForgeScene = {
    setup,
    get loopback() {
      if (loopback === undefined) throw new Error("The scene is not open.");
      return loopback;
    },
    waits: [],
    async restart(params) {
      scene.waits.length = 0;
      // Creating a repository takes longer than most of these tests, so it is reused.
      if (isPristine && Object.keys(params).length === 0) return loopback?.reset();
      await loopback?.close();
      loopback = await openLoopbackForge({ kind: setup.kind, token: TOKEN, ...params });
      isPristine = Object.keys(params).length === 0;
    },
    repo() {
      isPristine = false;
      return scene.loopback.repo;
    },
    forge({ token = TOKEN, settings = {}, remote, ...rest } = {}) {
      return setup.create({
        settings: {
          kind: setup.kind,
          url: scene.loopback.url,
          project: null,
          tokenEnv: "FORGE_TOKEN",
          webhookSecretEnv: null,
          reviewer: null,
          assignee: null,
          labels: [],
          draft: false,
          react: DEFAULT_REACT,
          reviews: "post",
          usesOwnLogin: true,
          options: {},
          ...settings,
        },
        remote: remote ?? scene.loopback.remoteUrl,
        token,
        pause: async (ms) => void scene.waits.push(ms),
        ...rest,
      });
    },
    async makeBranch(branch) {
      const { bareDir } = scene.loopback;
      const commit = await git(bareDir, "commit-tree", "-p", "main", "-m", `${branch} ${++commitCount}`, "main^{tree}");
      await writeFiles(bareDir, { [`refs/heads/${branch}`]: `${commit}\n` });
      return commit;
    },
    async pushBranch(branch) {
      const { remoteUrl } = scene.loopback;
      const commit = await scene
        .repo()
        .git("commit-tree", "-p", "main", "-m", `${branch} ${++commitCount}`, "main^{tree}");
      const { username, password } = scene.forge().credentialsFor(remoteUrl) ?? { username: "", password: "" };
      const url = remoteUrl.replace("://", `://${username}:${password}@`);
      await scene.repo().git("push", "--quiet", url, `+${commit}:refs/heads/${branch}`);
    },
    draft: (changes = {}) => ({
      branch: "night-shift/faster",
      commit: "0".repeat(40),
      target: "main",
      title: "[night-shift/performance] Parse once",
      body: "## Summary\n\nParses once.",
      labels: ["night-shift", "performance"],
      reviewer: null,
      assignee: null,
      draft: false,
      ...changes,
    }),
    apiRequests: () => scene.loopback.requests.filter(({ kind }) => kind === "api"),
  };
  return scene;
}

/** Returns the ForgeError of a rejected promise, after checking that it does not contain the token. */
export async function forgeError(work: Promise<unknown>): Promise<ForgeError> {
  const error = await work.then(
    () => new Error("expected a rejection"),
    (reason: unknown) => reason,
  );
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  if (!(error instanceof ForgeError)) throw error;
  expect(error.message).toMatch(/^[A-Z0-9].*\.$|Response: /s);
  return error;
}
