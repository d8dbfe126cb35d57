import { execFileSync, fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Order, Part } from "../gateway-part.ts";
import { atMost, type Measured, type Target } from "../report.ts";
import { interleave, median } from "../statistics.ts";

const FIRST_BYTE_ROUNDS = 60;
const STREAM_ROUNDS = 7;
const STREAM_BYTES = 50_000_000;
const PACED_ROUNDS = 5;
/** Faster than most models: 500 events of about 120 bytes, 100 per second. */
const SLOW_STREAM = { seconds: 5, bytes: 500 * 120, pauseMs: 10 };
/** A typical request size in the middle of an agent's work. */
const REQUEST_BYTES = 100_000;
const PART = join(import.meta.dirname, "..", "gateway-part.ts");
const CERTIFICATE =
  "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1";

/**
 * Measures the model gateway: time to the first byte, and the processor time of all processes of a stream together. The
 * upstream uses TLS, as all models do.
 */
export async function measureGateway(): Promise<readonly Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-bench-gateway-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", [...CERTIFICATE.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
  const parts = {
    model: startPart("model", cert),
    gateway: startPart("gateway", cert),
    pipe: startPart("pipe", cert),
    client: startPart("client", cert),
  };
  try {
    const start = (part: ChildProcess, upstream: string) => tell(part, { kind: "start", upstream, key, cert });
    const upstream = `https://127.0.0.1:${await start(parts.model, "")}`;
    const gateway = `http://127.0.0.1:${await start(parts.gateway, upstream)}`;
    const pipe = `http://127.0.0.1:${await start(parts.pipe, upstream)}`;
    const first = (url: string) => () => ask(parts.client, url, { padding: REQUEST_BYTES });
    const times = await interleave(FIRST_BYTE_ROUNDS, { direct: first(upstream), through: first(gateway) });
    const all = Object.values(parts);
    const stream = (url: string) => () => cpuOf(all, () => ask(parts.client, url, { bytes: STREAM_BYTES }));
    const ways = { direct: stream(upstream), through: stream(gateway), piped: stream(pipe) };
    const cpu = await interleave(STREAM_ROUNDS, ways);
    const slowly = (url: string) => () => cpuOf(all, () => ask(parts.client, url, SLOW_STREAM));
    const alone = () => cpuOf([parts.gateway], () => ask(parts.client, gateway, SLOW_STREAM));
    const pacedWays = { direct: slowly(upstream), through: slowly(gateway), piped: slowly(pipe), alone };
    const paced = await interleave(PACED_ROUNDS, pacedWays);
    return [...firstByteRows(times), ...pacedRows(paced), ...fullSpeedRows(cpu)];
  } finally {
    for (const part of Object.values(parts)) part.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Rounds<K extends string> = Readonly<Record<K, readonly number[]>>;

function firstByteRows(times: Rounds<"direct" | "through">): readonly Measured[] {
  const [direct, through] = [median(times.direct), median(times.through)];
  const target = atMost(through - direct, 5, "5 ms more");
  return [row("first byte through the model gateway (baseline: direct)", [through, direct], target)];
}

function pacedRows(cpu: Rounds<"direct" | "through" | "piped" | "alone">): readonly Measured[] {
  const [direct, through, piped] = [median(cpu.direct), median(cpu.through), median(cpu.piped)];
  const alone = median(cpu.alone);
  const share = alone / (SLOW_STREAM.seconds * 10);
  const during = `${SLOW_STREAM.seconds} s at 100 events/s`;
  return [
    {
      row: "j",
      unit: "ms",
      what: `processor time of the gateway alone, ${during} (${share.toFixed(1)} % of a core)`,
      value: alone,
      baseline: null,
      target: atMost(share, 3, "3 % of a core"),
    },
    row(`processor time of model, gateway and client, ${during} (baseline: direct)`, [through, direct], null),
    row("a bare pipe in the gateway's place, 100 events/s (baseline: direct)", [piped, direct], null),
  ];
}

/** The fastest rounds, because other programs evict caches and make everything slower. */
function fullSpeedRows(cpu: Rounds<"direct" | "through" | "piped">): readonly Measured[] {
  const [direct, through, piped] = [cpu.direct, cpu.through, cpu.piped].map((rounds) => Math.min(...rounds)) as [
    number,
    number,
    number,
  ];
  return [
    row(
      "processor time of all, 50 MB as fast as possible, fastest of all rounds (baseline: direct)",
      [through, direct],
      null,
    ),
    row("a bare pipe in the gateway's place, 50 MB (baseline: direct)", [piped, direct], null),
    row("gateway, 50 MB (baseline: the bare pipe)", [through, piped], null),
  ];
}

function row(what: string, [value, baseline]: readonly [number, number], target: Target | null): Measured {
  return { row: "j", unit: "ms", what, value, baseline, target };
}

function ask(client: ChildProcess, url: string, wanted: Partial<Order & { kind: "ask" }>): Promise<number> {
  return tell(client, { bytes: 0, pauseMs: 0, padding: 0, ...wanted, kind: "ask", url });
}

function startPart(part: Part, cert: string): ChildProcess {
  return fork(PART, [part], { env: { ...process.env, NODE_EXTRA_CA_CERTS: cert } });
}

async function tell(part: ChildProcess, order: Order): Promise<number> {
  part.send(order);
  const [answer] = (await once(part, "message")) as [number];
  return answer;
}

async function cpuOf(parts: readonly ChildProcess[], work: () => Promise<unknown>): Promise<number> {
  const before = await cpuSum(parts);
  await work();
  return (await cpuSum(parts)) - before;
}

async function cpuSum(parts: readonly ChildProcess[]): Promise<number> {
  const each = await Promise.all(parts.map((part) => tell(part, { kind: "cpu" })));
  return each.reduce((total, one) => total + one, 0);
}
