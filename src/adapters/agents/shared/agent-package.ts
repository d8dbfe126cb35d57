import type { AgentProgram } from "../../../ports/agent.ts";

/** The npm package of an agent CLI. The hints, the docs and the tests with real agents use these versions. */
export interface AgentPackage {
  /** The program that it installs. */
  readonly program: string;
  readonly package: string;
  /** The version that `npm run test:agents` installs. A fixed one, because the newest changes daily and depends on the Node version. */
  readonly tested: string;
  /** The oldest version with everything that the adapter needs. */
  readonly oldest: string;
}

export function describeProgram(agent: AgentPackage): AgentProgram {
  return {
    name: agent.program,
    versionArgs: ["--version"],
    oldest: agent.oldest,
    install: `Run \`${installCommand(agent)}\` or install a newer version.`,
  };
}

export function installCommand({ package: name, tested }: AgentPackage): string {
  return `npm install -g ${name}@${tested}`;
}

/** The program in the table of docs/agents.md. */
export function programDocs(agent: AgentPackage): string {
  return `\`${agent.program}\` ${agent.oldest} or newer; tested: \`${installCommand(agent)}\``;
}
