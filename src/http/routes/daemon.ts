import type { HttpDeps } from "../deps.ts";
import { describeApi } from "../openapi.ts";
import { showRuns } from "../lookup.ts";
import { viewAgent, viewParked } from "../views/agent-view.ts";
import { iso } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

type DaemonRoutes =
  | "GET /agents"
  | "POST /agents/:name/retry"
  | "GET /keys"
  | "POST /daemon/stop"
  | "GET /status"
  | "GET /doctor"
  | "GET /healthz"
  | "GET /openapi.json";

export function daemonRoutes(deps: HttpDeps): Handlers<DaemonRoutes> {
  const { commands, store, agents, keys, doctor, stop, info, clock } = deps;
  return {
    async "GET /agents"() {
      const [found, parked] = await Promise.all([agents(), store.agents.listParked()]);
      return { agents: found.map((agent) => viewAgent(agent, parked)) };
    },

    async "POST /agents/:name/retry"({ params: { name }, actor }) {
      return { agents: (await commands.retryAgent(name, actor)).map(viewParked) };
    },

    async "GET /keys"() {
      const found = await keys();
      return {
        keys: found.map(({ addedAt, replacesEnvironment, ...key }) => ({
          ...key,
          added_at: addedAt,
          replaces_environment: replacesEnvironment,
        })),
      };
    },

    async "POST /daemon/stop"({ body }) {
      const runs = await showRuns(store, await store.tasks.listOpenRuns(), clock.now());
      // Stop after the response was sent, because the caller wants to see which runs continue.
      setImmediate(() => stop(body.force));
      return { forced: body.force, runs };
    },

    async "GET /status"() {
      const { pid, version, startedAt, sandbox, problems, outages } = info();
      const [tasks, runs, parked] = await Promise.all([
        store.tasks.countTasks(),
        store.tasks.listOpenRuns(),
        store.agents.listParked(),
      ]);
      return {
        pid,
        version,
        started_at: iso(startedAt),
        uptime_ms: Math.max(0, Math.round(clock.now() - startedAt)),
        sandbox,
        tasks,
        open_runs: runs.length,
        problems: [...problems],
        parked_agents: parked.map(viewParked),
        outages: outages.map(({ since, until, ...outage }) => ({ ...outage, since: iso(since), until: iso(until) })),
      };
    },

    async "GET /doctor"({ query }) {
      return { findings: [...(await doctor(query.path, { run: query.run }))] };
    },

    async "GET /healthz"() {
      await store.events.lastEventId();
      return { status: "ok" };
    },

    async "GET /openapi.json"() {
      return describeApi(info().version);
    },
  };
}
