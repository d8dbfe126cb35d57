import { formatFullTime, formatTime } from "./format.ts";
import { useNow } from "./use-now.ts";

/** A time as people say it, with the full date as tooltip. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatFullTime(at)}>
      {formatTime(at, now)}
    </time>
  );
}
