import { UserError } from "../core/text/errors.ts";

/** Asks on stderr, because stdout carries only the command's result. Ctrl-C and Ctrl-D count as no. Call it only on a terminal. */
export async function confirm(message: string): Promise<boolean> {
  const { confirm: show } = await import("@clack/prompts");
  return (await ask((signal) => show({ message, initialValue: false, output: process.stderr, signal }))) === true;
}

/** Asks for one line of text without showing it. Ctrl-C, Ctrl-D and Escape return null. Call it only on a terminal. */
export async function askHidden(message: string): Promise<string | null> {
  const { password: show } = await import("@clack/prompts");
  const pasted = watchForSecondLine();
  const answer = await ask((signal) => show({ message, output: process.stderr, signal })).finally(pasted.stop);
  if (typeof answer !== "string") return null;
  if (pasted.hasSecondLine()) throw new UserError("invalid", "The value has more than one line. Nothing was stored.");
  return answer;
}

/** Asks for one of the choices, given as name and label. Ctrl-C, Ctrl-D and Escape return null. Call it only on a terminal. */
export async function askChoice(
  message: string,
  choices: readonly (readonly [name: string, label: string])[],
): Promise<string | null> {
  const { select } = await import("@clack/prompts");
  const options = choices.map(([value, label]) => ({ value, label }));
  const answer = await ask((signal) => select({ message, options, output: process.stderr, signal }));
  return typeof answer === "string" ? answer : null;
}

/** Asks for one line of text. Null if there is none. Call it only on a terminal. */
export async function askText(message: string): Promise<string | null> {
  const { text } = await import("@clack/prompts");
  const answer = await ask((signal) => text({ message, output: process.stderr, signal }));
  return typeof answer === "string" && answer.trim() !== "" ? answer : null;
}

/** The prompts do not notice the end of the input, and would wait forever or end in silence as if the command had succeeded. */
async function ask<T>(show: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cancel = new AbortController();
  const abort = (): void => cancel.abort();
  const stop = watchKeys((key) => isEndOfInput(key) && abort());
  const { stdin } = process;
  for (const event of INPUT_ENDS) stdin.once(event, abort);
  if (stdin.readableEnded || stdin.destroyed) abort();
  try {
    return await show(cancel.signal);
  } finally {
    stop();
    for (const event of INPUT_ENDS) stdin.off(event, abort);
  }
}

const INPUT_ENDS = ["end", "close", "error"] as const;

/** Ctrl-D. If it was typed before the prompt was there, the terminal has turned it into a zero byte. */
function isEndOfInput({ ctrl, name, sequence }: Key): boolean {
  return (ctrl === true && name === "d") || sequence === "\0";
}

/** A prompt takes the first or the last of several pasted lines and drops the others. */
function watchForSecondLine(): { readonly stop: () => void; readonly hasSecondLine: () => boolean } {
  let hasFirst = false;
  let hasSecond = false;
  const stop = watchKeys(({ name }) => {
    const isBreak = name === "return" || name === "enter";
    if (isBreak) hasFirst = true;
    else if (hasFirst) hasSecond = true;
  });
  return { stop, hasSecondLine: () => hasSecond };
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly sequence?: string;
}

function watchKeys(onKey: (key: Key) => unknown): () => void {
  const listener = (_: unknown, key: Key): void => void onKey(key);
  process.stdin.on("keypress", listener);
  return () => void process.stdin.off("keypress", listener);
}
