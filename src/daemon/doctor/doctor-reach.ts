import { lookupAll, resolveTarget, type Lookup } from "../../adapters/sandboxes/egress/resolve-target.ts";
import { formatTarget, parseNetworkRule } from "../../policy/access/network-rule.ts";

/** Explains why a run in the sandbox cannot connect to these hosts. Ignores names that do not resolve, which may be temporary. */
export async function findUnreachable(
  hosts: readonly string[],
  lookup: Lookup = lookupAll,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const host of hosts) {
    const rule = parseNetworkRule(host);
    if (typeof rule === "string") {
      problems.push(`found ${host}; allowed: ${rule}`);
      continue;
    }
    const resolved = await resolveTarget(formatTarget(rule), [rule], lookup);
    if (resolved.kind === "denied") problems.push(resolved.sentence);
  }
  return problems;
}
