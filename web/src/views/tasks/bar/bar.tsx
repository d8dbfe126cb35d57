import { Link } from "@tanstack/react-router";
import { Columns3, List, X } from "lucide-react";
import { Key } from "../../../ui/button.tsx";
import { glyphWord } from "../../../ui/glyph.tsx";
import {
  activeFilters,
  FILTER_LABELS,
  type FilterName,
  type TaskFilter,
  withoutFilter,
  writeFilter,
} from "../filter.ts";
import { usePipelines } from "../use-pipelines.ts";
import { ColumnsChoice } from "./columns-choice.tsx";
import { FilterMenu } from "./filter-menu.tsx";

/** A link is the current one only if the whole address is the same. */
const ACTIVE = { exact: true, includeSearch: true, explicitUndefined: true };

interface BarProps {
  readonly filter: TaskFilter;
  readonly isColumns: boolean;
  /** Other parameters of the address, which a change of the filter keeps. */
  readonly rest: Readonly<Record<string, string | undefined>>;
}

/** The title, the filters as words that can be removed, and the layout. */
export function TasksBar({ filter, isColumns, rest }: BarProps) {
  const { pipelines } = usePipelines(filter.project);
  const search = { ...rest, ...writeFilter(filter) };
  return (
    <div className="bar-top">
      <h1>Tasks</h1>
      {activeFilters(filter).map((name) => (
        <FilterWord key={name} {...{ filter, name, rest }} />
      ))}
      <FilterMenu filter={filter} rest={rest} />
      <span className="end flex wrap">
        <span className="seg" role="group" aria-label="Layout">
          <Link
            to="/tasks"
            search={{ ...search, view: undefined }}
            activeProps={{}}
            aria-current={isColumns ? undefined : true}
          >
            <List size={14} aria-hidden />
            List
          </Link>
          <Link
            to="/tasks"
            search={{ ...search, view: "columns" }}
            activeProps={{}}
            aria-current={isColumns || undefined}
          >
            <Columns3 size={14} aria-hidden />
            Columns
          </Link>
        </span>
        {isColumns && <ColumnsChoice filter={filter} pipelines={pipelines?.map(({ name }) => name) ?? []} />}
        <Link className="btn primary sm hide-sm" to="/new">
          New task <Key>C</Key>
        </Link>
      </span>
    </div>
  );
}

interface FilterWordProps {
  readonly filter: TaskFilter;
  readonly name: FilterName;
  readonly rest: BarProps["rest"];
}

function FilterWord({ filter, name, rest }: FilterWordProps) {
  const value = name === "status" ? filter.status.map(glyphWord).join(" or ") : filter[name];
  return (
    <span className="filter">
      <span className="faint">{FILTER_LABELS[name]}</span>
      <b className="clip" dir="auto" title={value ?? undefined}>
        {value}
      </b>
      <Link
        to="/tasks"
        search={{ ...rest, ...writeFilter(withoutFilter(filter, name)) }}
        activeOptions={ACTIVE}
        aria-label={`Remove the filter ${FILTER_LABELS[name]}`}
      >
        <X size={12} strokeWidth={2} aria-hidden />
      </Link>
    </span>
  );
}
