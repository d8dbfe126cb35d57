import type { ForgeDefinition } from "./definition.ts";
import { githubForge } from "./github/definition.ts";
import { gitlabForge } from "./gitlab/definition.ts";

/** Every kind of forge. */
export const FORGES: readonly ForgeDefinition[] = [gitlabForge, githubForge];
