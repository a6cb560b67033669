import type { JsonObject } from '../types.js';
import type { RpcMessage } from './json-rpc.js';
import { isObject, own } from './json-rpc.js';
import { type Era, META, STATELESS_VERSION } from './protocol.js';

/** `invalid` is 400 -32600, `missing` 400 -32602, `mismatch` 400 -32020. */
export type EraDecision = Era | 'invalid' | 'missing' | 'mismatch';

/** Whether the version header alone says that the sender speaks the stateless revision. */
export function hasStatelessHeader(versions: readonly string[]): boolean {
  return versions.some((value) => value.trim() === STATELESS_VERSION);
}

/** The claim of a message: what it says of its own revision, of whatever type; `undefined` without one. */
export function claimOf(params: JsonObject | undefined): unknown {
  const meta = params === undefined ? undefined : own(params, '_meta');
  return isObject(meta) ? own(meta, META.protocolVersion) : undefined;
}

/** The era of one message. The body decides, the header is a cross-check. */
export function decideEra(message: RpcMessage, statelessHeader: boolean): EraDecision {
  switch (message.kind) {
    case 'invalid':
      return statelessHeader ? 'stateless' : 'session';
    case 'response':
      return statelessHeader ? 'invalid' : 'session';
    case 'notification':
      return claimOf(message.params) !== undefined || statelessHeader ? 'stateless' : 'session';
    case 'request':
      if (claimOf(message.params) !== undefined) return 'stateless';
      if (!statelessHeader) return 'session';
      return message.method === 'initialize' ? 'mismatch' : 'missing';
  }
}

/** Whether a batch must be refused: the stateless revision has none. */
export function isStatelessBatch(items: readonly unknown[], statelessHeader: boolean): boolean {
  return statelessHeader || items.some(hasClaim);
}

function hasClaim(item: unknown): boolean {
  const params = isObject(item) ? own(item, 'params') : undefined;
  return isObject(params) && claimOf(params) !== undefined;
}
