export interface OptionText {
  readonly description: string;
  readonly pros: readonly string[];
  readonly cons: readonly string[];
}

/** The engine puts the arguments for and against an option below its description, each kind on a line. */
export function splitArguments(text: string): OptionText {
  const lines = text.split("\n");
  const pros: string[] = [];
  const cons: string[] = [];
  for (let last = lines.at(-1); last !== undefined; last = lines.at(-1)) {
    const [, heading, rest = ""] = /^(For|Against): (.+)$/.exec(last) ?? [];
    if (heading === undefined) break;
    (heading === "For" ? pros : cons).unshift(...rest.split("; "));
    lines.pop();
  }
  return { description: lines.join("\n").trim(), pros, cons };
}
