import { decodeUtf8 } from '@sallyport/core';
import { toJsonText } from './internal/json-text.js';
import { refused } from '../internal/refused.js';

/** One server-sent event. */
export interface SseEvent {
  /** What the client names when it comes back; `''` is none. */
  readonly id?: string;
  /** The event's type; `''` is none, which clients call `message`. */
  readonly event?: string;
  /** Milliseconds after which the client comes back. */
  readonly retry?: number;
  /** Text and UTF-8 bytes go out as they are, anything else as JSON; `undefined` is empty text. */
  readonly data?: unknown;
}

/** The format ends a field at these (WHATWG HTML section 9.2.6). */
const UNSAFE = /[\r\n\0]/;
const LINE_END = /\r\n|\r|\n/;

/**
 * The frame of one event: `id`, `event` and `retry` when they are set, a `data` line for each line, and a blank line.
 *
 * @throws FrameworkError `app.internal` when `id` or `event` holds CR, LF or NUL, `retry` is no whole number of
 *   milliseconds, or `data` is not JSON
 */
export function encodeSseEvent(event: SseEvent): string {
  const { id, event: type, retry, data } = event;
  let frame = '';
  if (id !== undefined && id !== '') frame += `id: ${fieldValue('id', id)}\n`;
  if (type !== undefined && type !== '') frame += `event: ${fieldValue('event', type)}\n`;
  if (retry !== undefined) frame += `retry: ${milliseconds(retry)}\n`;
  for (const line of dataText(data).split(LINE_END)) frame += `data: ${line}\n`;
  return `${frame}\n`;
}

function dataText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (data === undefined) return '';
  return data instanceof Uint8Array ? decodeUtf8(data) : toJsonText(data);
}

function fieldValue(name: string, value: string): string {
  if (typeof value !== 'string' || UNSAFE.test(value)) throw refused(`sse ${name} must be text without CR, LF and NUL`);
  return value;
}

function milliseconds(retry: number): number {
  if (!Number.isSafeInteger(retry) || retry < 0) throw refused('sse retry must be a whole number of milliseconds');
  return retry;
}
