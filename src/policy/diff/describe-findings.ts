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

/**
 * The findings in a text of `describeFindings`. `paths` are the changed files, because a name may contain what follows it. Without
 * one of them, `path` is what the finding names.
 */
export function findingsIn(described: string, paths: readonly string[]): readonly Shown[] {
  const shown = paths.map((path) => ({ path, text: show(path) })).toSorted((a, b) => b.text.length - a.text.length);
  return [...described.matchAll(/^- (error|warning|note) (\w+) (.*)$/gm)].flatMap(([, severity, rule, rest = ""]) => {
    const known = shown.find(({ text }) => rest.startsWith(text) && PLACE_END.test(rest.slice(text.length)));
    const name = known?.text ?? /^.*?(?=:\d*:? )/.exec(rest)?.[0] ?? "";
    const [end = "", line] = PLACE_END.exec(rest.slice(name.length)) ?? [];
    const place = { path: known?.path ?? name, line: line === undefined ? null : Number(line) };
    // The cast is safe: the pattern allows only severities.
    return [
      {
        severity: severity as Shown["severity"],
        rule: rule ?? "",
        ...place,
        message: rest.slice(name.length + end.length),
      },
    ];
  });
}

const PLACE_END = /^(?::(\d+))?: /;

/** File and test names come from the agent, so line breaks and control characters are removed. */
function show(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ");
}
