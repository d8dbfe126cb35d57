/** What a person typed. Empty fields change nothing. */
export interface RetryForm {
  readonly from: string;
  readonly agent: string;
  readonly model: string;
  readonly minutes: string;
  readonly turns: string;
  readonly budget: string;
}

export const EMPTY_RETRY: RetryForm = { from: "", agent: "", model: "", minutes: "", turns: "", budget: "" };

export type RetryProblems = Readonly<Partial<Record<keyof RetryForm, string>>>;

const MINUTE_MS = 60_000;
const MAX_TURNS = 100_000;

export function readRetry({ from, agent, model, minutes, turns, budget }: RetryForm) {
  const time = readPositive(minutes);
  const count = readPositive(turns);
  const money = readPositive(budget);
  const problems: RetryProblems = {
    ...(Number.isNaN(time) && { minutes: "A number of minutes above 0." }),
    ...((Number.isNaN(count) || !Number.isInteger(count ?? 1) || (count ?? 1) > MAX_TURNS) && {
      turns: "A whole number from 1 to 100,000.",
    }),
    ...(Number.isNaN(money) && { budget: "An amount in dollars above 0." }),
  };
  return {
    problems,
    body: {
      from: textOrNull(from),
      agent: textOrNull(agent),
      model: textOrNull(model),
      timeout_ms: time === null ? null : Math.round(time * MINUTE_MS),
      max_turns: count,
      budget_usd: money,
    },
  };
}

function textOrNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

/** Null for no text, NaN for anything that is not a positive number. */
function readPositive(text: string): number | null {
  if (text.trim() === "") return null;
  const value = Number(text.trim().replace(/^\$/, ""));
  return Number.isFinite(value) && value > 0 ? value : Number.NaN;
}
