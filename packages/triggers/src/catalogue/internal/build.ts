import { kind } from '@sallyport/core/options';
import { refused } from '../../errors.js';
import type { AwsSender } from '../../internal/sender.js';
import type { SampleHandler, SampleRegistration } from '../entry.js';

/** Content of a record; text is sent as UTF-8. */
export type Data = string | Uint8Array;

export const DATA = /* @__PURE__ */ kind<Data>(
  'a string or bytes',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
);

export function toBase64(data: Data): string {
  return Buffer.from(data as string).toString('base64');
}

/** @throws FrameworkError `app.invalid_configuration` for no records */
export function assertRecords(builder: string, records: readonly unknown[]): void {
  if (!Array.isArray(records) || records.length === 0) throw refused(`${builder} needs records`);
}

/** The handler of a kind without names. @throws FrameworkError `app.invalid_configuration` for no handler */
export function only([first]: readonly SampleRegistration[]): SampleHandler {
  if (!first) throw refused('the trigger needs a handler');
  return first[1];
}

/** A client that accepts every command, for samples. */
export const ACCEPTING: AwsSender = { send: async () => ({}) };
