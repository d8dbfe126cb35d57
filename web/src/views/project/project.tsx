import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ProjectJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { useTitle } from "../../app/title.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Loaded } from "../../ui/state.tsx";
import { RunNow } from "../schedules/run-now.tsx";
import { Ledger } from "./ledger.tsx";
import { MergeOrder } from "./merge-order.tsx";
import { ProjectTasks } from "./project-tasks.tsx";
import { RemoveProject } from "./remove-project.tsx";
import { Rules } from "./rules.tsx";
import { ProjectSettings } from "./project-settings.tsx";
import { TrustBanner } from "./trust-banner.tsx";

/** What applies to a project, and what it learned. */
export function ProjectView() {
  const { name = "" } = useParams({ strict: false });
  useTitle(name);
  const projects = useApi("GET /projects");
  return (
    <div className="page">
      <Loaded query={projects} what="The project">
        {({ projects: found }) => {
          const project = found.find((each) => each.name === name);
          return project === undefined ? (
            <Unknown name={name} known={found} />
          ) : (
            <Project key={name} project={project} />
          );
        }}
      </Loaded>
    </div>
  );
}

function Unknown({ name, known }: { name: string; known: readonly ProjectJson[] }) {
  return (
    <>
      <h1 className="h1">
        No project is named <span dir="auto">{name}</span>
      </h1>
      <Empty title={known.length === 0 ? "No project is registered" : "These projects are registered"}>
        {known.length === 0 ? (
          <>
            Run <code>nightshift init</code> in the directory of a project.
          </>
        ) : (
          known.map((project) => (
            <Link
              key={project.name}
              className="link named"
              to="/projects/$name"
              params={{ name: project.name }}
              dir="auto"
            >
              {project.name}
            </Link>
          ))
        )}
      </Empty>
    </>
  );
}

function Project({ project }: { project: ProjectJson }) {
  const { name } = project;
  return (
    <>
      <Head project={project} />
      <TrustBanner project={project} />
      <ProjectTasks project={name} />
      <MergeOrder project={name} />
      <ProjectSettings project={project} />
      <Rules project={name} />
      <Ledger project={name} />
      <RemoveProject project={project} />
    </>
  );
}

function Head({ project: { name, remote, path, default_branch: branch } }: { project: ProjectJson }) {
  const [isImproving, setImproving] = useState(false);
  const refusal = useRefusal("submit", "Starting work");
  return (
    <div className="flex wrap project-head">
      <h1 className="h1" dir="auto">
        {name}
      </h1>
      <span className="muted break" dir="ltr" title={path ?? undefined}>
        {remote}, {branch}
      </span>
      <span className="end flex">
        <Link className="btn sm" to="/new" search={{ project: name }}>
          New task
        </Link>
        <Button size="small" refusal={refusal} onClick={() => setImproving(true)}>
          Improve now…
        </Button>
      </span>
      {isImproving && (
        <RunNow
          schedule={{ name: "improve", project: name, pipeline: "improve", title: "", categories: [] }}
          onClose={() => setImproving(false)}
        />
      )}
    </div>
  );
}
