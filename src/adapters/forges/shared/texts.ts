const LONGEST_TITLE = 250;
/** GitHub takes 65,536 characters, GitLab more. */
const LONGEST_BODY = 60_000;
const CUT = "\n\n… (the rest did not fit)";

/** A title that either forge takes: one line, not too long, not empty. */
export function fitTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "Untitled change";
  const characters = Array.from(line);
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join("")}…`;
}

export function fitBody(body: string): string {
  return body.length <= LONGEST_BODY ? body : `${body.slice(0, LONGEST_BODY - CUT.length).toWellFormed()}${CUT}`;
}

/**
 * GitLab obeys lines like `/merge` or `/assign @bob` in a description, with the token's rights, and an agent wrote this
 * text. A backslash before the slash is not shown and takes the command away.
 */
export function withoutQuickActions(body: string): string {
  return body.replaceAll(/^([ \t]*)\/(?=[A-Za-z_])/gm, "$1\\/");
}

/** Each once, without those that are nothing. */
export function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}
