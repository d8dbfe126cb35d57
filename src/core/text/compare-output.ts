/**
 * Whether two outputs of a failing command are equivalent. Ignores durations, times, hashes, workspace paths and whitespace,
 * which differ between runs. Counts are compared.
 */
export function isSameOutput(one: string, other: string): boolean {
  return normalizeOutput(one) === normalizeOutput(other);
}

function normalizeOutput(output: string): string {
  return output
    .replaceAll(/\/\S*\/workspaces\/[^/\s]+\/[^/\s]+/g, "")
    .replaceAll(/\b[0-9a-f]{7,64}\b/gi, "#")
    .replaceAll(/\d{4}-\d\d-\d\d|\d{1,2}:\d\d(:\d\d)?([.,]\d+)?/g, "#")
    .replaceAll(/\d+([.,]\d+)?\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b/gi, "#")
    .replaceAll(/\d+\.\d+/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim();
}
