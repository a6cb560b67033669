import { callerKey, sha256 } from '@sallyport/core/internal';
import { type ConnectionKey, connectionKey } from '@sallyport/http/websocket';
import { invalidInput } from '../../errors.js';
import type { ConnectionsOfApi, PrincipalName } from '../registry.js';

/** The sort key of the row with the data of `put`. */
export const CONNECTION_ROW = 'CONNECTION';
const GROUP_ROW = 'GROUP#';
const MAX_NAME_BYTES = 256;
/** Unix seconds have ten digits until the year 2286. */
const SECONDS_DIGITS = 10;
/** A sort key of DynamoDB has at most 1,024 bytes. */
const MAX_SORT_KEY_BYTES = 1024;
const LISTED = /^(\d{10})#([^/]+)\/([^/]+)\/(.+)$/s;

/** The partition of a connection: its row and one row for each group. */
export function partitionOf(key: ConnectionKey): string {
  const pk = `CONNECTION#${connectionKey(key)}`;
  if (Buffer.byteLength(pk) + SECONDS_DIGITS > MAX_SORT_KEY_BYTES) throw invalidInput('connection key is too long');
  return pk;
}

/** The sort key of a membership. */
export function groupRow(group: string): string {
  if (typeof group !== 'string' || group === '' || Buffer.byteLength(group) > MAX_NAME_BYTES) {
    throw invalidInput(`group must be a string of 1 to ${MAX_NAME_BYTES} bytes`);
  }
  return `${GROUP_ROW}${group}`;
}

/** The group of a row of a connection; `undefined` for the connection itself. */
export function groupOf(sk: unknown): string | undefined {
  return typeof sk === 'string' && sk.startsWith(GROUP_ROW) ? sk.slice(GROUP_ROW.length) : undefined;
}

/** The index key for the list of a group's connections. */
export function groupListing(api: ConnectionsOfApi, group: string): string {
  return `${stageOf(api)}#${groupRow(group)}`;
}

/**
 * The index key for the list of a principal's connections. It contains a digest of the identity, which can be longer than a key
 * of DynamoDB.
 */
export function principalListing(api: ConnectionsOfApi, principal: PrincipalName): string {
  const { identity, tenantId = '' } = principal ?? {};
  if (typeof identity !== 'string' || identity === '') throw invalidInput('principal must have an identity');
  const caller = callerKey({ principal, authIdentity: '', tenantId });
  return `${stageOf(api)}#PRINCIPAL#${sha256(caller)}`;
}

/** The position of a connection in a list, ordered by expiry, so that a reader can skip expired connections. */
export function listedAs(key: ConnectionKey, ttl: number): string {
  return `${secondsText(ttl)}#${connectionKey(key)}`;
}

/** All connections after this position expire later than `nowMs`. */
export function placeOfNow(nowMs: number): string {
  return `${secondsText(Math.floor(nowMs / 1000))}#\u{10ffff}`;
}

/** The connection at a position of a list. */
export function connectionAt(listed: unknown): ConnectionKey | undefined {
  const [, , apiId, stage, connectionId] = (typeof listed === 'string' && LISTED.exec(listed)) || [];
  return apiId && stage && connectionId ? { apiId, stage, connectionId } : undefined;
}

/** An opaque string for a position in a list. */
export function encodeCursor(listed: string): string {
  return Buffer.from(listed).toString('base64url');
}

/** @throws ConnectionError `connections.invalid_input` for a string that is not the cursor of a page */
export function decodeCursor(cursor: string): string {
  const listed = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  if (!LISTED.test(listed)) throw invalidInput('cursor must be the cursor of a page');
  return listed;
}

function secondsText(seconds: number): string {
  return String(seconds).padStart(SECONDS_DIGITS, '0');
}

function stageOf({ apiId, stage }: ConnectionsOfApi): string {
  return connectionKey({ apiId, stage, connectionId: '*' }).slice(0, -2);
}
