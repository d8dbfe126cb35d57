// The rooms table of ARCHITECTURE.md as rules. Tests may import anything; only they may import `src/testing`.

const TESTS = "\\.(test|suite)\\.ts$|/fixtures/";

/** What each room may import from other rooms, as patterns below `src/`. The rules for adapters, builtin and testing are below. */
const ROOMS = {
  core: [],
  policy: ["core/"],
  ports: ["core/", "policy/"],
  engine: ["core/", "policy/", "ports/"],
  supervisor: ["core/", "policy/", "ports/", "adapters/(process|sandboxes|gateway)/"],
  config: ["core/", "policy/"],
  http: ["core/", "policy/", "ports/", "engine/"],
  cli: ["core/", "config/", "http/client/", "daemon/(doctor|detect|backup)/"],
  mcp: ["core/", "http/client/"],
  // The report of a night is written to files in the formats of the CLI.
  daemon: ["(?!cli/(?!print/)|testing/)"],
};

/** Node modules with access to the machine. The engine uses ports instead. */
const MACHINE =
  "^(node:)?(fs|child_process|cluster|dgram|dns|http|http2|https|net|os|process|sqlite|timers|tls|worker_threads)(/|$)";

const roomRules = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `room-${room}`,
  severity: "error",
  comment: `src/${room} may import ${allowed.length === 0 ? "nothing but itself" : allowed.join(", ")}.`,
  from: { path: `^src/${room}/`, pathNot: TESTS },
  to: { path: "^src/", pathNot: [room + "/", ...allowed].map((part) => `^src/${part}`) },
}));

/** The engine from bottom to top. A part may import itself and the parts before it. */
const ENGINE_ORDER = [
  "(ports|advance-params|overlap|shared-directories|pipeline-of|find-account|periodic-task|task-lock|task-pages|variants)\\.ts",
  "deliver/",
  "(transact|wake-task)\\.ts",
  "run/(step-context|explain-error|park-agent|run-jobs|run-events|supervise|load-diff-rules|list-run-events|may-repeat)\\.ts",
  "nightly/",
  "run/plan/",
  "run/prepare/",
  "run/conclude/",
  "run/prompt/",
  "run/agent/",
  "run/checks/",
  "run/publish/",
  "run/post/",
  "run/attempt\\.ts",
  "run/deferral\\.ts",
  "merge/",
  "report/",
  "commands/",
  "schedule/",
  "reconcile/",
  "dispatch\\.ts",
];

const engineOrder = ENGINE_ORDER.map((part, index) => ({
  name: "engine-imports-go-down",
  severity: "error",
  comment: `src/engine/${part} may import only itself and what is before it in ENGINE_ORDER.`,
  from: { path: `^src/engine/${part}`, pathNot: TESTS },
  to: { path: "^src/engine/", pathNot: ENGINE_ORDER.slice(0, index + 1).map((each) => `^src/engine/${each}`) },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...roomRules,
    ...engineOrder,
    {
      name: "engine-parts-are-known",
      severity: "error",
      comment: "Every file of the engine belongs to a part of ENGINE_ORDER.",
      from: { path: "^src/engine/", pathNot: [TESTS, ...ENGINE_ORDER.map((part) => `^src/engine/${part}`)] },
      to: {},
    },
    {
      name: "room-adapters",
      severity: "error",
      comment: "Adapters may use core, policy and ports, but no other adapter folder except git and process.",
      from: { path: "^src/adapters/([^/]+)/", pathNot: TESTS },
      to: { path: "^src/", pathNot: ["^src/(core|policy|ports)/", "^src/adapters/($1|git|process)/"] },
    },
    {
      name: "adapters-are-built-in-wire",
      severity: "error",
      comment:
        "In the daemon only wire/ creates adapters; doctor/, detect/ and backup/ may inspect the machine or read the database with them.",
      from: { path: "^src/daemon/", pathNot: [TESTS, "^src/daemon/(wire|doctor|detect|backup)/"] },
      to: { path: "^src/adapters/" },
    },
    {
      name: "core-is-pure",
      severity: "error",
      comment: "core and policy do not access the machine. The only package they use is zod.",
      from: { path: "^src/(core|policy)/", pathNot: TESTS },
      to: { pathNot: ["^src/", "node_modules/zod/"] },
    },
    {
      name: "ports-are-contracts",
      severity: "error",
      comment: "ports import no package and no part of Node.",
      from: { path: "^src/ports/", pathNot: TESTS },
      to: { pathNot: "^src/" },
    },
    {
      name: "engine-uses-ports",
      severity: "error",
      comment: "engine accesses files, processes, network and databases only through ports.",
      from: { path: "^src/engine/", pathNot: TESTS },
      to: { path: MACHINE },
    },
    {
      name: "databases-are-adapters",
      severity: "error",
      comment: "Only adapters open databases; everybody else asks the store or adapters/stores/sqlite/inspect.ts.",
      from: { path: "^src/", pathNot: [TESTS, "^src/(adapters|testing)/"] },
      to: { path: "^(node:)?sqlite$|node_modules/kysely/" },
    },
    {
      name: "testing-is-for-tests",
      severity: "error",
      comment: "src/testing is not part of the package.",
      from: { path: "^src/", pathNot: [TESTS, "^src/testing/"] },
      to: { path: "^src/testing/" },
    },
    {
      name: "cli-is-not-imported",
      severity: "error",
      comment: "The command line is a client. No other room may depend on it, except on the formats of a report.",
      from: { path: "^src/", pathNot: [TESTS, "^src/cli/", "^src/daemon/wire/wire-reports\\.ts$"] },
      to: { path: "^src/cli/" },
    },
    {
      name: "page-is-a-client",
      severity: "error",
      comment: "The page uses the HTTP client, the contract's types and the pure core, like any other client.",
      from: { path: "^web/src/" },
      to: { path: "^src/", pathNot: "^src/(core|http/client|http/contract)/" },
    },
    {
      name: "page-is-not-imported",
      severity: "error",
      comment: "The page is a program of its own, which browsers run.",
      from: { path: "^src/" },
      to: { path: "^web/" },
    },
    {
      name: "builtin-is-data",
      severity: "error",
      comment: "src/builtin contains files that people can read and override, but no code.",
      from: {},
      to: { path: "^src/builtin/.*\\.[cm]?[jt]sx?$" },
    },
    {
      name: "no-development-packages",
      severity: "error",
      comment: "Shipped code may not import a devDependency.",
      from: { path: "^src/", pathNot: [TESTS, "^src/testing/"] },
      to: { dependencyTypes: ["npm-dev"] },
    },
    {
      name: "no-unknown-packages",
      severity: "error",
      comment: "Imported packages must exist and be listed in package.json.",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown", "unknown", "undetermined"] },
    },
    {
      name: "no-circular-imports",
      severity: "error",
      comment: "Circular imports make the load order unpredictable. Type imports are allowed.",
      from: { path: "^src/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Type imports count, too: a port must not depend on a vendor's types.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
