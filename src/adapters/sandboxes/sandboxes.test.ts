import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testPolicy } from "../../testing/policy.ts";
import { testSandbox } from "../../testing/suites/sandbox.suite.ts";
import { sandboxes } from "./index.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-sandboxes-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const context = () => ({
  dir: join(folder, "wall"),
  socket: join(folder, "out.sock"),
  cache: join(folder, "cache"),
  run: "run_example",
  onDenied: () => undefined,
});
const policy = () => testPolicy(folder, { env: { PATH: "/usr/bin:/bin", LANG: "C" } });

testSandbox("none", { sandbox: sandboxes.none, policy, context });
testSandbox("external", { sandbox: sandboxes.external, policy, context });
testSandbox("enforce", { sandbox: sandboxes.enforce, policy, context });

test.each(["none", "external"] as const)(
  "sandbox %s starts the command unchanged in the policy's directory",
  async (mode) => {
    const sandbox = sandboxes[mode];
    expect(sandbox.name).toBe(mode);
    const { command } = await sandbox.open(policy(), ["agent", "-x"], context());
    expect(command).toEqual({
      argv: ["agent", "-x"],
      env: policy().env,
      cwd: folder,
      inputs: [],
      statusPipes: 0,
      isIsolating: false,
    });
  },
);
