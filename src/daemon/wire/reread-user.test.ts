import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readUserConfig } from "../../config/files/user-config.ts";
import { REGISTRY } from "./registry.ts";
import { createUserReader } from "./reread-user.ts";

test("config.yaml: a change applies when it is read again, and an invalid file leaves the last valid version", async () => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-reread-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const write = (text: string): void => writeFileSync(join(home, "config.yaml"), text);
  const { format } = REGISTRY;
  const read = createUserReader({ home, format, user: await readUserConfig(home, format) });
  expect((await read()).reportAt).toBe("07:00");
  write("report: { at: '06:15' }\n");
  expect((await read()).reportAt).toBe("06:15");
  write("report: { at: '26:15' }\n");
  expect((await read()).reportAt).toBe("06:15");
  write("report: { at: '05:00' }\n");
  expect((await read()).reportAt).toBe("05:00");
});
