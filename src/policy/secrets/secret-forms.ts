/** A value to redact, and the name that replaces it. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** One encoding of a secret. */
export interface Form {
  readonly name: string;
  readonly text: string;
}

export interface SecretForms {
  /** All forms. */
  readonly all: readonly Form[];
  /** The values themselves, for texts after percent-decoding. */
  readonly plain: readonly Form[];
  /** Forms that programs wrap into lines. */
  readonly wrapped: readonly Form[];
}

/** Shorter values occur too often by chance. */
export const SHORTEST_SECRET = 8;
const MIN_LINE_LENGTH = 16;

/**
 * `bytes`: the forms in UTF-8 with one character per byte, for output that need not be text.
 * This protects against accidents. A process that knows a secret can encode it in ways that are not covered.
 */
export function secretForms(secrets: readonly Secret[], alphabet: "text" | "bytes"): SecretForms {
  const pieces = secrets.flatMap(({ name, value }) =>
    piecesOf(value).map((piece) => ({ name: printable(name), piece, bytes: toBytes(piece) })),
  );
  const write = alphabet === "bytes" ? toBytes : (text: string) => text;
  const collect = (formsOf: (piece: string, bytes: string) => readonly string[]): readonly Form[] =>
    distinct(pieces.flatMap(({ name, piece, bytes }) => formsOf(piece, bytes).map((text) => ({ name, text }))));
  return {
    plain: collect((_, bytes) => [bytes]),
    wrapped: collect((_, bytes) => wrappedForms(bytes)),
    all: collect((piece, bytes) => [
      ...[piece, ...jsonForms(piece), ...urlForms(piece, bytes)].map(write),
      ...wrappedForms(bytes),
    ]),
  };
}

export function isLongEnough(value: string): boolean {
  return value.trim().length >= SHORTEST_SECRET;
}

/** The value, and for a multi-line value (a private key) each line, because programs print lines separately, indented or as `\n`. */
function piecesOf(value: string): readonly string[] {
  const whole = value.trim();
  if (!isLongEnough(whole)) return [];
  const lines = whole.split(/\r?\n|\\n/).map((line) => line.trim());
  if (lines.length === 1) return [whole];
  // The first and last line of a key appear in every document about keys.
  return [whole, ...lines.filter((line) => line.length >= MIN_LINE_LENGTH && !/^-----(?:BEGIN|END) /.test(line))];
}

/** As in JSON, in JSON within JSON, and with more escapes than necessary. */
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

/** Mixed encodings are found by decoding. These are the longest forms, so that a partial match is not released too early. */
function urlForms(value: string, bytes: string): readonly string[] {
  const everything = Array.from(bytes, (byte) => `%${hexByte(byte)}`).join("");
  const usual = encodeURIComponent(value.toWellFormed());
  return [usual, usual.replaceAll("%20", "+"), everything, everything.toUpperCase()];
}

function wrappedForms(bytes: string): readonly string[] {
  return [...base64Forms(bytes), ...hexForms(bytes)];
}

function hexForms(bytes: string): readonly string[] {
  const lower = Array.from(bytes, hexByte).join("");
  return [lower, lower.toUpperCase()];
}

function hexByte(byte: string): string {
  return byte.charCodeAt(0).toString(16).padStart(2, "0");
}

/**
 * In a longer encoded text, the value can start at any of three offsets within a group of three bytes. Characters at its ends
 * that contain bits of the neighbours are omitted, because they differ between texts.
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
  // Nearly every secret is ASCII, so it equals its bytes.
  if (/^[\0-\x7f]*$/.test(text)) return text; // oxlint-disable-line no-control-regex -- all of ASCII is meant
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** Makes the name safe for JSON and terminals. */
function printable(name: string): string {
  return name.replace(/[^\w.:/-]/g, "_").slice(0, 100);
}

/** The first name wins, because configured secrets come before those found in the environment. */
function distinct(forms: readonly Form[]): readonly Form[] {
  const byText = new Map<string, Form>();
  for (const form of forms) if (!byText.has(form.text)) byText.set(form.text, form);
  return [...byText.values()];
}
