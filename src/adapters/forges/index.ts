import type { ForgeDefinition } from "./definition.ts";
import { githubForge } from "./github/definition.ts";
import { gitlabForge } from "./gitlab/definition.ts";

/** All supported forges. */
export const FORGES: readonly ForgeDefinition[] = [gitlabForge, githubForge];
