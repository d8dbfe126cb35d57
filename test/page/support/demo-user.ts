import { writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runDemoNight, type DemoNight } from "../../../src/cli/demo/night.ts";
import { createRepository, writeDemoConfig } from "../../../src/cli/demo/repository.ts";
import { createUser } from "../../support/cli-user.ts";
import { asPageUser, type PageUser } from "./page-user.ts";

/** A user whose daemon has the whole night of `nightshift demo` behind it. The project is named `demo`. */
export interface DemoUser extends PageUser {
  readonly tasks: DemoNight;
}

/** Takes about 15 seconds. Call `cleanUp` at the end. */
export async function createDemoUser(): Promise<DemoUser> {
  const user = await createUser();
  const dir = join(user.repo.path, "demo");
  createRepository(dir);
  writeDemoConfig(dir, "none");
  await writeFile(join(user.home, "config.yaml"), readFileSync(join(dir, "home", "config.yaml")));
  const trusted = await user.runIn(join(dir, "repo"), "trust", "--yes");
  if (trusted.code !== 0) throw new Error(`nightshift trust failed: ${trusted.stdout}${trusted.stderr}`);
  const page = asPageUser(user);
  return { ...page, tasks: await runDemoNight(page.client) };
}
