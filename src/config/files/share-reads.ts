/**
 * Lets calls with the same arguments that come at the same time share one read. A call never gets a read that started before it, so it always sees
 * what was written before the call.
 */
export function shareReads<A extends readonly unknown[], T>(read: (...args: A) => Promise<T>): typeof read {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<T>>();

  function start(key: string, args: A): Promise<T> {
    const reading = read(...args);
    running.set(
      key,
      reading.catch(() => undefined).then(() => running.delete(key)),
    );
    return reading;
  }

  return (...args) => {
    const key = JSON.stringify(args);
    const current = running.get(key);
    if (current === undefined) return start(key, args);
    const next =
      waiting.get(key) ??
      current.then(() => {
        waiting.delete(key);
        return start(key, args);
      });
    waiting.set(key, next);
    return next;
  };
}
