import { Refusal } from "./api-request.ts";

/**
 * GitLab runs lines like `/merge` as commands, and bots at both forges do the same with texts of change requests. Throws if
 * the text has such a line.
 */
export function checkText(text: unknown): void {
  if (typeof text === "string" && text.split(/[\r\n\u0085\u2028\u2029]/).some((line) => /^[\s>]*\/[a-z]/i.test(line)))
    throw new Refusal(
      "a description cannot have lines that start with / and a word, because forges run them as commands",
    );
}
