import { relative } from "node:path";
import type { OutcomeFile } from "../../ports/run-files.ts";
import { readFromWorkspace } from "../git/read/read-from-workspace.ts";
import { parseOutcome } from "./parse-outcome.ts";

const MAX_BYTES = 1024 * 1024;

/** Reads an agent's outcome file without trusting its content or type. */
export async function readOutcomeFile(runDir: string, outcomeFile: string): Promise<OutcomeFile> {
  const found = await readFromWorkspace(runDir, relative(runDir, outcomeFile), { maxBytes: MAX_BYTES });
  if (found.kind === "content") return parseOutcome(found.content);
  if (found.problem === "missing") return { kind: "missing" };
  return {
    kind: "invalid",
    problem: `The outcome file ${found.why}. Write a regular, readable file with the requested JSON object.`,
  };
}
