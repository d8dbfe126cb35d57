import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatMoney } from "../../../ui/format.ts";
import { Glyph, glyphWord } from "../../../ui/glyph.tsx";
import { TaskLink } from "./fact.tsx";

/** The implementations of the task by different agents, and which was chosen. */
export function Variants({ task: { variants, best_of: wanted } }: { task: TaskJson }) {
  if (variants.length === 0)
    return wanted.length === 0 ? null : (
      <>
        <h2>Variants</h2>
        <p className="hint">{wanted.map(({ agent }) => agent).join(", ")} each implement the task.</p>
      </>
    );
  return (
    <>
      <h2>Variants</h2>
      <ul className="stack">
        {variants.map((variant) => (
          <li className="flex wrap" key={variant.id}>
            <Glyph name={variant.status} label={glyphWord(variant.status)} />
            <TaskLink id={variant.id}>
              {variant.number}: {variant.agent}
              {variant.model !== null && ` ${variant.model}`}
            </TaskLink>
            <span className="hint">
              {variant.is_chosen && "chosen, "}
              {variant.cost_usd === null ? "cost unknown" : formatMoney(variant.cost_usd)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
