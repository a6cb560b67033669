import type { Readable } from 'node:stream';
import { fromJson, isObject } from '@sallyport/core/internal';
import type { LogLine } from '../journal/journal.js';

const HEADER_BYTES = 16;
/** The bits of the level in the type. `0xa55a0003` is the type of text messages, `0xa55a0002` of JSON messages. */
const LEVEL_BITS = 0x1c;
const FORM_BITS = 0x03;
const TEXT_FORM = 0x03;
const LEVELS: Readonly<Record<number, string>> = {
  4: 'trace',
  8: 'debug',
  12: 'info',
  16: 'warn',
  20: 'error',
  24: 'fatal',
};
const EMPTY: Buffer = Buffer.alloc(0);
/** Longer messages are truncated to this length. */
const MAX_MESSAGE = 65_536;

/**
 * Reads the log output of AWS's client on `_LAMBDA_TELEMETRY_LOG_FD`: whole messages, with level and time.
 *
 * A frame is a type (4 bytes, with the level in it), a length (4), microseconds since the epoch (8), then the message.
 */
export function readTelemetry(stream: Readable, onLine: (line: LogLine, requestId: string) => void): void {
  let rest = EMPTY;
  /** Chunks of an incomplete message, so that a long message is joined once. */
  const parts: Buffer[] = [];
  let missing = HEADER_BYTES;
  stream.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    missing -= chunk.length;
    if (missing > 0) return;
    rest = Buffer.concat([rest, ...parts.splice(0)]);
    for (;;) {
      const whole = rest.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + rest.readUInt32BE(4);
      missing = whole - rest.length;
      if (missing > 0) return;
      const { line, requestId } = toLine(rest.subarray(0, whole));
      onLine(line, requestId);
      // An empty part would keep the memory of the whole chunk.
      rest = rest.length === whole ? EMPTY : rest.subarray(whole);
    }
  });
}

function toLine(frame: Buffer): { readonly line: LogLine; readonly requestId: string } {
  const type = frame.readUInt32BE(0);
  const at = Number(frame.readBigInt64BE(8) / 1000n);
  const level = LEVELS[type & LEVEL_BITS] ?? 'info';
  const message = frame.subarray(HEADER_BYTES, HEADER_BYTES + MAX_MESSAGE).toString('utf8');
  const dropped = frame.length - HEADER_BYTES - MAX_MESSAGE;
  const mark = dropped > 0 ? ` … and ${dropped} further bytes` : '';
  if ((type & FORM_BITS) !== TEXT_FORM) {
    return { line: { at, level, text: message + mark }, requestId: jsonRequestId(message) };
  }
  // Time, request id, level, text: the first and the third are in the header too.
  const afterTime = message.indexOf('\t') + 1;
  const afterId = message.indexOf('\t', afterTime) + 1;
  const text = message.slice(message.indexOf('\t', afterId) + 1).trimEnd();
  return {
    line: { at, level, text: text + mark },
    requestId: message.slice(afterTime, Math.max(afterTime, afterId - 1)),
  };
}

function jsonRequestId(message: string): string {
  return /"requestId":"([^"]+)"/.exec(message)?.[1] ?? '';
}

/** Reads lines of a pipe: output that was not written with `console`. */
export function readLines(stream: Readable, level: 'stdout' | 'stderr', onLine: (line: LogLine) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-MAX_MESSAGE);
    for (const line of lines) onLine({ at: Date.now(), level, text: line.slice(0, MAX_MESSAGE) });
  });
  stream.on('end', () => {
    if (rest !== '') onLine({ at: Date.now(), level, text: rest });
  });
}

/** Reads JSON, one value per line. */
export function readMessages(stream: Readable, onMessage: (message: Readonly<Record<string, unknown>>) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = fromJson(line);
      if (isObject(message)) onMessage(message);
    }
  });
}
