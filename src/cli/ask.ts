/** Asks on stderr, because stdout carries only the command's result. Ctrl-C counts as no. Call it only on a terminal. */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  return (await prompts.confirm({ message, initialValue: false, output: process.stderr })) === true;
}

/** Asks for a secret without showing it. Ctrl-C returns an empty text. Call it only on a terminal. */
export async function askHidden(message: string): Promise<string> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.password({ message, output: process.stderr });
  return typeof answer === "string" ? answer : "";
}
