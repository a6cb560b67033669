import { escapeJsonText } from '../log-text.js';

/** The longest line that is written, its line break included: what CloudWatch Logs takes as one event. */
const MAX_LINE_BYTES = 262_144;
const ENVELOPE_BYTES = 26;

/** Writes one line, without its line break. */
export type WriteLine = (line: string) => unknown;

/** Standard output itself: Lambda's patched `console` would wrap the line or put a prefix before it. */
export const writeToStdout: WriteLine = (line) => {
  process.stdout.write(`${line}\n`);
};

/** One JSON object as one line that nothing in it can break, hide or reorder. */
export function encodeLine(line: Readonly<Record<string, unknown>>): string {
  return escapeJsonText(JSON.stringify(line));
}

/**
 * The line, with the largest of the named members replaced by `[N bytes]` and `truncated: true` added as long as it is too
 * long for one log event.
 */
export function encodeBoundedLine(line: Record<string, unknown>, members: readonly string[]): string {
  const limit = MAX_LINE_BYTES - ENVELOPE_BYTES - 1;
  const whole = encodeLine(line);
  if (whole.length * 3 <= limit || Buffer.byteLength(whole) <= limit) return whole;
  const sizes = members.map((name) => ({ name, bytes: jsonBytes(line[name]) })).sort((a, b) => b.bytes - a.bytes);
  let over = Buffer.byteLength(whole) + ',"truncated":true'.length - limit;
  const cut: Record<string, unknown> = { ...line };
  for (const { name, bytes } of sizes) {
    if (over <= 0) break;
    cut[name] = `[${bytes} bytes]`;
    over -= bytes - jsonBytes(cut[name]);
  }
  return encodeLine({ ...cut, truncated: true });
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(escapeJsonText(JSON.stringify(value) ?? ''));
}
