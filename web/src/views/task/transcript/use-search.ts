import { useEffect, useState } from "react";
import { api } from "../../../api/client.ts";

/** While the run continues. */
const AGAIN_MS = 2000;
const MAX_MATCHES = 10_000;

export interface Search {
  /** Byte offsets of the lines that match. */
  readonly matches: readonly number[];
  readonly isComplete: boolean;
  readonly error: Error | null;
}

export interface SearchOptions {
  readonly run: string;
  /** Null does not search. An empty text finds every error. */
  readonly query: string | null;
  readonly errors: boolean;
  /** Whether more may be added. */
  readonly isOpen: boolean;
}

interface Found extends Search {
  readonly query: string | null;
}

const NOTHING: Search = { matches: [], isComplete: false, error: null };

/** Searches a whole transcript on the daemon, one part after the other. */
export function useSearch({ run, query, errors, isOpen }: SearchOptions): Search {
  const [found, setFound] = useState<Found>({ ...NOTHING, query: null });
  useEffect(() => {
    if (query === null) return undefined;
    const abort = new AbortController();
    const onFound = (search: Search): void => setFound({ ...search, query });
    void searchAll({ run, query, errors, isOpen, signal: abort.signal, onFound });
    return () => abort.abort();
  }, [run, query, errors, isOpen]);
  // What was found for another text says nothing about this one.
  return found.query === query ? found : NOTHING;
}

interface SearchParams extends SearchOptions {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly onFound: (search: Search) => void;
}

async function searchAll({ run, query, errors, isOpen, signal, onFound }: SearchParams): Promise<void> {
  let matches: readonly number[] = [];
  try {
    for (let offset = 0; !signal.aborted;) {
      const text = query === "" ? {} : { q: query };
      const options = { params: { id: run }, query: { ...text, errors: String(errors), offset }, signal };
      const part = await api.call("GET /runs/:id/search", options);
      offset = part.next;
      const isFull = matches.length + part.matches.length >= MAX_MATCHES;
      if (part.matches.length > 0) matches = [...matches, ...part.matches.map((match) => match.offset)];
      onFound({ matches, isComplete: part.complete || isFull, error: null });
      if (isFull || (part.complete && !isOpen)) return;
      if (part.complete) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  } catch (error) {
    if (!signal.aborted)
      onFound({ matches, isComplete: false, error: error instanceof Error ? error : new Error(String(error)) });
  }
}
