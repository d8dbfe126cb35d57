/** The fields of a plan as a person types them: lists have one entry per line. */
export interface PlanDraft {
  readonly prompt: string;
  readonly system_prompt: string;
  readonly tools: string;
  readonly directories: string;
  readonly added_directories: string;
  /** Null: every program that the project allows. */
  readonly commands: string | null;
  readonly network: string;
  readonly needs_git: boolean;
  readonly minutes: string;
  readonly usd: string;
}

type Content = Readonly<Record<string, unknown>>;

export function toDraft(content: Content): PlanDraft {
  const limits = (content["limits"] ?? {}) as Content;
  return {
    prompt: text(content["prompt"]),
    system_prompt: text(content["system_prompt"]),
    tools: joined(content["tools"]),
    directories: joined(content["directories"]),
    added_directories: joined(content["added_directories"]),
    commands: Array.isArray(content["commands"]) ? joined(content["commands"]) : null,
    network: joined(content["network"]),
    needs_git: content["needs_git"] === true,
    minutes: text(limits["minutes"]),
    usd: text(limits["usd"]),
  };
}

/** What the engine wrote about the plan. It examines the edited plan again. */
const ABOUT_THE_PLAN: ReadonlySet<string> = new Set(["problems", "approval_reasons", "past_estimates"]);

/** The plan with the edited fields. Everything else stays as the agent wrote it. */
export function toPlan(content: Content, draft: PlanDraft): Content {
  const rest = Object.fromEntries(Object.entries(content).filter(([name]) => !ABOUT_THE_PLAN.has(name)));
  const added = split(draft.added_directories);
  const minutes = Number(draft.minutes);
  const usd = Number(draft.usd);
  const limits = {
    ...(draft.minutes.trim() !== "" && { minutes }),
    ...(draft.usd.trim() !== "" && { usd }),
  };
  return {
    ...rest,
    prompt: draft.prompt,
    system_prompt: draft.system_prompt,
    tools: split(draft.tools),
    directories: split(draft.directories),
    added_directories: added.length === 0 ? undefined : added,
    commands: draft.commands === null ? undefined : split(draft.commands),
    network: split(draft.network),
    needs_git: draft.needs_git,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
  };
}

/** What is wrong with a field, by its name. The engine checks the rest. */
export function draftProblems({ prompt, minutes, usd }: PlanDraft): Readonly<Partial<Record<keyof PlanDraft, string>>> {
  return {
    ...(prompt.trim() === "" && { prompt: "The prompt is empty. The agent needs to know what to do." }),
    ...(!isAmount(minutes, 1) && { minutes: "At least 1, or empty for the limit of the project." }),
    ...(!isAmount(usd, 0.000_001) && { usd: "More than 0, or empty for the limit of the project." }),
  };
}

function isAmount(value: string, least: number): boolean {
  return value.trim() === "" || Number(value) >= least;
}

function split(value: string): readonly string[] {
  return value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function joined(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join("\n") : "";
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
