import type { Category } from "../core/nightly/category.ts";
import type { Pipeline } from "../core/pipeline/pipeline.ts";
import type { Role } from "../core/task/role.ts";
import type { Settings } from "../core/task/settings.ts";
import type { Project } from "./store.ts";

/**
 * The files people write, as checked values. Read anew for every decision that needs them, from the person's checkout,
 * never from a workspace; what widens rights counts only as far as `project.accepted` goes.
 */
export interface ProjectFiles {
  /** What the project's files ask for beyond `accepted`. */
  pendingTrust(project: Pick<Project, "path">, accepted: string): Promise<PendingTrust>;
  /** Throws ConfigError with every problem. */
  settings(project: Project): Promise<Settings>;
  /** The same, or where the files are broken now, what they said when they were not; throws where they never were. */
  lastGood(project: Project): Promise<Settings>;
  /** What a category of the nightly improvement means, built in. */
  guidance(category: Category): Promise<string>;
  /** A built-in or the project's own pipeline. Throws UserError "not_found" naming those there are. */
  pipeline(project: Project, name: string): Promise<{ readonly pipeline: Pipeline; readonly text: string }>;
  /** Parses a kept text again. */
  parsePipeline(name: string, text: string): Pipeline;
  /** The prompt template of a role: the project's override, else the built-in one. */
  prompt(project: Project, role: Role): Promise<string>;
  /** What stands in front of every prompt; no project can change it. */
  preamble(): Promise<string>;
}

/** Where a person says that a project is. */
export type ProjectSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "url"; readonly url: string };

export type DetectedProject = Pick<Project, "name" | "path" | "remote" | "defaultBranch">;

export interface PendingTrust {
  /** The canonical JSON that `Project.accepted` becomes when a person accepts. */
  readonly wanted: string;
  /** Names `wanted`, so that nobody accepts what they were not shown. */
  readonly hash: string;
  readonly changes: readonly TrustChange[];
}

export interface TrustChange {
  readonly key: string;
  readonly accepted: string | null;
  readonly wanted: string | null;
}

export type ProjectRemoval =
  | { readonly kind: "removed" }
  | { readonly kind: "unknown" }
  /** `task` has not ended. */
  | { readonly kind: "in_use"; readonly task: string };
