import type { Category } from "../core/nightly/category.ts";
import type { Pipeline } from "../core/pipeline/pipeline.ts";
import type { Role } from "../core/task/role.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { Issue } from "../core/text/errors.ts";
import type { Project } from "./store.ts";

/**
 * The validated configuration files. They are read again for every decision, from the user's checkout and never from a
 * workspace. Additional permissions apply only if `project.accepted` includes them.
 */
export interface ProjectFiles {
  /** Permissions that the project's files request beyond `accepted`. */
  pendingTrust(project: Pick<Project, "path" | "remote">, accepted: string): Promise<PendingTrust>;
  /** Throws a ConfigError that lists every problem. */
  settings(project: Project): Promise<Settings>;
  /** The current settings, or the last valid ones if the files are invalid now. Throws if they were never valid. */
  lastGood(project: Project): Promise<Settings>;
  /** The built-in description of a category of the nightly improvement. */
  guidance(category: Category): Promise<string>;
  /** A built-in pipeline or the project's own. Throws a UserError "not_found" that lists the available ones. */
  pipeline(project: Project, name: string): Promise<{ readonly pipeline: Pipeline; readonly text: string }>;
  builtInPipelines(): Promise<readonly Pipeline[]>;
  /** The pipelines in the project's own files, and why others of them cannot be used. */
  ownPipelines(
    project: Project,
  ): Promise<{ readonly pipelines: readonly Pipeline[]; readonly problems: readonly Issue[] }>;
  /** Parses a stored pipeline text again. */
  parsePipeline(name: string, text: string): Pipeline;
  /** The prompt template of a role: the project's override, or else the built-in one. */
  prompt(project: Project, role: Role): Promise<string>;
  /** The fixed beginning of every prompt. Projects cannot change it. */
  preamble(): Promise<string>;
}

/** The location of a project as a person specified it. */
export type ProjectSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "url"; readonly url: string };

export type DetectedProject = Pick<Project, "name" | "path" | "remote" | "defaultBranch">;

export interface PendingTrust {
  /** Canonical JSON that is stored in `Project.accepted` when a person accepts. */
  readonly wanted: string;
  /** Hash of `wanted`. A person accepts it by its hash, and therefore only what was shown. */
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
