import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { installService, removeService, showService } from "../commands/machine/service.ts";
import type { CliContext } from "../context.ts";
import { renderPlist, renderUnit } from "./service-files.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-service-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const hasAnalyzer = spawnSync("systemd-analyze", ["--version"]).status === 0;
const params = {
  command: [process.execPath, '/opt/with space/100%/$HOME/a\\b"c&<d>.js', "--foreground"],
  env: { NIGHTSHIFT_HOME: "/home/a b/100%", PATH: "/bin:/usr/bin" },
  log: "/home/a b/service.log",
};

describe("service files", () => {
  it("a systemd unit keeps supervisors alive and quotes paths", () => {
    const unit = renderUnit(params);
    expect(unit).toContain(`"/opt/with space/100%%/$$HOME/a\\\\b\\"c&<d>.js" "--foreground"\n`);
    expect(unit).toContain('Environment="NIGHTSHIFT_HOME=/home/a b/100%%"\n');
    expect(unit).toContain("\nKillMode=process\n");
    expect(() => renderUnit({ ...params, env: { PATH: "/bin\nExecStartPre=/bin/evil" } })).toThrow("line break");
  });

  it.skipIf(!hasAnalyzer)("a systemd unit is accepted by systemd-analyze", () => {
    const file = join(dir, "nightshift.service");
    writeFileSync(file, renderUnit(params));
    // Without this variable, which only a login sets, the program fails before it reads the unit.
    const env = { ...process.env, XDG_RUNTIME_DIR: dir };
    const verify = () => spawnSync("systemd-analyze", ["verify", "--user", file], { encoding: "utf8", env });
    expect(verify()).toMatchObject({ status: 0, stderr: "" });
    writeFileSync(file, renderUnit(params).replace("KillMode=process", "KillMode=proces"));
    expect(verify().stderr).toContain("Failed to parse kill mode");
  });

  it("a launchd property list keeps supervisors alive and is well-formed", () => {
    const file = join(dir, "nightshift.plist");
    writeFileSync(file, renderPlist(params));
    const text = readFileSync(file, "utf8");
    expect(text).toContain('<string>/opt/with space/100%/$HOME/a\\b"c&amp;&lt;d&gt;.js</string>');
    expect(text).toMatch(/<key>AbandonProcessGroup<\/key>\s*<true\/>/);
    const python = spawnSync(
      "python3",
      ["-c", "import json,plistlib,sys;print(json.dumps(plistlib.load(open(sys.argv[1],'rb'))))", file],
      { encoding: "utf8" },
    );
    // Without Python, only the text is checked.
    const parsed: unknown = python.status === 0 ? JSON.parse(python.stdout) : { ProgramArguments: params.command };
    expect(parsed).toMatchObject({ ProgramArguments: params.command });
  });
});

/** A `launchctl` that knows one service, and refuses to load it twice. */
function addLaunchctl(): string {
  const calls = join(dir, "calls");
  mkdirSync(join(dir, "bin"));
  const lines = [
    `echo "$@" >> '${calls}'`,
    `case "$1" in`,
    `  bootstrap) [ ! -e '${dir}/loaded' ] || { echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; }; touch '${dir}/loaded' ;;`,
    `  bootout) rm '${dir}/loaded' ;;`,
    `  print) [ -e '${dir}/loaded' ] ;;`,
    `esac`,
  ];
  writeFileSync(join(dir, "bin", "launchctl"), `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o755 });
  return calls;
}

/** A `systemctl` that records its calls and answers with the given exit code. */
function addSystemctl(code: number): string {
  const calls = join(dir, "calls");
  mkdirSync(join(dir, "bin"));
  for (const name of ["systemctl", "loginctl"]) {
    const answer = name === "loginctl" ? "echo Linger=no" : `echo "$@" >> '${calls}'; exit ${code}`;
    writeFileSync(join(dir, "bin", name), `#!/bin/sh\n${answer}\n`);
    chmodSync(join(dir, "bin", name), 0o755);
  }
  return calls;
}

function createContext(output: string[]): CliContext {
  const env = {
    HOME: dir,
    NIGHTSHIFT_HOME: join(dir, "home with space"),
    PATH: `${dir}/bin:/usr/bin:/bin`,
    SHELL: "/bin/sh",
  };
  const out = (text: string): void => void output.push(text);
  return {
    json: false,
    quiet: false,
    color: false,
    project: null,
    cwd: dir,
    env,
    out,
    progress: out,
    warn: out,
    interactive: false,
  };
}

describe.skipIf(process.platform === "darwin")("service commands with systemd", () => {
  it("install writes the unit and starts it, status shows it, remove deletes it", async () => {
    const calls = addSystemctl(0);
    const output: string[] = [];
    const context = createContext(output);
    await installService(context);
    const file = join(dir, ".config/systemd/user/nightshift.service");
    expect(readFileSync(file, "utf8")).toContain(`Environment="NIGHTSHIFT_HOME=${join(dir, "home with space")}"`);
    expect(readFileSync(calls, "utf8")).toContain(
      "--user enable nightshift.service\n--user restart nightshift.service\n",
    );
    expect(output.join("")).toContain("loginctl enable-linger");
    await showService(context);
    expect(output.join("")).toContain(`${file}: running`);
    await removeService(context);
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(calls, "utf8")).toMatch(/--user disable --now nightshift\.service\n--user daemon-reload\n$/);
  });

  it("a machine without systemd gets one sentence and nothing is written", async () => {
    addSystemctl(1);
    await expect(installService(createContext([]))).rejects.toThrow("This machine has no systemd for your user");
    expect(existsSync(join(dir, ".config"))).toBe(false);
  });
});

describe("service commands with launchd", () => {
  beforeEach(() => {
    vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("install works a second time, status shows it, remove deletes it", async () => {
    const calls = addLaunchctl();
    const output: string[] = [];
    const context = createContext(output);
    await installService(context);
    // launchd does not create the folder of the log, and does not start the service without it.
    expect(existsSync(join(dir, "home with space/logs"))).toBe(true);
    await installService(context);
    const file = join(dir, "Library/LaunchAgents/dev.nightshift.daemon.plist");
    expect(readFileSync(calls, "utf8")).toMatch(new RegExp(`bootout [^\n]*\nbootstrap gui/\\d+ ${file}\n[^]*$`));
    await showService(context);
    expect(output.join("")).toContain(`${file}: running`);
    await removeService(context);
    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(dir, "loaded"))).toBe(false);
    // Removing a service that is not loaded removes its file all the same.
    await installService(context);
    rmSync(join(dir, "loaded"));
    await removeService(context);
    expect(existsSync(file)).toBe(false);
  });
});
