import { lintSource } from "@secretlint/core";
import { creator, rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FileChange } from "../../core/change/file-change.ts";
import { fromGitleaks, fromKnown, fromPatterns, fromSecretlint, notRead, type LintMatch } from "./findings.ts";
import { runGitleaks } from "./gitleaks.ts";
import { readChange, type AddedText } from "./read-change.ts";
import type { ProgramAnswer, ProgramInput, ScanOrder } from "./scan-process.ts";
import { cutIntoWindows } from "./windows.ts";

/** A child process that receives changes and sends one message per result. See scan-process.ts. */

/**
 * The recommended rules without the one that lets comments disable rules: the scanned files must not decide what is scanned.
 * (Its `disabled` option has no effect in a preset.)
 */
const RULES: typeof creator = {
  ...creator,
  create(context) {
    for (const rule of rules) if (!rule.meta.id.endsWith("-filter-comments")) context.registerRule(rule);
  },
};

const received: FileChange[] = [];
process.on("message", (input: ProgramInput) => {
  if ("change" in input) received.push(input.change);
  else void scan(received.splice(0), input);
});

async function scan(changes: readonly FileChange[], order: ScanOrder): Promise<void> {
  const started = performance.now();
  const texts = changes.map(readChange);
  // The most reliable check first, because later ones may run out of time.
  writeAnswer({ findings: [...changes.flatMap(notRead), ...fromKnown(order.secrets, changes, texts.filter(isThere))] });
  for (const [index, text] of texts.entries()) {
    for (const part of text === null ? [] : cutIntoWindows(text))
      writeAnswer({ findings: [...fromPatterns(part), ...fromSecretlint(part, await lint(part))] });
    writeAnswer({ done: index });
  }
  await askGitleaks(texts.filter(isThere), order, started + order.timeoutMs / 2);
  writeAnswer({ isEnd: true });
}

async function lint({ path, text }: AddedText): Promise<readonly LintMatch[]> {
  const { messages } = await lintSource({
    source: { filePath: path, content: text, contentType: "text" },
    // Without a file path, rules do not read files.
    options: { config: { rules: [{ id: RULES.meta.id, rule: RULES }] }, noPhysicFilePath: true },
  });
  return messages.map(({ range: [start, end], ruleId, messageId }) => ({
    start,
    end,
    rule: ruleId.replace("@secretlint/secretlint-rule-", ""),
    kind: messageId,
  }));
}

/** gitleaks is optional: if it is missing or fails, the other results count. */
async function askGitleaks(given: readonly AddedText[], { path }: ScanOrder, deadline: number): Promise<void> {
  const timeoutMs = Math.floor(deadline - performance.now());
  if (timeoutMs <= 0) return writeAnswer({ note: "gitleaks was skipped because there was no time left" });
  try {
    const leaks = await runGitleaks(given, { path, timeoutMs });
    writeAnswer({ findings: leaks.flatMap((leak) => fromGitleaks(given[leak.index], leak)) });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    writeAnswer({ note: `gitleaks is installed but could not be used: ${why.slice(0, 200)}` });
  }
}

function writeAnswer(answer: ProgramAnswer): void {
  process.send?.(answer);
}

function isThere(text: AddedText | null): text is AddedText {
  return text !== null;
}
