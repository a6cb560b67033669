import type { LedgerErrors } from '../errors.js';
import { sha256 } from './keys.js';

const BINDING_LENGTH = 16;

/** Opaque text for a position within one query. Of the query it holds a hash only. */
export function encodeCursor(query: readonly unknown[], position: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify({ q: bindingOf(query), p: position })).toString('base64url');
}

/**
 * The position of a cursor, its parts as text.
 *
 * @throws JobLedgerError `invalid_input` for a text that is not a cursor, or the cursor of another query
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
    throw errors.invalid('cursor does not belong to this query');
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
