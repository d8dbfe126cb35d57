import type { Finding } from "./finding.ts";

/** More than this and nobody reads them; whoever repairs the first ones sees the others next time. */
const MOST_SHOWN = 40;

/** Also what other checks find in a change, by rules of their own. */
type Shown = Pick<Finding, "severity" | "path" | "line" | "message"> & { readonly rule: string };

/** For the prompt of whoever repairs the change, and for people: one line per finding. */
export function describeFindings(findings: readonly Shown[]): string {
  const lines = findings.slice(0, MOST_SHOWN).map((finding) => {
    const place = finding.line === null ? show(finding.path) : `${show(finding.path)}:${finding.line}`;
    return `- ${finding.severity} ${finding.rule} ${place}: ${show(finding.message)}`;
  });
  const more = findings.length - MOST_SHOWN;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** Names of files and tests are the agent's words: no line ends, nothing a terminal obeys. */
function show(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ");
}
