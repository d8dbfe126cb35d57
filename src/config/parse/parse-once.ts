const MOST_FILES = 100;

/**
 * Parses a file's text again only when the text has changed: settings and pipelines are asked for several times in
 * every run, and YAML takes milliseconds. What it gives must not be changed. A text that fails is parsed each time.
 */
export function parseOnce<T>(parse: (text: string, file: string) => T): (text: string, file: string) => T {
  const parsed = new Map<string, { readonly text: string; readonly result: T }>();
  return (text, file) => {
    const known = parsed.get(file);
    if (known?.text === text) return known.result;
    const result = parse(text, file);
    if (parsed.size >= MOST_FILES) parsed.clear();
    parsed.set(file, { text, result });
    return result;
  };
}
