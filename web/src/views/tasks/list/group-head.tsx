import { ChevronDown, ChevronRight } from "lucide-react";
import type { CSSProperties } from "react";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import { formatCount } from "../../../ui/format.ts";
import { glyphWord } from "../../../ui/glyph.tsx";
import type { TaskGroup } from "./rows.ts";

interface GroupHeadProps {
  readonly group: TaskGroup;
  readonly index: number;
  readonly style: CSSProperties;
  readonly onFold: (status: TaskStatus) => void;
}

/** The name of a status and how many tasks have it. Its button folds the group. */
export function GroupHead({ group: { status, count, isFolded }, index, style, onFold }: GroupHeadProps) {
  const Chevron = isFolded ? ChevronRight : ChevronDown;
  return (
    <div role="row" className="vr grp-row" aria-rowindex={index + 2} data-index={index} style={style}>
      <div role="cell" className="grp">
        <h2>
          <button type="button" className="grp-fold" aria-expanded={!isFolded} onClick={() => onFold(status)}>
            <Chevron size={14} aria-hidden />
            {glyphWord(status)} {count !== null && <span className="n">{formatCount(count)}</span>}
          </button>
        </h2>
      </div>
    </div>
  );
}
