import { useEffect, useRef } from "react";
import { Key } from "../../ui/button.tsx";
import { Glyph, glyphWord } from "../../ui/glyph.tsx";
import type { PaletteGroup, PaletteItem } from "./item.ts";

interface PaletteListProps {
  readonly id: string;
  readonly groups: readonly PaletteGroup[];
  readonly current: PaletteItem | null;
  readonly optionId: (item: PaletteItem) => string;
  readonly onHover: (item: PaletteItem) => void;
  readonly onRun: (item: PaletteItem) => void;
}

/** The results. The focus stays in the input, which says which of them is the current one. */
export function PaletteList({ id, groups, current, optionId, onHover, onRun }: PaletteListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });
  if (groups.length === 0) return null;
  return (
    <div className="pal-list" id={id} role="listbox" aria-label="Results" ref={list}>
      {groups.map((group) => (
        <div role="group" key={group.id} aria-labelledby={`${id}-${group.id}`}>
          <div role="presentation" className="ph clip" id={`${id}-${group.id}`} dir="auto">
            {group.title}
          </div>
          {group.items.map((item) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the input
            <div
              key={item.id}
              role="option"
              tabIndex={-1}
              id={optionId(item)}
              aria-selected={item.id === current?.id}
              aria-disabled={item.refusal != null || undefined}
              onPointerMove={() => onHover(item)}
              onClick={() => onRun(item)}
            >
              <Option item={item} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function Option({ item: { icon, text, refusal = null, note, keys } }: { item: PaletteItem }) {
  const Icon = icon;
  return (
    <>
      {typeof Icon === "string" ? (
        <Glyph name={Icon} label={glyphWord(Icon)} />
      ) : (
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      )}
      <span className="clip" dir="auto">
        {refusal === null ? (
          text
        ) : (
          <span className="faint">
            {text.replace(/…$/, "")}: {lowerFirst(refusal)}
          </span>
        )}
      </span>
      <span className="r">
        {note !== undefined && <span dir="auto">{note}</span>}
        {keys?.split(" ").map((key) => (
          <Key key={key}>{key.toUpperCase()}</Key>
        ))}
      </span>
    </>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
