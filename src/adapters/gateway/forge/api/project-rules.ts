import { z } from "zod";
import type { ForgeGatewayPlan } from "../../../../ports/gateway.ts";
import { writePath } from "./api-request.ts";
import type { AskForge } from "./api-request.ts";
import { isTaskBranch } from "../push-commands.ts";

/** What the rules for both forges need to know about the run's project. */
export interface ProjectRules {
  readonly project: string;
  isTaskBranch(name: string): boolean;
  /** Removes `owner:` of the project's own owner, as in the head of a pull request. */
  withoutOwner(head: string): string;
  /** The project's ids at the forge, which the first call asks for. */
  readProject(): Promise<ProjectIds>;
  /** Whether the id of GitHub's GraphQL API is an issue or pull request of the project. */
  isNodeOfProject(id: string): Promise<boolean>;
}

export interface ProjectIds {
  readonly id: number;
  readonly nodeId: string | null;
}

const projectAnswer = z.object({ id: z.number(), node_id: z.string().optional() });
const owner = z.object({ repository: z.object({ nameWithOwner: z.string() }) });
const nodeAnswer = z.object({ data: z.object({ node: owner }) });
const NODE_QUERY = `query($id: ID!) { node(id: $id) {
  ... on Issue { repository { nameWithOwner } }
  ... on PullRequest { repository { nameWithOwner } }
} }`;

export function createProjectRules(plan: ForgeGatewayPlan, ask: AskForge): ProjectRules {
  const { project, branch, defaultBranch } = plan;
  const path = writePath(plan.api === "github" ? ["repos", ...project.split("/")] : ["projects", project]);
  let ids: Promise<ProjectIds> | undefined;
  return {
    project,
    isTaskBranch: (name) => isTaskBranch(`refs/heads/${name}`, { branch, defaultBranch }),
    withoutOwner(head) {
      const prefix = `${project.split("/")[0] ?? ""}:`;
      return head.startsWith(prefix) ? head.slice(prefix.length) : head;
    },
    readProject() {
      ids ??= ask({ api: "rest", path, body: null }).then((answer) => {
        const { id, node_id: nodeId } = projectAnswer.parse(answer);
        return { id, nodeId: nodeId ?? null };
      });
      // A failure is not kept.
      ids.catch(() => (ids = undefined));
      return ids;
    },
    async isNodeOfProject(id) {
      const body = JSON.stringify({ query: NODE_QUERY, variables: { id } });
      const answer = nodeAnswer.safeParse(await ask({ api: "graphql", path: "", body }));
      return answer.success && answer.data.data.node.repository.nameWithOwner.toLowerCase() === project.toLowerCase();
    },
  };
}
