import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNoControl } from "./attack.ts";
import { loadTopic, TOPICS } from "./topics.ts";
import { openKit, runTopic, USERS } from "./users.ts";
import type { Kit, TopicResults } from "./users.ts";

const TIMEOUT_MS = 240_000;
const CONCURRENCY = 3;

const tables = await Promise.all(TOPICS.map(async (topic) => ({ topic, attacks: await loadTopic(topic) })));

/** One test per row and user: the sandbox prevents the attack, and without it the same attack succeeds. */
describe.skipIf(process.platform !== "linux")("attacks", () => {
  let kit: Kit;
  const results = new Map<string, TopicResults>();

  beforeAll(async () => {
    kit = openKit();
    const waiting = TOPICS.flatMap((topic) => USERS.map((user) => ({ topic, user })));
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { topic, user } = next;
        results.set(`${topic} ${user}`, await runTopic(kit, topic, user));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }, TIMEOUT_MS);
  afterAll(() => kit.remove());

  describe.each(tables)("$topic", ({ topic, attacks }) => {
    describe.each(USERS)("as %s", (user) => {
      for (const { name, control, open } of attacks.filter(({ only }) => only === undefined || only === user)) {
        const isOpen = open?.as.includes(user) === true;
        const remark = isOpen ? ` (known gap: ${open.because})` : "";
        test(`an agent ${isOpen ? "can" : "cannot"} ${name}${remark}`, ({ skip }) => {
          const row = results.get(`${topic} ${user}`)?.[name];
          expect(row?.guarded).toEqual({ outcome: isOpen ? "worked" : "stopped", detail: row?.guarded.detail });
          if (hasNoControl(control)) return;
          if (typeof control === "object" && control.only !== user) return;
          skip(row?.control?.outcome === "absent", `not available on this machine: ${row?.control?.detail}`);
          expect(row?.control).toEqual({ outcome: "worked", detail: row?.control?.detail });
        });
      }
    });
  });
});
