import { sha256Url } from '@sallyport/core/internal';
import { randomText } from '../../internal/crypto.js';
import {
  MAX_ROW_TEXT_BYTES,
  MAX_SPILLED_TEXT_BYTES,
  type McpSpill,
  type McpStore,
  type Row,
  type RowKey,
} from '../store.js';

/** The kinds of values that can be too large for the store. */
export type Kept = 'event' | 'result' | 'arguments' | 'question' | 'answer' | 'state';

/** Thrown if a string is too large for a row, or for the spill. */
export class TooLargeToStore extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super();
    this.bytes = bytes;
  }
}

/** The first byte of row data shows its kind: the text, or the key of the spilled text. */
const INLINE = ' ';
const SPILLED = '@';

interface Pointer {
  readonly key: string;
  readonly length: number;
  readonly sha256: string;
}

/**
 * Converts text to row data. Text that is too large for a row is stored in the spill.
 *
 * @throws TooLargeToStore
 */
export async function packText(spill: McpSpill | undefined, text: string): Promise<Uint8Array> {
  const size = Buffer.byteLength(text);
  if (size <= MAX_ROW_TEXT_BYTES) return Buffer.from(INLINE + text, 'utf8');
  if (!spill || size > MAX_SPILLED_TEXT_BYTES) throw new TooLargeToStore(size);
  const key = `mcp/${randomText(24)}`;
  const bytes = Buffer.from(text, 'utf8');
  await spill.put(key, bytes);
  const pointer: Pointer = { key, length: bytes.length, sha256: sha256Url(bytes) };
  return Buffer.from(SPILLED + JSON.stringify(pointer), 'utf8');
}

/** Reads a row's text; `undefined` if its spilled part was deleted or changed. */
export async function unpackText(spill: McpSpill | undefined, row: Row): Promise<string | undefined> {
  const text = toText(row.data);
  if (text.startsWith(INLINE)) return text.slice(1);
  const pointer = JSON.parse(text.slice(1)) as Pointer;
  const bytes = await spill?.get(pointer.key);
  return bytes?.length === pointer.length && sha256Url(bytes) === pointer.sha256 ? toText(bytes) : undefined;
}

const READ_ATTEMPTS = 3;

/**
 * A row and its text; `undefined` if the row or its spilled part does not exist. A writer deletes the spilled part of a row that it has
 * replaced, possibly between the two reads here: then the new row is read.
 */
export async function readText(
  store: McpStore,
  spill: McpSpill | undefined,
  key: RowKey,
): Promise<{ readonly row: Row; readonly text: string } | undefined> {
  let seen: number | undefined;
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const row = await store.get(key);
    if (!row || row.version === seen) return undefined;
    const text = await unpackText(spill, row);
    if (text !== undefined) return { row, text };
    seen = row.version;
  }
  return undefined;
}

/** Deletes the spilled part of row data that was replaced or not stored. If this fails, a lifecycle rule deletes it. */
export async function dropText(spill: McpSpill | undefined, data: Uint8Array | undefined): Promise<void> {
  const text = data && spill?.delete ? toText(data) : INLINE;
  if (!text.startsWith(SPILLED)) return;
  try {
    await spill?.delete?.((JSON.parse(text.slice(1)) as Pointer).key);
  } catch {}
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
