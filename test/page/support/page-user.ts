import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonFile } from "../../../src/daemon/daemon-file.ts";
import type { Client } from "../../../src/http/client/client.ts";
import { createNodeClient } from "../../../src/http/client/node-client.ts";
import type { Files } from "../../../src/testing/temp-repo.ts";
import { createUser, type User } from "../../support/cli-user.ts";
import { signIn, type SignInCookie } from "../../support/sign-in.ts";

/** A user with a running daemon and a registered project named `shop`. */
export interface PageUser extends User {
  readonly url: string;
  readonly client: Client;
  /** Returns a cookie that signs the owner in. */
  signIn(): Promise<SignInCookie>;
}

export interface PageUserOptions {
  /** Steps of the scripted agent (see src/builtin/scripts), or the name of a shipped script. */
  readonly script?: string | readonly unknown[];
  /** Added to nightshift.yaml. */
  readonly settings?: string;
  readonly files?: Files;
  /** Runs before the daemon starts, for example to fill its database. */
  readonly prepare?: (home: string) => Promise<void>;
}

/** Starts a real daemon whose agent is scripted. Call `cleanUp` at the end. */
export async function createPageUser({
  script = "happy",
  settings = "",
  files = {},
  prepare,
}: PageUserOptions = {}): Promise<PageUser> {
  const user = await createUser();
  await prepare?.(user.home);
  const file = join(user.repo.path, "script.json");
  if (typeof script !== "string") await writeFile(file, JSON.stringify(script));
  const project = `project: shop\nagent: scripted\nagents:\n  scripted: { kind: scripted, script: ${typeof script === "string" ? script : JSON.stringify(file)} }\n${settings}`;
  await user.repo.commit({ "nightshift.yaml": project, ...files });
  const trusted = await user.run("trust", "--yes");
  if (trusted.code !== 0) throw new Error(`nightshift trust failed: ${trusted.stdout}${trusted.stderr}`);
  return asPageUser(user);
}

/** A user whose daemon is running. */
export function asPageUser(user: User): PageUser {
  const { url, token } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as DaemonFile;
  return { ...user, url, client: createNodeClient({ url, token }), signIn: () => signIn({ url, token }) };
}
