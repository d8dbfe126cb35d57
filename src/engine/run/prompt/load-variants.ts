import type { DataVariable, PromptData } from "../../../core/prompt/prompt-context.ts";
import { describeCheck } from "../../../core/task/describe-check.ts";
import type { Task } from "../../../core/task/task.ts";
import { findCandidates, nameVariants } from "../../../core/task/variants.ts";
import type { EnginePorts } from "../../ports.ts";
import { loadVariants } from "../../variants.ts";
import { readNewestDiff } from "./read-newest-diff.ts";

type VariantPorts = Pick<EnginePorts, "store" | "runFiles" | "digest">;

/** The variants that may be chosen, by their neutral names. */
export async function loadCandidates(ports: VariantPorts, task: Task): Promise<ReadonlyMap<string, Task>> {
  const variants = (await loadVariants(ports, task)).filter((variant) => variant !== null);
  const candidates = new Set(findCandidates(variants));
  return new Map([...nameVariants(variants, ports.digest)].filter(([, variant]) => candidates.has(variant)));
}

const MAX_DIFFS = 200_000;

/** Diff and check results of each candidate, all cut at the same length. What their authors claim about them is left out. */
export async function describeCandidates(ports: VariantPorts, task: Task, maxTokens: number): Promise<PromptData> {
  const candidates = await loadCandidates(ports, task);
  // About half of the prompt, at four characters per token.
  const maxDiff = Math.floor(Math.min(MAX_DIFFS, maxTokens * 2) / Math.max(1, candidates.size));
  const entries = await Promise.all(
    [...candidates].map(async ([name, variant]) => [
      `variant_${name.toLowerCase()}`,
      await describeVariant(ports, variant, maxDiff),
    ]),
  );
  return Object.fromEntries(entries) as Partial<Record<DataVariable, string>>; // there are at most as many names as variables
}

async function describeVariant(ports: VariantPorts, variant: Task, maxDiff: number): Promise<string> {
  const patch = (await readNewestDiff(ports, variant)) ?? "";
  const diff = patch.length <= maxDiff ? patch : `${patch.slice(0, maxDiff)}\n[the rest of the diff is omitted]`;
  const checks = (await ports.store.tasks.listChecks(variant.id)).map(describeCheck).join("\n\n");
  return `Diff:\n${diff}\n\nCheck results:\n${checks === "" ? "none" : checks}`;
}
