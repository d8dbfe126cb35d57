import type { Finding } from "./finding.ts";

/** Longer lists are not read. The remaining findings are reported after the first ones are fixed. */
const MAX_SHOWN = 40;

/** Also accepts findings of other checks, such as the secret scan. */
export type Shown = Pick<Finding, "severity" | "path" | "line" | "message"> & { readonly rule: string };

/** One line per finding, for the agent that fixes the change and for people. */
export function describeFindings(findings: readonly Shown[]): string {
  const lines = findings.slice(0, MAX_SHOWN).map((finding) => {
    const place = finding.line === null ? show(finding.path) : `${show(finding.path)}:${finding.line}`;
    return `- ${finding.severity} ${finding.rule} ${place}: ${show(finding.message)}`;
  });
  const more = findings.length - MAX_SHOWN;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** The rules of the errors and warnings in a text of `describeFindings`. Notes are left out. */
export function rulesIn(described: string): readonly string[] {
  return [...described.matchAll(/^- (?:error|warning) (\w+) /gm)].flatMap(([, rule]) => rule ?? []);
}

/** File and test names come from the agent, so line breaks and control characters are removed. */
function show(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ");
}
