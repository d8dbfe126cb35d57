import type { ParkedAgent, ParkKind } from "./parked-agent.ts";

const WORDS: Readonly<Record<ParkKind, string>> = {
  quota: "has used up its quota",
  login: "needs a login",
  program: "cannot be started",
  provider: "does not reach its provider",
};

/** A sentence such as "codex needs a login: the key was rejected". */
export function describeParked({ agent, kind, reason }: Pick<ParkedAgent, "agent" | "kind" | "reason">): string {
  return `${agent} ${WORDS[kind]}: ${reason}`;
}
