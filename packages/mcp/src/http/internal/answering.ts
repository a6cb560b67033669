import { FrameworkError } from '@sallyport/core';
import { isObject, own } from '../../protocol/internal/json-rpc.js';
import { META, RPC } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { RpcError } from '../../server/errors.js';
import type { Accepted } from './accept.js';
import { type Exchange, jsonReply, type Reply } from './exchange.js';
import { messageFrame, SSE_HEADERS } from './sse.js';

/** All of them, or 403 in the framework's own shape. */
export function checkScopes({ principal }: Exchange, scopes: readonly string[]): void {
  const held = principal?.scopes ?? [];
  if (!scopes.every((scope) => held.includes(scope))) throw new FrameworkError('app.forbidden');
}

/** A finished message as JSON, or as the one event of a stream for who takes nothing else, or that rather. */
export function replyWith(json: string, accepted: Accepted): Reply {
  if (accepted.json && !accepted.ratherSse) return jsonReply(json);
  return { status: 200, headers: SSE_HEADERS, body: messageFrame(json) };
}

/** The token under which a client wants to hear of progress. */
export function readProgressToken(meta: unknown): string | number | undefined {
  const token = isObject(meta) ? own(meta, 'progressToken') : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Names the members of `_meta` that are not there. */
export function missingMeta(params: JsonObject | undefined): RpcError {
  const meta = own(params ?? {}, '_meta');
  const missing = [META.protocolVersion, META.clientCapabilities].filter(
    (key) => !isObject(meta) || own(meta, key) === undefined,
  );
  const data = missing.length > 0 ? { missing } : undefined;
  return new RpcError(RPC.invalidParams, 'Missing or malformed request metadata', data, 400);
}
