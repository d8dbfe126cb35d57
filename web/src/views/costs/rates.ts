import { rate } from "../../../../src/core/quality/quality.ts";

/** "91 %". Null below the number from which a rate means something. */
export function formatRate(part: number, whole: number): string | null {
  return percent(rate(part, whole));
}

export function percent(share: number | null): string | null {
  return share === null ? null : `${Math.round(share * 100)} %`;
}

/** "214.6 M", "31 k", "812". */
export function formatTokens(count: number): string {
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  return count >= 1e4 ? `${Math.round(count / 1e3)} k` : count.toLocaleString("en-US");
}
