import type { Client } from "../../http/client/client.ts";
import { ProblemError } from "../../http/client/client.ts";

export interface SignInLink {
  readonly url: string;
  readonly until: string;
}

export async function createSignInLink(
  client: Client,
  body: { readonly person?: string | null; readonly path?: string | null } = {},
): Promise<SignInLink> {
  return await client.call("POST /session/links", { body });
}

/** Null if the daemon is of an older version, which has no such links. */
export async function trySignInLink(client: Client): Promise<SignInLink | null> {
  try {
    return await createSignInLink(client);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  }
}
