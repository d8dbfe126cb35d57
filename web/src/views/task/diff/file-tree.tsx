import { File, FileMinus2, FilePlus2, MessageSquare, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { useShortcut } from "../../../app/shortcuts.ts";
import { plural } from "../../../ui/format.ts";
import type { ChangedFile } from "./change.ts";
import { showHidden } from "./code-row.tsx";
import { Count } from "./file-rows.tsx";
import type { LineDraft } from "./use-review-draft.ts";
import type { Viewed } from "./use-viewed.ts";

interface FileTreeProps {
  readonly files: readonly ChangedFile[];
  readonly current: string | null;
  readonly viewed: Viewed;
  readonly drafts: readonly LineDraft[];
  readonly onShow: (path: string) => void;
}

const MANY_FILES = 8;
const MAX_SHOWN = 400;

/** The changed files by folder. */
export function FileTree({ files, current, viewed, drafts, onShow }: FileTreeProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const hasField = files.length >= MANY_FILES;
  useShortcut(hasField ? { keys: "/", label: "Find a file", run: () => field.current?.focus() } : null);
  const wanted = text.trim().toLowerCase();
  const found = files.filter(({ path }) => path.toLowerCase().includes(wanted));
  const sorted = found.toSorted(byFolder).slice(0, MAX_SHOWN);
  const count = files.filter(viewed.isViewed).length;
  return (
    <nav className="tree" aria-label="Files">
      <p className="faint">
        {plural(files.length, "file")}, {count} viewed
      </p>
      {hasField && (
        <input
          ref={field}
          className="in"
          type="search"
          aria-label="Find a file"
          placeholder="Find a file  /"
          dir="auto"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            const [first] = sorted;
            if (event.key === "Enter" && first !== undefined) onShow(first.path);
            if (event.key === "Escape") setText("");
          }}
        />
      )}
      {groupByFolder(sorted).map(([folder, inside]) => (
        <div key={folder}>
          {folder !== "" && (
            <div className="dir">
              <bdi>{showHidden(folder)}</bdi>
            </div>
          )}
          {inside.map((file) => (
            <Entry
              key={file.path}
              file={file}
              name={file.path.slice(folder.length)}
              isCurrent={file.path === current}
              isViewed={viewed.isViewed(file)}
              drafts={drafts.filter((draft) => draft.file === file.path).length}
              onShow={() => onShow(file.path)}
            />
          ))}
        </div>
      ))}
      {sorted.length === 0 && <p className="faint">No file matches.</p>}
      {found.length > MAX_SHOWN && <p className="faint">And {found.length - MAX_SHOWN} more. Type to find one.</p>}
    </nav>
  );
}

interface EntryProps {
  readonly file: ChangedFile;
  readonly name: string;
  readonly isCurrent: boolean;
  readonly isViewed: boolean;
  readonly drafts: number;
  readonly onShow: () => void;
}

function Entry({ file, name, isCurrent, isViewed, drafts, onShow }: EntryProps) {
  const comments = file.remarks.length + drafts;
  const Icon =
    file.findings.length > 0
      ? TriangleAlert
      : file.change === "created"
        ? FilePlus2
        : file.change === "deleted"
          ? FileMinus2
          : File;
  return (
    <button
      type="button"
      className={isViewed ? "tree-file viewed" : "tree-file"}
      aria-current={isCurrent ? "true" : undefined}
      title={showHidden(file.path)}
      onClick={onShow}
    >
      <Icon size={14} aria-hidden />
      <span className="clip">
        <bdi>{showHidden(name)}</bdi>
      </span>
      {file.findings.length > 0 && <span className="sr">{plural(file.findings.length, "finding")}</span>}
      {comments > 0 && (
        <span className="faint flex cnt">
          <MessageSquare size={12} aria-hidden />
          {comments}
          <span className="sr">{comments === 1 ? "comment" : "comments"}</span>
        </span>
      )}
      {isViewed && <span className="sr">viewed</span>}
      <span className="st2">
        <Count file={file} />
      </span>
    </button>
  );
}

function folderOf({ path }: ChangedFile): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function byFolder(a: ChangedFile, b: ChangedFile): number {
  const [one, other] = [folderOf(a), folderOf(b)];
  return one === other ? compare(a.path, b.path) : compare(one, other);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function groupByFolder(files: readonly ChangedFile[]): readonly (readonly [string, readonly ChangedFile[]])[] {
  const folders = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const folder = folderOf(file);
    const inside = folders.get(folder) ?? [];
    inside.push(file);
    folders.set(folder, inside);
  }
  return [...folders];
}
