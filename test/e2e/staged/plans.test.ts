import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { exampleOf } from "../../../src/core/outcomes/outcome.ts";
import { openNight, type Night } from "../../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const DOCUMENT = exampleOf("plan_complete", "document");
const EXECUTION = exampleOf("plan_complete", "execution");

/** Runs a task of this pipeline whose agent reports this plan. */
function reportPlan(pipeline: string, reported: object) {
  return reportText(pipeline, JSON.stringify(reported));
}

async function reportText(pipeline: string, text: string) {
  night = await openNight({ agent: `cat > "$OUT" <<'END'\n${text}\nEND` });
  const task = await night.settled((await night.submit({ pipeline })).id);
  return { task, outcomes: (await night.runs(task.id)).map(({ outcome }) => outcome) };
}

describe("plan_complete", { timeout: 60_000 }, () => {
  it.each([
    ["feature", EXECUTION, '"plan" is missing'],
    ["staged", DOCUMENT, '"prompt" is missing'],
  ])("in %s is invalid with the plan format of another pipeline", async (pipeline, reported, problem) => {
    const { task, outcomes } = await reportPlan(pipeline, reported);
    expect(outcomes).toEqual(["invalid_output", "invalid_output"]);
    expect(task).toMatchObject({ status: "failed", outcome: "invalid_output", plan: null });
    expect(task.reason).toContain(problem);
  });

  it("in staged keeps tools and directories if the plan also contains a document", async () => {
    const { task, outcomes } = await reportPlan("staged", { ...DOCUMENT, ...EXECUTION });
    expect(outcomes).toEqual(["plan_complete"]);
    expect(task).toMatchObject({ status: "waiting", plan: { tools: ["Read", "Write"], directories: ["reports"] } });
    expect(task.plan).not.toHaveProperty("plan");
  });

  it("is accepted in a code fence with text around it", async () => {
    const fenced = ["Here is the plan:", "```json", JSON.stringify(EXECUTION, null, 2), "```", "Shall I go on?"].join(
      "\n",
    );
    const { task, outcomes } = await reportText("staged", fenced);
    expect(outcomes).toEqual(["plan_complete"]);
    expect(task).toMatchObject({ status: "waiting", plan: { directories: ["reports"] } });
  });

  it("in staged is made with a map of the project", async () => {
    const { task } = await reportPlan("staged", EXECUTION);
    const [planner] = (await night?.runs(task.id)) ?? [];
    const prompt = await readFile(join(night?.home ?? "", "runs", planner?.id ?? "", "prompt.md"), "utf8");
    expect(prompt).toContain("Files at the top:\n- greeting.txt\n- test.sh\n");
  });

  it("that is nonsense is asked for once more, and then fails the task", async () => {
    const { task, outcomes } = await reportText("staged", "```json\n{ the plan: TODO }\n```");
    expect(outcomes).toEqual(["invalid_output", "invalid_output"]);
    expect(task).toMatchObject({ status: "failed", outcome: "invalid_output", plan: null });
    expect(task.reason).toContain("The outcome file is not JSON");
  });
});
