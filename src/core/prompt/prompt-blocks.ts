import { terminalLine, terminalText } from "../text/terminal-text.ts";

/**
 * Puts untrusted text between two markers with the prompt's nonce. The author of the text cannot know the nonce, so the
 * text cannot end its own block. Similar markers in the text are broken too, because a model compares less strictly than a
 * program.
 */
export function dataBlock(label: string, text: string, nonce: string): string {
  requireNonce(nonce);
  const name = terminalLine(label, 80).replace(/[<>]/g, "");
  return `<<<BEGIN DATA ${nonce}: ${name}>>>\n${quoteData(text, nonce)}\n<<<END DATA ${nonce}>>>`;
}

/** Makes a short trusted value safe for use inside a sentence. */
export function inlineValue(value: string): string {
  return breakMarkers(terminalLine(value, 4_096));
}

/** Throws unless the nonce has 8 to 64 letters and digits. The caller must generate it randomly for each prompt. */
export function requireNonce(nonce: string): void {
  if (!/^[A-Za-z0-9]{8,64}$/.test(nonce))
    throw new RangeError(`a nonce must have 8 to 64 letters and digits, got ${nonce.length} characters`);
}

function quoteData(text: string, nonce: string): string {
  return breakMarkers(terminalText(text).replaceAll(nonce, "(removed)")).replace(/\n+$/, "");
}

/** Also breaks markers that span lines or use other brackets that look like `<`. */
function breakMarkers(text: string): string {
  return text.replace(/[<＜‹«⟨〈]{2,}\s*\/?\s*(BEGIN|END)\s+DATA/giu, "(quoted marker: $1 DATA");
}
