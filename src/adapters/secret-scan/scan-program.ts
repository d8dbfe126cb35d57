import { lintSource } from "@secretlint/core";
import { creator, rules } from "@secretlint/secretlint-rule-preset-recommend";
import { fromGitleaks, fromKnown, fromPatterns, fromSecretlint, notRead, type LintMatch } from "./findings.ts";
import { fromFrames, readRequests, type ProgramAnswer, type ProgramOrder } from "./frames.ts";
import { runGitleaks } from "./gitleaks.ts";
import { readChange, type AddedText } from "./read-change.ts";
import { cutIntoWindows } from "./windows.ts";

/** `node scan-program.ts`: reads changes from stdin and says line by line what it finds in each; see scan.ts. */

/**
 * The recommended rules without the one that lets comments switch rules off: whoever is being looked at does not decide
 * what is seen. (Its `disabled` option is not obeyed within a preset.)
 */
const RULES: typeof creator = {
  ...creator,
  create(context) {
    for (const rule of rules) if (!rule.meta.id.endsWith("-filter-comments")) context.registerRule(rule);
  },
};

for await (const request of readRequests(process.stdin)) await lookThrough(request);

async function lookThrough(request: Buffer): Promise<void> {
  const started = performance.now();
  const { changes, order } = fromFrames(request);
  const texts = changes.map(readChange);
  // The surest first: what comes later may run out of time.
  say({ findings: [...changes.flatMap(notRead), ...fromKnown(order.secrets, changes, texts.filter(isThere))] });
  for (const [index, text] of texts.entries()) {
    for (const part of text === null ? [] : cutIntoWindows(text))
      say({ findings: [...fromPatterns(part), ...fromSecretlint(part, await lint(part))] });
    say({ done: index });
  }
  await askGitleaks(texts.filter(isThere), order, started + order.timeoutMs / 2);
  say({ isEnd: true });
}

async function lint({ path, text }: AddedText): Promise<readonly LintMatch[]> {
  const { messages } = await lintSource({
    source: { filePath: path, content: text, contentType: "text" },
    // Without a path, no rule goes and reads a file.
    options: { config: { rules: [{ id: RULES.meta.id, rule: RULES }] }, noPhysicFilePath: true },
  });
  return messages.map(({ range: [start, end], ruleId, messageId }) => ({
    start,
    end,
    rule: ruleId.replace("@secretlint/secretlint-rule-", ""),
    kind: messageId,
  }));
}

/** A second opinion: without it, or when it fails, the first one stands. */
async function askGitleaks(given: readonly AddedText[], { path }: ProgramOrder, deadline: number): Promise<void> {
  const timeoutMs = Math.floor(deadline - performance.now());
  if (timeoutMs <= 0) return say({ note: "there was no time left for gitleaks" });
  try {
    const leaks = await runGitleaks(given, { path, timeoutMs });
    say({ findings: leaks.flatMap((leak) => fromGitleaks(given[leak.index], leak)) });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    say({ note: `gitleaks is installed but could not be used: ${why.slice(0, 200)}` });
  }
}

function say(answer: ProgramAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function isThere(text: AddedText | null): text is AddedText {
  return text !== null;
}
