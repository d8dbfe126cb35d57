import { limitsAt, type BudgetLimit, type UsedLimit } from "../../core/money/budget.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";

type Needed = Pick<EnginePorts, "store" | "projects" | "clock" | "log">;

/** What of tonight's and this month's limits is gone. `project`: only those that hold for this one. */
export async function listBudgets(ports: Needed, project: string | null): Promise<readonly UsedLimit[]> {
  const projects = await ports.store.projects.listProjects();
  const asked = projects.filter(({ name }) => project === null || name === project);
  const limits = (await Promise.all(asked.map((each) => limitsOf(ports, each)))).flat();
  // Those of all projects come with each of them.
  const once = new Map(limits.map((limit) => [`${limit.window} ${limit.project ?? ""}`, limit]));
  return ports.store.money.listUse([...once.values()].toSorted(compare));
}

/** A project whose files cannot be read has said so elsewhere. */
async function limitsOf(ports: Needed, project: Project): Promise<readonly BudgetLimit[]> {
  try {
    const settings = await ports.projects.lastGood(project);
    return limitsAt({ ...settings, project: project.name, at: ports.clock.now() });
  } catch (error) {
    ports.log.warn("the limits of a project cannot be read", { project: project.name, error: String(error) });
    return [];
  }
}

/** All projects first, then by name; the night before the month. */
function compare(a: BudgetLimit, b: BudgetLimit): number {
  const [of, other] = [a.project ?? "", b.project ?? ""];
  if (of !== other) return of < other ? -1 : 1;
  return a.window === b.window ? 0 : a.window === "night" ? -1 : 1;
}
