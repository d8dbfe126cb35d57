import { afterAll, beforeAll, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { isSettled } from "../../src/cli/wait/wait-for-task.ts";
import { createDemoUser, type DemoUser } from "./support/demo-user.ts";

let user: DemoUser;

beforeAll(async () => {
  user = await createDemoUser();
});

afterAll(async () => {
  await user.cleanUp();
});

/** Waits until the task has ended or waits for a person in another state than before. */
async function settle({ id, state }: TaskJson): Promise<TaskJson> {
  let found: TaskJson | null = null;
  await expect
    .poll(
      async () => {
        found = await user.client.call("GET /tasks/:id", { params: { id } });
        return isSettled(found) && found.state !== state;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  if (found === null) throw new Error("the task was not read");
  return found;
}

it("the plan of the feature can be revised, approved and implemented, and its change be merged", async () => {
  const { feature } = user.tasks;
  const params = { id: feature.id };
  await user.client.call("POST /tasks/:id/revise", { params, body: { feedback: "Name the discount in the README." } });
  await expect
    .poll(async () => (await user.client.call("GET /tasks/:id", { params })).plan_hash, { timeout: 60_000 })
    .not.toBe(feature.plan_hash);
  await expect
    .poll(async () => (await user.client.call("GET /tasks/:id", { params })).status, { timeout: 60_000 })
    .toBe("waiting");
  const { plan_hash } = await user.client.call("GET /tasks/:id", { params });
  await user.client.call("POST /tasks/:id/approve", { params, body: { plan_hash } });
  expect(await settle(feature)).toMatchObject({ status: "waiting", state: "merging" });
  await user.client.call("POST /tasks/:id/merge", { params, body: {} });
  expect(await settle({ ...feature, state: "merging" })).toMatchObject({ outcome: "merged" });
});

it("the questions can be answered, and the change is published", async () => {
  const { questions } = user.tasks;
  const answers = { format: "07:00–19:00", holidays: "no" };
  await user.client.call("POST /tasks/:id/answer", { params: { id: questions.id }, body: { answers } });
  expect(await settle(questions)).toMatchObject({ status: "succeeded", outcome: "published" });
});

it("one of the fixes can be chosen, and is implemented with tests", async () => {
  const { choice } = user.tasks;
  const body = { option: "fail", then: "implement" as const };
  await user.client.call("POST /tasks/:id/choose", { params: { id: choice.id }, body });
  expect(await settle(choice)).toMatchObject({ status: "waiting", state: "merging" });
});

it("the plan of the request can be approved, and is carried out", async () => {
  const { approval } = user.tasks;
  const body = { plan_hash: approval.plan_hash };
  await user.client.call("POST /tasks/:id/approve", { params: { id: approval.id }, body });
  expect(await settle(approval)).toMatchObject({ status: "succeeded", outcome: "completed" });
});
