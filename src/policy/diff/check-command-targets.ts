// What the check commands of a project run: names of scripts and targets.

/** Scripts of package.json that the commands start, directly or through other scripts. */
export function usedScripts(commands: readonly string[], scripts: ReadonlyMap<string, string>): ReadonlySet<string> {
  return follow(
    commands,
    (text) => scriptNames(text).flatMap((name) => [name, `pre${name}`, `post${name}`]),
    (name) => scripts.get(name),
  );
}

/** Makefile targets that the commands build, including their prerequisites. */
export function usedTargets(commands: readonly string[], rules: ReadonlyMap<string, string>): ReadonlySet<string> {
  const first = [...rules.keys()].find((name) => name !== "" && !name.startsWith("."));
  return follow(
    commands,
    (text) => makeTargets(text, first),
    (name) => (rules.has(name) ? makeCommands(rules.get(name) ?? "") : undefined),
  );
}

/** A rule of a Makefile as commands: its prerequisites, which are after its colon, and its recipe. */
export function makeCommands(rule: string): string {
  return rule.replace(/^[^:]*::?([^=\n]*)/, (_, needed: string) => `make ${needed}`);
}

function follow(
  start: readonly string[],
  namesIn: (text: string) => readonly string[],
  textOf: (name: string) => string | undefined,
): ReadonlySet<string> {
  const found = new Set<string>();
  const texts = [...start];
  for (const text of texts) {
    for (const name of namesIn(text)) {
      if (found.has(name)) continue;
      found.add(name);
      const next = textOf(name);
      if (next !== undefined) texts.push(next);
    }
  }
  return found;
}

const RUN =
  /\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|run|run-script|exec)\s+)*([\w:.@/-]+)|\bnode\s+--run[ =]([\w:.-]+)|\b(?:npm-run-all2?|run-[sp])\s+([^&|;\n]+)/g;

function scriptNames(text: string): string[] {
  return [...text.matchAll(RUN)].flatMap((found) => {
    const name = found[1] ?? found[2];
    if (name !== undefined) return [name === "t" || name === "tst" ? "test" : name];
    return (found[3] ?? "").trim().split(/\s+/);
  });
}

function makeTargets(text: string, first: string | undefined): string[] {
  return [...text.matchAll(/(?:^|[\s;&|(])\$?\(?(?:make|gmake|MAKE)\)?(?=\s|$)([^&|;\n#]*)/g)].flatMap((found) => {
    const words = (found[1] ?? "").trim().split(/\s+/);
    const targets = words.filter((word) => /^[\w./-]+$/.test(word) && !word.startsWith("-"));
    return targets.length > 0 ? targets : first === undefined ? [] : [first];
  });
}
