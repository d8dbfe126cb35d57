/** A value that must not be seen, and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** One way to write a secret. */
export interface Form {
  readonly name: string;
  readonly text: string;
}

export interface SecretForms {
  /** Every form there is, as it stands in a text. */
  readonly all: readonly Form[];
  /** The values themselves, for texts whose %41 were made letters. */
  readonly plain: readonly Form[];
  /** Those that programs break into lines. */
  readonly wrapped: readonly Form[];
}

/** Shorter values stand in too many places by chance. */
export const SHORTEST_SECRET = 8;
const SHORTEST_LINE = 16;

/**
 * `bytes`: the forms as they stand in UTF-8, one character for each byte, for output that need not be text.
 * Whoever knows a secret can write it in a way that is not here: this is for accidents, not a wall.
 */
export function secretForms(secrets: readonly Secret[], alphabet: "text" | "bytes"): SecretForms {
  const pieces = secrets.flatMap(({ name, value }) =>
    piecesOf(value).map((piece) => ({ name: printable(name), piece, bytes: toBytes(piece) })),
  );
  const write = alphabet === "bytes" ? toBytes : (text: string) => text;
  const forms = pieces.map(({ name, piece, bytes }) => ({
    name,
    plain: [bytes],
    wrapped: [...base64Forms(bytes), ...hexForms(bytes)],
    all: [piece, ...jsonForms(piece), ...urlForms(piece, bytes)].map(write),
  }));
  const plain = distinct(forms.flatMap((each) => named(each.name, each.plain)));
  const wrapped = distinct(forms.flatMap((each) => named(each.name, each.wrapped)));
  const all = distinct(forms.flatMap((each) => named(each.name, [...each.all, ...each.wrapped])));
  return { all, plain, wrapped };
}

export function isLongEnough(value: string): boolean {
  return value.trim().length >= SHORTEST_SECRET;
}

/** The value and, of one with many lines (a private key), each line: programs print them apart, indented, or as `\n`. */
function piecesOf(value: string): readonly string[] {
  const whole = value.trim();
  if (!isLongEnough(whole)) return [];
  const lines = whole.split(/\r?\n|\\n/).map((line) => line.trim());
  if (lines.length === 1) return [whole];
  // The first and last line of a key stand in every document about keys.
  return [whole, ...lines.filter((line) => line.length >= SHORTEST_LINE && !/^-----(?:BEGIN|END) /.test(line))];
}

/** As in JSON, as in JSON within JSON, and as writers do that escape more than they have to. */
function jsonForms(value: string): readonly string[] {
  const once = escapeJson(value);
  const cautious = [once.replaceAll("/", String.raw`\/`), once.replace(/[^ -~]/g, escapeUnit)];
  return [once, ...cautious, escapeJson(once)];
}

function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function escapeUnit(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Mixtures of these are found by decoding; here are the longest, so that nobody lets go of a half of one. */
function urlForms(value: string, bytes: string): readonly string[] {
  const everything = Array.from(bytes, (byte) => `%${hexByte(byte)}`).join("");
  const usual = encodeURIComponent(value.toWellFormed());
  return [usual, usual.replaceAll("%20", "+"), everything, everything.toUpperCase()];
}

function hexForms(bytes: string): readonly string[] {
  const lower = Array.from(bytes, hexByte).join("");
  return [lower, lower.toUpperCase()];
}

function hexByte(byte: string): string {
  return byte.charCodeAt(0).toString(16).padStart(2, "0");
}

/**
 * In a longer text that was encoded as a whole the value can begin at any of three places in a group of three bytes.
 * Characters at its ends that also carry bits of the neighbours are left out: they differ from text to text.
 */
function base64Forms(bytes: string): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const begin = Math.ceil((shift * 8) / 6);
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    const standard = btoa("\0".repeat(shift) + bytes).slice(begin, end);
    return [standard, standard.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function toBytes(text: string): string {
  // Nearly every secret is ASCII, and then it is its own bytes.
  if (/^[\0-\x7f]*$/.test(text)) return text; // oxlint-disable-line no-control-regex -- all of ASCII is meant
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** The name stands within JSON and on terminals: it may break neither. */
function printable(name: string): string {
  return name.replace(/[^\w.:/-]/g, "_").slice(0, 100);
}

function named(name: string, texts: readonly string[]): readonly Form[] {
  return texts.map((text) => ({ name, text }));
}

/** The first name wins, as settings come before what was merely found in the environment. */
function distinct(forms: readonly Form[]): readonly Form[] {
  const byText = new Map<string, Form>();
  for (const form of forms) if (!byText.has(form.text)) byText.set(form.text, form);
  return [...byText.values()];
}
