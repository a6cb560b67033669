import type { Context, SecurePrincipal } from '@sallyport/core';
import { isText } from '@sallyport/core/internal';
import { defineOptions, func, integer, withMethods } from '@sallyport/core/options';
import type { ConnectionKey, ConnectionRegistry } from '@sallyport/http/websocket';
import { whenPassed } from '../../internal/resolver-marks.js';
import type { SecurePrincipalResolver } from '../../principal.js';
import { contextMember } from './internal/read.js';

/** The stored data of a connection whose caller the gate accepted. */
export interface ConnectionPrincipal {
  /** The principal that opened the connection. */
  readonly principal: SecurePrincipal;
  /** Milliseconds since the epoch. Later the principal is ignored, even if the store still has it. */
  readonly expiresAt: number;
}

/** Options of {@link connectionPrincipal}. */
export interface ConnectionPrincipalOptions {
  /** The store for principals; all instances of the function must share it. */
  readonly store: ConnectionRegistry<ConnectionPrincipal>;
  /** Identifies the caller that opens a connection; called only for `$connect`. */
  readonly connect: SecurePrincipalResolver;
  /** The lifetime of a stored principal in seconds, at least 1. API Gateway closes a connection after two hours. */
  readonly ttlSeconds: number;
}

/** Validators and defaults for {@link ConnectionPrincipalOptions}. */
export const CONNECTION_OPTIONS = defineOptions<ConnectionPrincipalOptions>()({
  store: withMethods<ConnectionRegistry<ConnectionPrincipal>>('put', 'get', 'delete').required(),
  connect: func<SecurePrincipalResolver>().required(),
  ttlSeconds: integer(1, undefined, 'seconds').required(),
});

/**
 * Principals for WebSocket APIs without an authorizer: the principal that the gate accepted at `$connect` is stored,
 * and read again for each message of that connection. The connection is identified by the gateway's request context, never
 * by the message.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown, missing or wrong option
 * @example new SecureApp({ principalResolver: connectionPrincipal({ store, connect: jwtPrincipalResolver(config), ttlSeconds: 7200 }) });
 */
export function connectionPrincipal(options: ConnectionPrincipalOptions): SecurePrincipalResolver {
  const { store, connect, ttlSeconds } = CONNECTION_OPTIONS.parse(options ?? null);
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

/** The connection in the request context of the gateway; `undefined` if a part is missing. */
function connectionOf(ctx: Context): Connection | undefined {
  if (ctx.triggerKind !== 'websocket') return undefined;
  const [apiId, stage, connectionId] = ['apiId', 'stage', 'connectionId'].map((name) => contextMember(ctx, name));
  const connectedAt = contextMember(ctx, 'connectedAt');
  if (!isText(apiId) || !isText(stage) || !isText(connectionId) || !Number.isSafeInteger(connectedAt)) return undefined;
  return {
    key: { apiId, stage, connectionId },
    connectedAt: connectedAt as number,
    eventType: contextMember(ctx, 'eventType'),
  };
}
