import { execFile } from "node:child_process";
import { access, constants, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

export interface GitleaksMatch {
  /** Index of the text. */
  readonly index: number;
  readonly line: number;
  /** First and last column of the match, both starting at one and inclusive. */
  readonly columns: readonly [first: number, last: number];
  readonly rule: string;
}

const report = z.array(
  z.object({ RuleID: z.string(), File: z.string(), StartLine: z.int(), StartColumn: z.int(), EndColumn: z.int() }),
);

/** Runs gitleaks if it is installed. */
export async function runGitleaks(
  files: readonly { readonly path: string; readonly text: string }[],
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
): Promise<readonly GitleaksMatch[]> {
  if (files.length === 0 || !(await isInstalled(path))) return [];
  const dir = await mkdtemp(join(tmpdir(), "nightshift-gitleaks-"));
  try {
    const source = join(dir, "source");
    for (const [index, file] of files.entries()) await writeCopy(join(source, String(index)), file);
    const out = join(dir, "report.json");
    const args = ["detect", "--no-git", "--no-banner", "--redact", "--exit-code", "0", "--source", source];
    await promisify(execFile)("gitleaks", [...args, "--report-format", "json", "--report-path", out], {
      cwd: dir,
      env: { PATH: path, HOME: dir },
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    return report.parse(JSON.parse(await readFile(out, "utf8"))).map((leak) => ({
      index: Number(relative(source, leak.File).split("/")[0]),
      line: leak.StartLine,
      columns: [leak.StartColumn, leak.EndColumn] as const,
      rule: leak.RuleID,
    }));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function isInstalled(path: string): Promise<boolean> {
  const places = path.split(delimiter).filter(isAbsolute);
  const found = await Promise.all(
    places.map((folder) => access(join(folder, "gitleaks"), constants.X_OK).then(yes, no)),
  );
  return found.includes(true);
}

const yes = (): boolean => true;
const no = (): boolean => false;

/** Its rules use file names, but neither a name nor a comment may exclude a file. */
async function writeCopy(dir: string, { path, text }: { path: string; text: string }): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const name = basename(path)
    .replace(/[^\w.-]/g, "_")
    .replace(/^\.gitleaks/i, "gitleaks")
    .slice(-100);
  await writeFile(join(dir, name === "" ? "file" : name), text.replaceAll(/gitleaks:allow/gi, "gitleaks-allow"), {
    mode: 0o600,
  });
}
