import { sha256 } from '@sallyport/core/internal';
import type { Key } from '@sallyport/dynamo';
import type { LedgerErrors } from '../errors.js';

const MAX_ID_BYTES = 256;
const HASHED = 'sha256:';
const BINDING_LENGTH = 16;

/** Escapes the separators in a part of a key. */
export function keyPart(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('#', '%23');
}

export function jobKey(jobId: string): Key {
  return { pk: `JOB#${keyPart(jobId)}`, sk: 'META' };
}

export function recordKey(jobId: string, recordId: string): Key {
  return { pk: `JOB#${keyPart(jobId)}`, sk: `REC#${keyPart(recordId)}` };
}

export function leaseKey(name: string): Key {
  return { pk: `LEASE#${keyPart(name)}`, sk: 'LEASE' };
}

export function semaphorePk(scope: string, subject: string): string {
  return `SEM#${keyPart(scope)}#${keyPart(subject)}`;
}

export function slotSk(slot: number): string {
  return `SLOT#${String(slot).padStart(9, '0')}`;
}

export function idempotencyKey(scope: string, key: string): Key {
  return { pk: `IDEM#${keyPart(scope)}#${keyPart(shortKey(key))}`, sk: 'IDEM' };
}

export function resultKey(scope: string, key: string, owner: string): Key {
  return { ...idempotencyKey(scope, key), sk: `RESULT#${owner}` };
}

export function tenantStatus(tenantId: string, status: string): string {
  return `${keyPart(tenantId)}#${status}`;
}

/**
 * Hashes text that is not a valid id, and also text that looks like a hash, so that a short key is never equal to the hash of a
 * long one.
 */
function shortKey(key: string): string {
  if (Buffer.byteLength(key) <= MAX_ID_BYTES && !key.startsWith(HASHED)) return key;
  return HASHED + sha256(key);
}

/** Opaque text for a position within one query. It contains only a hash of the query. */
export function encodeCursor(query: readonly unknown[], position: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify({ q: bindingOf(query), p: position })).toString('base64url');
}

/**
 * The position of a cursor, its parts as text.
 *
 * @throws JobLedgerError `invalid_input` for a string that is not a cursor, or the cursor of another query
 */
export function decodeCursor(
  cursor: unknown,
  query: readonly unknown[],
  parts: readonly string[],
  errors: LedgerErrors,
): Record<string, string> | undefined {
  if (cursor === undefined) return undefined;
  const { q, p } = parse(cursor);
  const position = (p ?? {}) as Record<string, string>;
  if (q !== bindingOf(query) || !parts.every((part) => typeof position[part] === 'string' && position[part] !== '')) {
    throw errors.foreignCursor();
  }
  return position;
}

function parse(cursor: unknown): { q?: unknown; p?: unknown } {
  try {
    const value: unknown = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function bindingOf(query: readonly unknown[]): string {
  return sha256(JSON.stringify(query)).slice(0, BINDING_LENGTH);
}
