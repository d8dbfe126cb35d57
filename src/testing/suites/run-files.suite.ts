import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { PlacedLine, RunFiles, RunPaths } from "../../ports/run-files.ts";

const line = (text: string) => ({ at: 1, from: "stdout", command: "agent", text }) as const;

export function testRunFiles(create: (home: string) => RunFiles): void {
  describe("run files", () => {
    let home: string;
    let files: RunFiles;
    let paths: RunPaths;
    const read = () => files.readOutcome("run_1");
    const write = (text: string | Buffer): void => writeFileSync(paths.outcomeFile, text);
    const append = (...texts: readonly string[]): void =>
      appendFileSync(
        join(paths.dir, "transcript.jsonl"),
        texts.map((text) => `${JSON.stringify(line(text))}\n`).join(""),
      );

    beforeEach(async () => {
      home = mkdtempSync(join(tmpdir(), "nightshift-runs-"));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      files = create(home);
      paths = await files.prepare({ run: "run_1", task: "task_1", role: "implement" });
    });

    test("prepare creates private directories, can be repeated, and ignores leftovers of a run", async () => {
      expect(paths.dir).toBe(files.dir("run_1"));
      for (const dir of [paths.dir, paths.outcomeDir, paths.home, paths.tmp])
        expect(statSync(dir).mode & 0o777, dir).toBe(0o700);
      rmSync(paths.home, { recursive: true });
      symlinkSync("/etc", paths.home);
      chmodSync(paths.tmp, 0);
      expect(await files.prepare({ run: "run_1", task: "task_1", role: "implement" })).toEqual(paths);
      expect(existsSync(join(paths.home, "passwd"))).toBe(false);
      expect(statSync(paths.tmp).mode & 0o777).toBe(0o700);
    });

    test("an agent's home belongs to its task and role, not to the run", async () => {
      const again = await files.prepare({ run: "run_2", task: "task_1", role: "implement" });
      const other = await files.prepare({ run: "run_2", task: "task_1", role: "review" });
      expect(again.home).toBe(paths.home);
      expect(other.home).not.toBe(paths.home);
      expect(again.outcomeFile).not.toBe(paths.outcomeFile);
    });

    test("a part of a run has its own files, and a name cannot leave the home", async () => {
      const part = await files.prepare({ run: "run_1/baseline", task: "task_1", role: null });
      expect(part.dir).toBe(join(paths.dir, "baseline"));
      expect(() => files.dir("../outside")).toThrow(/is not a valid name/);
      await expect(files.prepare({ run: "run_1", task: "a/..", role: null })).rejects.toThrow(/is not a valid name/);
    });

    test("the prompt is readable for its owner only", async () => {
      expect(await files.readPrompt("run_1")).toBeNull();
      await files.writePrompt("run_1", "first");
      await files.writePrompt("run_1", "do it\n");
      expect(readFileSync(paths.promptFile, "utf8")).toBe("do it\n");
      expect(statSync(paths.promptFile).mode & 0o777).toBe(0o600);
    });

    describe("an outcome file", () => {
      test("is its object, or missing", async () => {
        expect(await read()).toEqual({ kind: "missing" });
        write('\ufeff{"outcome": "implemented", "summary": "ä"}\n');
        expect(await read()).toEqual({ kind: "value", value: { outcome: "implemented", summary: "ä" } });
      });

      test.each([
        ["nothing", "", /is empty/],
        ["no JSON", "I am done \u001b[31m", /is not JSON: [^\u001b]*$/],
        ["a list", "[1]", /contains a list/],
        ["null", "null", /contains null/],
        ["a string", '"done"', /contains a string/],
        ["a prototype", '{"a": [{"__proto__": {"admin": true}}]}', /__proto__/],
        ["a bomb of brackets", `{"a": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`, /levels deep/],
        ["an unfinished bomb", `{"a": "${'\\"['.repeat(200_000)}`, /is not JSON/],
        ["too much", JSON.stringify({ a: "x".repeat(1024 * 1024) }), /larger than 1048576 bytes/],
      ])("with %s is invalid, with an explanation", async (_, text, problem) => {
        write(text);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(problem) });
      });

      test("with bytes that are not text is invalid", async () => {
        write(Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]));
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/not UTF-8/) });
      });

      test("of 50 GB without content is rejected immediately", async () => {
        write("{}");
        truncateSync(paths.outcomeFile, 50 * 2 ** 30);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/larger/) });
      });

      test("that is a link reveals nothing of its target", async () => {
        const secret = join(home, "secret.json");
        writeFileSync(secret, '{"token": 1}');
        symlinkSync(secret, paths.outcomeFile);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/symbolic link/) });
        rmSync(paths.outcomeFile);
        linkSync(secret, paths.outcomeFile);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/hard link/) });
      });

      test("reported by the tool is a separate file, read with the same checks", async () => {
        write('{"outcome": "implemented", "summary": "by hand"}');
        expect(await files.readReport("run_1")).toEqual({ kind: "missing" });
        writeFileSync(paths.reportFile, '{"outcome": "implemented", "summary": "by the tool"}');
        expect(await files.readReport("run_1")).toMatchObject({ kind: "value", value: { summary: "by the tool" } });
        expect(await read()).toMatchObject({ kind: "value", value: { summary: "by hand" } });
        rmSync(paths.reportFile);
        symlinkSync(paths.outcomeFile, paths.reportFile);
        expect(await files.readReport("run_1")).toEqual({
          kind: "invalid",
          problem: expect.stringMatching(/symbolic link/),
        });
      });

      test("in a directory that is a link reveals nothing of its target", async () => {
        renameSync(paths.outcomeDir, join(home, "elsewhere"));
        writeFileSync(join(home, "elsewhere/outcome.json"), '{"token": 1}');
        symlinkSync(join(home, "elsewhere"), paths.outcomeDir);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/replaced by a link/) });
      });

      test("that is a pipe or a directory does not block", async () => {
        execFileSync("mkfifo", [paths.outcomeFile]);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/not a regular file/) });
        rmSync(paths.outcomeFile);
        mkdirSync(paths.outcomeFile);
        expect(await read()).toEqual({ kind: "invalid", problem: expect.stringMatching(/not a regular file/) });
      });
    });

    test("what the engine stores can be read again", async () => {
      expect(await files.readDiff("run_1")).toBeNull();
      await files.keepDiff("run_1", "--- a\n+++ b\n");
      await files.keepOutcome("run_1", { outcome: "implemented" });
      expect(await files.readDiff("run_1")).toBe("--- a\n+++ b\n");
      expect(JSON.parse(readFileSync(join(paths.dir, "outcome.json"), "utf8"))).toEqual({ outcome: "implemented" });
    });

    describe("the transcript", () => {
      test("is read in pages of complete lines", async () => {
        const none = { lines: [], start: 0, next: 0, size: 0 };
        expect(await files.readTranscript("run_1", 0, 100)).toEqual(none);
        expect(await files.readTranscriptBefore("run_1", 100, 100)).toEqual(none);
        append("ä", "b", "c");
        const seen: string[] = [];
        for (let offset = 0, before = -1; offset > before;) {
          const page = await files.readTranscript("run_1", offset, 80);
          seen.push(...page.lines.map(({ text }) => text));
          [before, offset] = [offset, page.next];
        }
        expect(seen).toEqual(["ä", "b", "c"]);
      });

      test("is read backwards in the same lines, each with its offset", async () => {
        const texts = ["ä", "x".repeat(5000), "", "b", "y".repeat(200), "c"];
        append(...texts);
        appendFileSync(join(paths.dir, "transcript.jsonl"), '{"at":1');
        const whole = await files.readTranscript("run_1", 0, 1_000_000);
        expect(whole.lines.map(({ text }) => text)).toEqual(texts);
        for (const maxBytes of [1, 60, 130, 100_000]) {
          const seen: PlacedLine[] = [];
          for (let before = Number.MAX_SAFE_INTEGER, last = -1; before !== last;) {
            const page = await files.readTranscriptBefore("run_1", before, maxBytes);
            expect(page.next).toBe(seen[0]?.offset ?? whole.next);
            seen.unshift(...page.lines);
            [last, before] = [before, page.start];
          }
          expect(seen).toEqual(whole.lines);
        }
        const [, second] = whole.lines;
        const again = await files.readTranscript("run_1", second?.offset ?? -1, 100);
        expect(again.lines).toEqual([second]);
        expect(again.size).toBeGreaterThan(whole.next);
      });

      test("is read up to the last complete line, and skips lines that are invalid or longer than a page", async () => {
        append("x".repeat(5000));
        appendFileSync(join(paths.dir, "transcript.jsonl"), '{"at":1,"fr\n{"at":"no line"}\n');
        append("b");
        appendFileSync(join(paths.dir, "transcript.jsonl"), '{"at":1');
        const first = await files.readTranscript("run_1", 0, 100);
        expect(first.lines).toMatchObject([line("x".repeat(5000))]);
        const second = await files.readTranscript("run_1", first.next, 1000);
        expect(second.lines).toMatchObject([line("b")]);
        expect(await files.readTranscript("run_1", second.next, 1000)).toMatchObject({ lines: [], next: second.next });
      });
    });

    test("the tail of a log is text without control characters", async () => {
      mkdirSync(join(paths.dir, "checks"));
      const log = join(paths.dir, "checks/lint.log");
      writeFileSync(
        log,
        "\u001b[1;31mred\u001b[0m \u001b]0;title\u0007bell\u0007\r\n50%\r100%\n\u202eevil\u0000\tend ä",
      );
      expect(await files.readLogTail("run_1", "checks/lint.log", 1000)).toBe("red bell\n50%\n100%\nevil\tend ä");
      expect(await files.readLogTail("run_1", "checks/lint.log", 5)).toBe("nd ä");
      writeFileSync(log, "ääää");
      expect(await files.readLogTail("run_1", "checks/lint.log", 3)).toBe("ä");
      expect(await files.readLogTail("run_1", "checks/none.log", 3)).toBe("");
      writeFileSync(log, "first run, second run");
      expect(await files.readLogTail("run_1", "checks/lint.log", 3, { end: 9 })).toBe("run");
      expect(await files.readLogTail("run_1", "checks/lint.log", 100, { end: 9 })).toBe("first run");
      expect(await files.readLogTail("run_1", "checks/lint.log", 100, { start: 11 })).toBe("second run");
      expect(await files.readLogTail("run_1", "checks/lint.log", 3, { start: 11 })).toBe("run");
      await expect(files.readLogTail("run_1", "../run_2/x.log", 3)).rejects.toThrow(/outside/);
    });

    test("a log is read part by part as it was printed, without cutting a character", async () => {
      mkdirSync(join(paths.dir, "checks"));
      writeFileSync(join(paths.dir, "checks/lint.log"), "\u001b[31mä\u001b[0mb");
      expect(await files.readLog("run_1", "checks/lint.log", 1000)).toEqual({
        text: "\u001b[31mä\u001b[0mb",
        start: 0,
        size: 12,
      });
      const last = await files.readLog("run_1", "checks/lint.log", 6);
      expect(last).toEqual({ text: "\u001b[0mb", start: 7, size: 12 });
      expect(await files.readLog("run_1", "checks/lint.log", 1000, last?.start)).toMatchObject({
        text: "\u001b[31mä",
        start: 0,
      });
      expect(await files.readLog("run_1", "checks/none.log", 3)).toBeNull();
      await expect(files.readLog("run_1", "../run_2/x.log", 3)).rejects.toThrow(/outside/);
    });

    test("cleanRun keeps what people read, cleanTask removes homes, and removeRun removes everything", async () => {
      const locked = join(paths.tmp, "locked", "deep");
      mkdirSync(locked, { recursive: true });
      writeFileSync(join(home, "outside"), "stays");
      symlinkSync(home, join(locked, "link"));
      chmodSync(join(paths.tmp, "locked"), 0);
      await files.writePrompt("run_1", "prompt");
      writeFileSync(join(paths.dir, ".prompt.md.new"), "by a writer that died");
      await files.cleanRun("run_1");
      expect(readdirSync(paths.dir)).toEqual(["prompt.md"]);
      await files.cleanRun("run_none");
      expect([existsSync(paths.tmp), existsSync(paths.outcomeDir), existsSync(paths.promptFile)]).toEqual([
        false,
        false,
        true,
      ]);
      await files.cleanTask("task_1");
      expect(existsSync(paths.home)).toBe(false);
      await files.removeRun("run_1");
      await files.removeRun("run_1");
      expect([existsSync(paths.dir), readFileSync(join(home, "outside"), "utf8")]).toEqual([false, "stays"]);
    });

    test("freeBytes returns the free disk space", async () => {
      expect(await files.freeBytes()).toBeGreaterThan(0);
    });
  });
}
