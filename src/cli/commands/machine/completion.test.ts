import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const BIN = join(import.meta.dirname, "../../../../bin/nightshift");
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-completion-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Words as they are typed: the shell keeps quotes and substitutions in them. */
const TYPED = [
  '"$(touch owned)"',
  "`touch owned`",
  "$(touch owned)",
  "--status=$(touch${IFS}owned)=",
  "; touch owned;",
];

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `source <(nightshift completion bash)
    COMP_WORDS=(nightshift queue "$1"); COMP_CWORD=2; __nightshift_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() { : }; _describe() { return 0 }; _arguments() { return 0 }
    source <(nightshift completion zsh)
    words=(nightshift queue "$1"); CURRENT=3; _nightshift`,
  fish: `function commandline; test "$argv" = -opc; and printf '%s\\n' nightshift queue; or printf '%s\\n' $word; end
    nightshift completion fish | source
    __nightshift_perform_completion`,
};

function complete(shell: string, word: string): string {
  const program =
    shell === "fish"
      ? `set word $argv[1]; function nightshift; "${process.execPath}" "${BIN}" $argv; end\n`
      : `nightshift() { "${process.execPath}" "${BIN}" "$@"; }\n`;
  const flags = shell === "zsh" ? ["-f"] : [];
  const args = [...flags, "-c", program + (SCRIPTS[shell] ?? ""), shell === "fish" ? "--" : shell, word];
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, NIGHTSHIFT_HOME: join(dir, "home"), IFS: " \t\n" };
  return execFileSync(shell, args, { cwd: dir, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

describe.each(["bash", "zsh", "fish"])("completion in %s", { timeout: 120_000 }, (shell) => {
  const isMissing = spawnSync(shell, ["--version"]).error !== undefined;

  it.skipIf(isMissing).each(TYPED)("does not evaluate the word %s", (word) => {
    complete(shell, word);
    expect(existsSync(join(dir, "owned"))).toBe(false);
  });
});

it("completion in bash suggests flags", { timeout: 120_000 }, () => {
  expect(complete("bash", "--st")).toContain("--status");
});
