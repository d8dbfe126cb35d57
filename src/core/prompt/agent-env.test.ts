import { describe, expect, it } from "vitest";
import { agentEnvironment } from "./agent-env.ts";

const RUN = {
  task: "task_1",
  run: "run_1",
  role: "implement",
  attempt: 2,
  outcomeFile: "/runs/run_1/out/outcome.json",
  home: "/homes/task_1-implement",
  tmp: "/runs/run_1/tmp",
  ports: null,
} as const;

const HOST = {
  PATH: "/usr/bin",
  HOME: "/home/ann",
  USER: "ann",
  SHELL: "/usr/bin/planted-zsh",
  TMPDIR: "/var/tmp",
  TZ: "Europe/Paris",
  GITLAB_TOKEN: "planted-1",
  GITHUB_TOKEN: "planted-2",
  AWS_SECRET_ACCESS_KEY: "planted-3",
  ANTHROPIC_API_KEY: "planted-4",
  SSH_AUTH_SOCK: "planted-5",
  NODE_OPTIONS: "--require=planted-6",
  LD_PRELOAD: "planted-7",
  NIGHTSHIFT_HOME: "planted-8",
  gitlab_token: "planted-9",
  NPM_TOKEN: "granted-1",
};

describe("agentEnvironment", () => {
  it("contains only listed variables", () => {
    const made = agentEnvironment({ host: HOST, granted: [], run: RUN, extra: {} });
    expect(JSON.stringify(made)).not.toContain("planted");
    expect(made).toEqual({
      env: {
        PATH: "/usr/bin",
        USER: "ann",
        TZ: "Europe/Paris",
        HOME: RUN.home,
        TMPDIR: RUN.tmp,
        NIGHTSHIFT_TASK: "task_1",
        NIGHTSHIFT_RUN: "run_1",
        NIGHTSHIFT_ROLE: "implement",
        NIGHTSHIFT_ATTEMPT: "2",
        NIGHTSHIFT_OUTCOME_FILE: RUN.outcomeFile,
      },
      secrets: {},
      missing: [],
    });
  });

  it("contains the reserved ports, which no setting can replace", () => {
    const run = { ...RUN, ports: { first: 20_010, count: 5 } };
    const { env } = agentEnvironment({ host: HOST, granted: [], run, extra: { NIGHTSHIFT_PORT_BASE: "80" } });
    expect(env).toMatchObject({ NIGHTSHIFT_PORT_BASE: "20010", NIGHTSHIFT_PORTS: "5" });
  });

  it("returns granted secrets separately and lists those that are not set", () => {
    const made = agentEnvironment({ host: HOST, granted: ["NPM_TOKEN", "JIRA_TOKEN"], run: RUN, extra: {} });
    expect(made.secrets).toEqual({ NPM_TOKEN: "granted-1" });
    expect(made.missing).toEqual(["JIRA_TOKEN"]);
    expect(JSON.stringify(made.env)).not.toContain("granted-1");
    expect(JSON.stringify(made)).not.toContain("planted");
  });

  it("does not let extra variables or secrets replace the agent's identity", () => {
    const made = agentEnvironment({
      host: { ...HOST, NIGHTSHIFT_TASK: "planted" },
      granted: ["HOME", "PATH", "NIGHTSHIFT_TASK", "NIGHTSHIFT_HOME"],
      run: RUN,
      extra: { HOME: "/home/ann", NIGHTSHIFT_ROLE: "review", HTTPS_PROXY: "http://127.0.0.1:1" },
    });
    expect(made.env).toMatchObject({
      HOME: RUN.home,
      NIGHTSHIFT_ROLE: "implement",
      NIGHTSHIFT_TASK: "task_1",
      HTTPS_PROXY: "http://127.0.0.1:1",
    });
    expect(made.secrets).toEqual({});
  });
});
