import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openNight, type Night } from "../support/night.ts";

const NAME = "SHOP_DEPLOY_LOGIN";
const SECRET = ["planted", "value/9f+2", "of", "the", "test"].join("~");
const ENCODED = [
  SECRET,
  Buffer.from(SECRET).toString("base64"),
  Buffer.from(SECRET).toString("hex"),
  encodeURIComponent(SECRET),
];

let night: Night | null = null;
beforeEach(() => {
  process.env[NAME] = SECRET;
});
afterEach(async () => {
  delete process.env[NAME];
  await night?.close();
  night = null;
});

/** Returns all files except git's, because the project's own files are not redacted. */
function filesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(?:mirrors|workspaces)\//.test(file));
}

describe("redaction: granted secret", () => {
  it("is in no file that the task leaves on disk, whatever the agent and the checks print and report", async () => {
    night = await openNight({
      settings: `secrets: { ${NAME}: { roles: [implement] } }\nchecks:\n  test: { command: 'cat greeting.txt; cat greeting.txt >&2; grep -q hello greeting.txt' }\n`,
      agent: [
        `S=$${NAME}`,
        'printf "%s\\n" "out $S"; printf "%s\\n" "err $S" >&2; printf "%s" "$S" | base64; printf "%s" "$S" | od -An -tx1 | tr -d " \\n"',
        'printf "%s" "$S" | head -c 9; sleep 0.2; printf "%s\\n" "$S" | tail -c +10',
        '[ "$N" = 1 ] && echo "$S" > greeting.txt || echo hello > greeting.txt; echo "$N" > try.txt',
        'done_with "used $S to deploy"',
      ].join("\n"),
    });
    const task = await night.settled((await night.submit({ description: `Deploy with ${SECRET}, please` })).id);
    expect(task.status).toBe("succeeded");
    // The surrounding text is there, so it was printed and reported, and then redacted.
    const files = filesBelow(night.home).map((file) => ({ file, bytes: readFileSync(file) }));
    const transcripts = files
      .filter(({ file }) => file.endsWith("transcript.jsonl"))
      .map(({ bytes }) => bytes.toString());
    expect(transcripts.join("")).toContain(`out [redacted: ${NAME}]`);
    expect(transcripts.join("")).toContain(`err [redacted: ${NAME}]`);
    expect(JSON.stringify(await night.runs(task.id))).toContain(`used [redacted: ${NAME}] to deploy`);
    expect(task.description).toBe(`Deploy with [redacted: ${NAME}], please`);
    expect(files.filter(({ bytes }) => ENCODED.some((form) => bytes.includes(form))).map(({ file }) => file)).toEqual(
      [],
    );
    expect(night.notices.join("")).not.toContain(SECRET);
  });
});
