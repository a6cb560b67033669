import { assertKnownOptions, type Context, invalidOption, type SecurePrincipal } from '@sallyport/core';
import type { ConnectionKey, ConnectionRegistry } from '@sallyport/http/websocket';
import { whenPassed } from '../../internal/resolver-marks.js';
import type { SecurePrincipalResolver } from '../../principal.js';
import { contextMember } from './internal/read.js';

/** What is kept of a connection whose caller passed the gate. */
export interface ConnectionPrincipal {
  readonly principal: SecurePrincipal;
  /** Epoch milliseconds; stores may be slow to forget. */
  readonly expiresAt: number;
}

export interface ConnectionPrincipalOptions {
  /** Shared by all instances of the function. */
  readonly store: ConnectionRegistry<ConnectionPrincipal>;
  /** Finds out who opens a connection; asked at `$connect` only. */
  readonly connect: SecurePrincipalResolver;
  /** How long a connection's principal is kept; API Gateway ends a connection after two hours. */
  readonly ttlSeconds: number;
}

/**
 * Principals for WebSocket APIs without an authorizer: whoever passed the gate at `$connect` is remembered for the messages
 * of that very connection. A message is told by the gateway's request context alone, never by what it says.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function connectionPrincipal(options: ConnectionPrincipalOptions): SecurePrincipalResolver {
  const { store, connect, ttlSeconds } = parseOptions(options);
  return async (ctx) => {
    const connection = connectionOf(ctx);
    if (!connection) return null;
    const { key, connectedAt, eventType } = connection;
    if (eventType === 'CONNECT') {
      whenPassed(ctx, async (principal) => {
        const expiresAt = ctx.now().getTime() + ttlSeconds * 1000;
        await store.put(key, { connectedAt, data: { principal, expiresAt } }, ttlSeconds);
        return undefined;
      });
      return connect(ctx);
    }
    const record = await store.get(key);
    if (eventType === 'DISCONNECT') await store.delete(key);
    const valid = record?.connectedAt === connectedAt && ctx.now().getTime() < record.data.expiresAt;
    return valid ? record.data.principal : null;
  };
}

interface Connection {
  readonly key: ConnectionKey;
  readonly connectedAt: number;
  readonly eventType: unknown;
}

/** What the gateway itself says of the connection; nothing unless it says everything. */
function connectionOf(ctx: Context): Connection | undefined {
  if (ctx.triggerKind !== 'websocket') return undefined;
  const [apiId, stage, connectionId] = ['apiId', 'stage', 'connectionId'].map((name) => contextMember(ctx, name));
  const connectedAt = contextMember(ctx, 'connectedAt');
  if (!isPart(apiId) || !isPart(stage) || !isPart(connectionId) || !Number.isSafeInteger(connectedAt)) return undefined;
  return {
    key: { apiId, stage, connectionId },
    connectedAt: connectedAt as number,
    eventType: contextMember(ctx, 'eventType'),
  };
}

function isPart(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function parseOptions(options: ConnectionPrincipalOptions): ConnectionPrincipalOptions {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, ['store', 'connect', 'ttlSeconds']);
  const { store, connect, ttlSeconds } = options;
  for (const method of ['put', 'get', 'delete'] as const) {
    if (typeof store?.[method] !== 'function') throw invalidOption('store', 'an object with put(), get() and delete()');
  }
  if (typeof connect !== 'function') throw invalidOption('connect', 'a function');
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1) {
    throw invalidOption('ttlSeconds', 'a whole number of seconds, 1 or more');
  }
  return { store, connect, ttlSeconds };
}
