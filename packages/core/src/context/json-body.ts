import { FrameworkError } from '../errors/errors.js';
import { isJsonMediaType, unsupportedMediaType } from '../request/encoding.js';
import type { Context } from './context.js';

/**
 * The value of a JSON body that is not empty, `null` included. A WebSocket message has no headers, so it needs no media type.
 *
 * @throws FrameworkError `app.unsupported_media_type`, `app.bad_request` `invalid json`
 */
export function parseJsonBody(ctx: Pick<Context, 'asWebSocket' | 'bodyText' | 'header'>): unknown {
  const contentType = ctx.header('content-type') ?? '';
  if (!isJsonMediaType(contentType) && !ctx.asWebSocket()) throw unsupportedMediaType(contentType, 'application/json');
  try {
    return JSON.parse(ctx.bodyText());
  } catch (cause) {
    throw new FrameworkError('app.bad_request', 'invalid json', { cause });
  }
}
