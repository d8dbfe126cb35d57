import { useDraft } from "../../../app/draft.ts";
import type { ChangedFile } from "./change.ts";

export interface Viewed {
  readonly isViewed: (file: ChangedFile) => boolean;
  readonly setViewed: (file: ChangedFile, isViewed: boolean) => void;
}

/** Which files a person has looked at. A file that changes afterwards has to be looked at again. */
export function useViewed(task: string): Viewed {
  const [seen, store] = useDraft<Readonly<Record<string, string>>>(`viewed.${task}`, {});
  return {
    isViewed: ({ path, fingerprint }) => Object.hasOwn(seen, path) && seen[path] === fingerprint,
    setViewed({ path, fingerprint }, isViewed) {
      const { [path]: _before, ...others } = seen;
      store(isViewed ? { ...others, [path]: fingerprint } : others);
    },
  };
}
