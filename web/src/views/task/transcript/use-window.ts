import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { api } from "../../../api/client.ts";
import { PageWindow, type Place, type WindowState } from "./page-window.ts";

const RETRY_MS = 2000;

export interface TranscriptWindow extends WindowState {
  readonly open: (place: Place) => void;
  readonly readBefore: () => void;
  readonly readAfter: () => void;
  readonly indexOf: (offset: number) => number | null;
}

export interface WindowOptions {
  readonly run: string;
  readonly isRaw: boolean;
  readonly first: Place;
  /** Whether the run had not ended when it was opened. */
  readonly isOpen: boolean;
}

/** Reads the part of a transcript that is shown, and what a run adds to its end. */
export function useWindow({ run, isRaw, first, isOpen }: WindowOptions): TranscriptWindow {
  const pages = useMemo(() => new PageWindow(run, isRaw), [run, isRaw]);
  const [place] = useState(first);
  const state = useSyncExternalStore(pages.subscribe, pages.getState);
  useEffect(() => {
    void pages.open(place);
    return () => pages.close();
  }, [pages, place]);
  const isAtEnd = !state.isLoading && state.end >= state.size;
  useLiveOutput({ pages, run, isRaw, isActive: isOpen && isAtEnd });
  const open = useCallback((next: Place) => void pages.open(next), [pages]);
  const readBefore = useCallback(() => void pages.readBefore(), [pages]);
  const readAfter = useCallback(() => void pages.readAfter(), [pages]);
  const indexOf = useCallback((offset: number) => pages.indexOf(offset), [pages]);
  return { ...state, open, readBefore, readAfter, indexOf };
}

interface LiveOptions {
  readonly pages: PageWindow;
  readonly run: string;
  readonly isRaw: boolean;
  readonly isActive: boolean;
}

/**
 * Follows the output through a stream of its own. Events of the run would not do: the daemon records few of them while an
 * agent works. Only a visible tab has this stream, and only while it shows the end, so that tabs in the background do not
 * use up the six connections that a browser opens to one origin.
 */
function useLiveOutput({ pages, run, isRaw, isActive }: LiveOptions): void {
  const isVisible = useVisibility();
  useEffect(() => {
    if (!isActive || !isVisible) return undefined;
    const abort = new AbortController();
    void follow({ pages, run, isRaw, signal: abort.signal });
    return () => abort.abort();
  }, [pages, run, isRaw, isActive, isVisible]);
}

type FollowParams = Omit<LiveOptions, "isActive"> & { readonly signal: AbortSignal };

async function follow({ pages, run, isRaw, signal }: FollowParams): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const page of api.output(run, { offset: pages.end, signal }))
        // The stream has no lines as they were printed.
        if (isRaw) await pages.readAfter();
        else pages.add(page);
      return;
    } catch {
      // The banner of the page says that the daemon is away.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function useVisibility(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener("visibilitychange", listener);
      return () => document.removeEventListener("visibilitychange", listener);
    },
    () => document.visibilityState === "visible",
  );
}
