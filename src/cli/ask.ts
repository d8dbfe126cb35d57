/** Asks on stderr, so that stdout stays the answer; only where somebody is at the keyboard. Ctrl-C is a no. */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  return (await prompts.confirm({ message, initialValue: false, output: process.stderr })) === true;
}
