import type { InvocationRow } from '../console/api.js';
import type { InvocationRecord } from '../journal/journal.js';
import type { StoredTexts } from './store.js';

/** The record without its large members. */
export function toRow(record: InvocationRecord): InvocationRow {
  return split(record).row;
}

export function toTexts(record: InvocationRecord): StoredTexts {
  const { row, rest } = split(record);
  return { row: JSON.stringify(row), rest: JSON.stringify(rest) };
}

/** Parses a stored record; `undefined` if it is not JSON. */
export function fromTexts({ row, rest }: StoredTexts): InvocationRecord | undefined {
  try {
    // JSON has no `undefined`: a record without a response has no member `answer`.
    return {
      event: undefined,
      answer: undefined,
      traced: [],
      parentSpan: '',
      ...JSON.parse(row),
      ...JSON.parse(rest),
    } as InvocationRecord;
  } catch {
    return undefined;
  }
}

function split(record: InvocationRecord) {
  const { event, answer, client, explain, thrown, spans, traced, logs, awsCalls, ...row } = record;
  return { row, rest: { event, answer, client, explain, thrown, spans, traced, logs, awsCalls } };
}
