import { FrameworkError, isFrameworkError } from './errors.js';

/** The first part of the codes that packages of the framework throw, apart from `app`, which applications use too. */
const OWN_CODES =
  /^(?:account|artifact|connections|dispatch|eventbus|http|jobs|mcp|microvm|objectstore|ratelimit|secure|streams|triggers|vectorstore|websocket)\./;
/** How texts for developers begin. */
const OWN_TEXTS = /^(?:framework|objectstore|vectorstore): /;

/**
 * An error as a client may see it, on every surface: texts of the framework for a failure of status 500 are for developers, so the client
 * gets `internal error`, without `details`. The code stays. Everything else that is a FrameworkError is meant for the client.
 *
 * The log gets the error itself, never the result.
 */
export function toClientError(thrown: unknown): FrameworkError {
  if (!isFrameworkError(thrown)) return new FrameworkError('app.internal', undefined, { cause: thrown });
  const { code, message, statusCode, requestId, traceId, timestamp, stackTrace, headers } = thrown;
  if (thrown.status !== 500 || !(OWN_TEXTS.test(message) || OWN_CODES.test(code))) return thrown;
  const rest = { statusCode, requestId, traceId, timestamp, stackTrace, headers };
  return new FrameworkError(code, INTERNAL, { ...rest, cause: thrown });
}

const INTERNAL = 'internal error';
