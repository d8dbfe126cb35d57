const MAX_TITLE_LENGTH = 250;
/** GitHub allows 65,536 characters, GitLab more. */
const MAX_BODY_LENGTH = 60_000;
const TRUNCATION_NOTE = "\n\n… (the rest did not fit)";

/** Makes a title that both forges accept: a single line, not empty and not too long. */
export function fitTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "Untitled change";
  const characters = Array.from(line);
  return characters.length <= MAX_TITLE_LENGTH ? line : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…`;
}

export function fitBody(body: string): string {
  return body.length <= MAX_BODY_LENGTH
    ? body
    : `${body.slice(0, MAX_BODY_LENGTH - TRUNCATION_NOTE.length).toWellFormed()}${TRUNCATION_NOTE}`;
}

/**
 * GitLab executes lines like `/merge` or `/assign @bob` in a description with the token's permissions, and an agent wrote
 * this text. A backslash before the slash is not displayed and disables the command.
 */
export function escapeQuickActions(body: string): string {
  return body.replaceAll(/^([ \t]*)\/(?=[A-Za-z_])/gm, "$1\\/");
}

/** Removes duplicates and empty names. */
export function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}
