/**
 * Whether two outputs of a failing command tell the same story. Durations, times, hashes, paths of trees and blanks
 * differ from one run to the next without meaning anything; counts do mean something.
 */
export function saysTheSame(one: string, other: string): boolean {
  return gist(one) === gist(other);
}

function gist(output: string): string {
  return output
    .replaceAll(/\/\S*\/workspaces\/[^/\s]+\/[^/\s]+/g, "")
    .replaceAll(/\b[0-9a-f]{7,64}\b/gi, "#")
    .replaceAll(/\d{4}-\d\d-\d\d|\d{1,2}:\d\d(:\d\d)?([.,]\d+)?/g, "#")
    .replaceAll(/\d+([.,]\d+)?\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b/gi, "#")
    .replaceAll(/\d+\.\d+/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim();
}
