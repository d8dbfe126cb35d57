import { afterEach, beforeEach, expect, it } from "vitest";
import { sampleNotice } from "../testing/store/samples.ts";
import { taskSchema } from "./contract/task.ts";
import { BASE } from "./contract/route.ts";
import { type Harness, makeTask, NOW, openHarness, saveTask } from "./harness.suite.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});
afterEach(() => api.close());

it("API: a task has its notifications", async () => {
  const { task } = await saveTask(api.store, makeTask({ status: "running" }));
  const notices = [sampleNotice({ task: task.id, channel: "ntfy", at: NOW }), sampleNotice({ task: "task_other" })];
  await api.store.events.appendWithNotices({ events: [], notices });
  const response = await api.request("GET", `${BASE}/tasks/${task.id}`, {});
  const { notifications } = taskSchema.parse(await response.json());
  const pending = { status: "pending", sent_at: null, reason: null };
  expect(notifications).toEqual([{ channel: "ntfy", kind: "finished", at: new Date(NOW).toISOString(), ...pending }]);
});
