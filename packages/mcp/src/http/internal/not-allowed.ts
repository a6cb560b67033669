import { errorText } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { Core } from '../../server/internal/core.js';
import { jsonReply, type Reply } from './exchange.js';

/** 405, with the methods that there are. */
export function notAllowed(allow: string): Reply {
  return jsonReply(errorText(null, RPC.invalidRequest, 'Method not allowed'), 405, { allow });
}

/** Methods that a client of the session era can count on. */
export function allowOf({ settings }: Core): string {
  return settings.sessions === 'durable' ? 'POST, DELETE' : 'POST';
}
