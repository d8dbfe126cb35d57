import { Minus, Plus } from "lucide-react";
import { Key } from "../../ui/button.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import type { OptionJson } from "../wait.ts";
import { splitArguments } from "./split-arguments.ts";

interface OptionRowProps {
  readonly option: OptionJson;
  /** Starts at 1. The key that chooses it. */
  readonly number: number;
  readonly name: string;
  readonly isChosen: boolean;
  readonly isFromAgent: boolean;
  readonly onChoose: () => void;
}

export function OptionRow({ option, number, name, isChosen, isFromAgent, onChoose }: OptionRowProps) {
  const { description, pros, cons } = splitArguments(option.description);
  return (
    <label className="choice opt">
      <input type="radio" name={name} value={option.id} checked={isChosen} onChange={onChoose} />
      <span>
        <span className="t" dir="auto">
          {option.title}
        </span>
        {description !== "" && (
          <span className="d">
            <Markdown text={description} />
          </span>
        )}
        {pros.length + cons.length > 0 && (
          <span className="pc" role="list">
            {pros.map((text) => (
              <Argument key={text} text={text} isFor />
            ))}
            {cons.map((text) => (
              <Argument key={text} text={text} isFor={false} />
            ))}
          </span>
        )}
      </span>
      <span className="faint nowrap opt-mark">
        {option.recommended && `recommended${isFromAgent ? " by the agent" : ""} `}
        {number <= 9 && <Key>{number}</Key>}
      </span>
    </label>
  );
}

function Argument({ text, isFor }: { text: string; isFor: boolean }) {
  const Icon = isFor ? Plus : Minus;
  return (
    <span role="listitem" className="flex">
      <span className={isFor ? "c-green" : "c-red"}>
        <Icon size={14} aria-hidden />
        <span className="sr">{isFor ? "For: " : "Against: "}</span>
      </span>
      <span dir="auto">{text}</span>
    </span>
  );
}
