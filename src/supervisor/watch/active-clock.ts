/**
 * Counts the time that a command was really running. It advances in small ticks: while `isPaused` it stands still, and
 * a tick that took far longer than asked (the machine slept, we were stopped) counts as an ordinary one.
 */
export interface ActiveClock {
  readonly elapsed: () => number;
  stop(): void;
}

interface ActiveClockParams {
  readonly tickMs: number;
  readonly isPaused: () => boolean;
  readonly onTick: (elapsed: number) => void;
  readonly now?: () => number;
}

const SLEPT_MS = 2_000;

export function startActiveClock({
  tickMs,
  isPaused,
  onTick,
  now = () => performance.now(),
}: ActiveClockParams): ActiveClock {
  let elapsed = 0;
  let last = now();
  const timer = setInterval(() => {
    const took = now() - last;
    last += took;
    if (isPaused()) return;
    elapsed += took > tickMs + SLEPT_MS ? tickMs : took;
    onTick(elapsed);
  }, tickMs);
  return { elapsed: () => elapsed, stop: () => clearInterval(timer) };
}
