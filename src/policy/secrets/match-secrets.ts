import { percentViews, unwrappedViews, type DecodedView } from "./decoded-views.ts";
import { createFormFinder, type FormFinder, type Span } from "./find-forms.ts";
import { secretForms, type Secret } from "./secret-forms.ts";

export type { Span } from "./find-forms.ts";

export interface SecretMatcher {
  /** Where secrets stand, in order, none overlapping another. */
  find(text: string): readonly Span[];
  /** From here on the text may be the beginning of a secret that goes on in what follows; its length where it is not. */
  undecidedFrom(text: string): number;
}

/** How much of what stands before a place can matter for whether a secret begins there: a line of an encoder's. */
export const LOOK_BEHIND = 80;

/** `bytes`: texts hold one character for each byte, as `latin1` decodes them. */
export function createSecretMatcher(secrets: readonly Secret[], alphabet: "text" | "bytes"): SecretMatcher {
  const { all, plain, wrapped } = secretForms(secrets, alphabet);
  const asIs = createFormFinder(all);
  const percent = createFormFinder(plain);
  const unwrapped = createFormFinder(wrapped);
  if (all.length === 0) return { find: () => [], undecidedFrom: (text) => text.length };

  return {
    find(text) {
      const spans = [
        ...asIs.find(text),
        ...percentViews(text, percent.longest).flatMap((view) => findIn(view, percent)),
        ...unwrappedViews(text, unwrapped.longest).flatMap((view) => findIn(view, unwrapped)),
      ];
      return spans.length < 2 ? spans : merge(spans);
    },
    undecidedFrom(text) {
      // Every character may have been written as three; a line break stands after every sixtieth at most.
      const reach = Math.max(asIs.longest, percent.longest * 3, Math.ceil(unwrapped.longest * 1.1));
      const near = text.slice(-(reach + LOOK_BEHIND));
      const offset = text.length - near.length;
      // An escape or a line break that is cut off may be one within a secret.
      const escaped = near.replace(/%[\dA-Fa-f]?$/, "");
      const broken = near.replace(/(?:\r|\\(?:r\\?)?)$/, "");
      const places = [
        asIs.cutOff(near),
        percent.cutOff(escaped),
        unwrapped.cutOff(broken),
        ...percentViews(escaped, percent.longest).map((view) => cutOffIn(view, percent, escaped)),
        ...unwrappedViews(broken, unwrapped.longest).map((view) => cutOffIn(view, unwrapped, broken)),
      ];
      return offset + Math.min(...places);
    },
  };
}

function findIn(view: DecodedView, finder: FormFinder): readonly Span[] {
  return finder.find(view.text).map(({ start, end, name }) => ({
    start: view.starts[start] ?? 0,
    end: view.ends[end - 1] ?? 0,
    name,
  }));
}

/** Only a view that goes to the end of the text can be cut off by it. */
function cutOffIn(view: DecodedView, finder: FormFinder, text: string): number {
  if (view.end !== text.length) return text.length;
  const at = finder.cutOff(view.text);
  return at === view.text.length ? text.length : (view.starts[at] ?? 0);
}

/** What overlaps becomes one, under the name of the longest. */
function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  let longest = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    const length = span.end - span.start;
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      longest = length;
      continue;
    }
    merged[merged.length - 1] = {
      start: last.start,
      end: Math.max(last.end, span.end),
      name: length > longest ? span.name : last.name,
    };
    longest = Math.max(longest, length);
  }
  return merged;
}
