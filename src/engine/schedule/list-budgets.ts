import { limitsAt, type BudgetLimit, type UsedLimit } from "../../core/money/budget.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";

type BudgetPorts = Pick<EnginePorts, "store" | "projects" | "clock" | "log">;

/** How much of tonight's and this month's limits is used. With `project`, only the limits that apply to it. */
export async function listBudgets(ports: BudgetPorts, project: string | null): Promise<readonly UsedLimit[]> {
  const projects = await ports.store.projects.listProjects();
  const selected = projects.filter(({ name }) => project === null || name === project);
  const limits = (await Promise.all(selected.map((each) => limitsOf(ports, each)))).flat();
  // The shared limits are returned for each project.
  const unique = new Map(limits.map((limit) => [`${limit.window} ${limit.project ?? ""}`, limit]));
  return ports.store.money.listUse([...unique.values()].toSorted(compare));
}

/** Skips a project whose files cannot be read. The daemon reports them separately. */
async function limitsOf(ports: BudgetPorts, project: Project): Promise<readonly BudgetLimit[]> {
  try {
    const settings = await ports.projects.lastGood(project);
    return limitsAt({ ...settings, project: project.name, at: ports.clock.now() });
  } catch (error) {
    ports.log.warn("the budget limits of a project cannot be read", { project: project.name, error: String(error) });
    return [];
  }
}

/** All projects first, then by name; the night before the month. */
function compare(a: BudgetLimit, b: BudgetLimit): number {
  const [left, right] = [a.project ?? "", b.project ?? ""];
  if (left !== right) return left < right ? -1 : 1;
  return a.window === b.window ? 0 : a.window === "night" ? -1 : 1;
}
