/** One line of a BPF program, limited to what system call filters need. */
export type BpfLine =
  | { readonly kind: "label"; readonly name: string }
  /** Loads the 32-bit word at this offset of `struct seccomp_data`. */
  | { readonly kind: "load"; readonly offset: number }
  /** Jumps to the label if the loaded word passes the test (or fails it, with `otherwise`), else continues with the next line. */
  | {
      readonly kind: "jump";
      readonly test: BpfTest;
      readonly value: number;
      readonly to: string;
      readonly otherwise: boolean;
    }
  | { readonly kind: "return"; readonly value: number };

export type BpfTest = "equals" | "atLeast" | "anyBit";

const LOAD_WORD = 0x20;
const RETURN = 0x06;
const JUMP: Readonly<Record<BpfTest, number>> = { equals: 0x15, atLeast: 0x35, anyBit: 0x45 };
const INSTRUCTION_BYTES = 8;
const MAX_JUMP = 255;

export const label = (name: string): BpfLine => ({ kind: "label", name });
export const load = (offset: number): BpfLine => ({ kind: "load", offset });
export const returnValue = (value: number): BpfLine => ({ kind: "return", value });
const jump =
  (otherwise: boolean) =>
  (test: BpfTest, value: number, to: string): BpfLine => ({ kind: "jump", test, value, to, otherwise });
export const jumpIf = jump(false);
export const jumpUnless = jump(true);

/** Assembles lines to `struct sock_filter[]`. A label must come after the jumps to it, because BPF cannot jump back. */
export function assembleBpf(lines: readonly BpfLine[]): Uint8Array {
  const labels = new Map<string, number>();
  let count = 0;
  for (const line of lines) {
    if (line.kind === "label") labels.set(line.name, count);
    else count += 1;
  }
  const bytes = new DataView(new ArrayBuffer(count * INSTRUCTION_BYTES));
  let at = 0;
  for (const line of lines) {
    if (line.kind === "label") continue;
    const offset = at * INSTRUCTION_BYTES;
    const { code, whenTrue, whenFalse, operand } = encode(line, (name) => distance(labels, name, at));
    bytes.setUint16(offset, code, true);
    bytes.setUint8(offset + 2, whenTrue);
    bytes.setUint8(offset + 3, whenFalse);
    bytes.setUint32(offset + 4, operand, true);
    at += 1;
  }
  return new Uint8Array(bytes.buffer);
}

function encode(line: Exclude<BpfLine, { kind: "label" }>, distanceTo: (name: string) => number) {
  switch (line.kind) {
    case "load":
      return { code: LOAD_WORD, whenTrue: 0, whenFalse: 0, operand: line.offset };
    case "return":
      return { code: RETURN, whenTrue: 0, whenFalse: 0, operand: line.value };
    case "jump": {
      const skip = distanceTo(line.to);
      return {
        code: JUMP[line.test],
        whenTrue: line.otherwise ? 0 : skip,
        whenFalse: line.otherwise ? skip : 0,
        operand: line.value,
      };
    }
  }
}

/** Distance from the instruction after the jump. */
function distance(labels: ReadonlyMap<string, number>, name: string, from: number): number {
  const target = labels.get(name);
  if (target === undefined) throw new Error(`The filter jumps to ${name}, but has no such label.`);
  const skip = target - from - 1;
  if (skip < 0 || skip > MAX_JUMP)
    throw new Error(`The filter's jump to ${name} spans ${skip} instructions. At most ${MAX_JUMP} are possible.`);
  return skip;
}
