import { cleanedViews, openEnd } from "./cleaned-views.ts";
import { percentViews, unwrappedViews, type DecodedView } from "./decoded-views.ts";
import { createFormFinder, type FormFinder, type Span } from "./find-forms.ts";
import { secretForms, type Secret } from "./secret-forms.ts";

export type { Span } from "./find-forms.ts";

export interface SecretMatcher {
  /** Returns the positions of secrets in order, without overlaps. */
  find(text: string): readonly Span[];
  /** Returns where a secret may start that continues in the following text, or the text's length. */
  undecidedFrom(text: string): number;
  /** Removes what a terminal does not show from the beginning of a secret that is cut off by the end of the text. */
  compact(text: string): string;
}

/** How many preceding characters can matter for a match: one line of an encoder. */
export const LOOK_BEHIND = 80;

/** `bytes`: texts have one character per byte (`latin1`). */
export function createSecretMatcher(secrets: readonly Secret[], alphabet: "text" | "bytes"): SecretMatcher {
  const { all, plain, wrapped } = secretForms(secrets, alphabet);
  const asIs = createFormFinder(all);
  const percent = createFormFinder(plain);
  const unwrapped = createFormFinder(wrapped);
  const cleaned = alphabet === "text" ? asIs : createFormFinder(secretForms(secrets, "text").all);
  if (all.length === 0) return { find: () => [], undecidedFrom: (text) => text.length, compact: (text) => text };

  const isRelevant = (each: string): boolean => cleaned.cutOff(each) < each.length;
  const cutOffViews = (text: string): readonly DecodedView[] =>
    cleanedViews(text, { alphabet, isOpen: true, isRelevant });

  return {
    find(text) {
      const spans = [
        ...asIs.find(text),
        ...percentViews(text, percent.longest).flatMap((view) => findIn(view, percent)),
        ...unwrappedViews(text, unwrapped.longest).flatMap((view) => findIn(view, unwrapped)),
        ...cleanedViews(text, {
          alphabet,
          isOpen: false,
          isRelevant: (each) => cleaned.find(each).length > 0,
        }).flatMap((view) => findIn(view, cleaned)),
      ];
      return spans.length < 2 ? spans : merge(spans);
    },
    undecidedFrom(text) {
      // Each character may be written as three, and there may be a line break after every sixtieth.
      const reach = Math.max(asIs.longest, percent.longest * 3, Math.ceil(unwrapped.longest * 1.1));
      const near = text.slice(-(reach + LOOK_BEHIND));
      const offset = text.length - near.length;
      // An escape or a line break that is cut off may be part of a secret.
      const escaped = near.replace(/%[\dA-Fa-f]?$/, "");
      const broken = near.replace(/(?:\r|\\(?:r\\?)?)$/, "");
      // The character that it stands for may be the first one of a secret.
      const openEscape = near.length - (/\\(?:u[\da-f]{0,3})?$/i.exec(near)?.[0].length ?? 0);
      const places = [
        openEscape,
        asIs.cutOff(near),
        percent.cutOff(escaped),
        unwrapped.cutOff(broken),
        ...percentViews(escaped, percent.longest).map((view) => cutOffIn(view, percent, escaped)),
        ...unwrappedViews(broken, unwrapped.longest).map((view) => cutOffIn(view, unwrapped, broken)),
      ];
      // Any number of invisible characters may be inside a secret, so these views have the whole text.
      const hidden = cutOffViews(text).map((view) => cutOffIn(view, cleaned, text));
      return Math.min(offset + Math.min(...places), ...hidden);
    },
    compact(text) {
      const [shortest] = cutOffViews(text).toSorted(
        (one, other) => cutOffIn(one, cleaned, text) - cutOffIn(other, cleaned, text),
      );
      if (shortest === undefined) return text;
      const kept = shortest.text.split("").map((_, at) => text.slice(shortest.starts[at], shortest.ends[at]));
      return kept.join("") + openEnd(text);
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

/** Only a view that reaches the end of the text can be cut off. */
function cutOffIn(view: DecodedView, finder: FormFinder, text: string): number {
  if (view.end !== text.length) return text.length;
  const at = finder.cutOff(view.text);
  return at === view.text.length ? text.length : (view.starts[at] ?? 0);
}

/** Merges overlapping spans, with the name of the longest. */
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
