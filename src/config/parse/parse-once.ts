const MAX_FILES = 100;

/**
 * Caches the result of parsing a file until its text changes, because settings and pipelines are read several times in
 * every run and parsing YAML takes milliseconds. Callers must not modify the result. Failures are not cached.
 */
export function parseOnce<T>(parse: (text: string, file: string) => T): (text: string, file: string) => T {
  const parsed = new Map<string, { readonly text: string; readonly result: T }>();
  return (text, file) => {
    const known = parsed.get(file);
    if (known?.text === text) return known.result;
    const result = parse(text, file);
    if (parsed.size >= MAX_FILES) parsed.clear();
    parsed.set(file, { text, result });
    return result;
  };
}
