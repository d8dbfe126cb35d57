/**
 * Measures the time that a command was actually running. It advances in small ticks. It does not advance while `isPaused`,
 * and a tick that took far too long (the machine was suspended, or this process was stopped) counts as a normal one.
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

const SUSPENDED_MS = 2_000;

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
    elapsed += took > tickMs + SUSPENDED_MS ? tickMs : took;
    onTick(elapsed);
  }, tickMs);
  return { elapsed: () => elapsed, stop: () => clearInterval(timer) };
}
