const MAX_FILES = 100;

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/**
 * Caches the result of parsing a file until its text changes, because settings and pipelines are read several times in
 * every run and parsing YAML takes milliseconds. A failure is cached too, because an invalid file is read just as often.
 * Callers must not modify the result.
 */
export function parseOnce<T>(parse: (text: string, file: string) => T): (text: string, file: string) => T {
  const cache = new Map<string, { readonly text: string; readonly parsed: Parsed<T> }>();
  return (text, file) => {
    let known = cache.get(file);
    if (known?.text !== text) {
      if (cache.size >= MAX_FILES) cache.clear();
      known = { text, parsed: tryParse(() => parse(text, file)) };
      cache.set(file, known);
    }
    if (known.parsed.ok) return known.parsed.value;
    throw known.parsed.error;
  };
}

function tryParse<T>(parse: () => T): Parsed<T> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    return { ok: false, error };
  }
}
