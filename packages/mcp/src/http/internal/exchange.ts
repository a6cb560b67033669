import type { Clock, Context, FullClock, Logger, SecurePrincipal } from '@sallyport/core';

/** One HTTP request as the engine sees it, behind whatever door it came through. */
export interface Exchange {
  readonly method: string;
  /** Values of a header; the name in lower case. */
  header(name: string): readonly string[];
  /** Size of the body, known without decoding it. */
  readonly bodyBytes: number;
  /** The body as UTF-8 text; read at most once. */
  bodyText(): string;
  readonly principal: SecurePrincipal | null;
  readonly tenantId: string;
  /** Aborts at the deadline, or when the client is gone and the door sees it. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds; the platform's longest invocation when the door does not say. */
  readonly deadline: number;
  /** Whether bytes leave before the answer is complete. */
  readonly canStream: boolean;
  readonly requestId: string;
  readonly clock: Pick<FullClock, 'now' | 'after'>;
  readonly log: Logger;
  /** What handlers get as `ctx.http`. */
  readonly http: Context;
}

/** What the engine answers. A body that is no text is a stream that must be read to its end or returned. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array>;
}

/** The longest that an invocation lasts, in milliseconds. */
export const LONGEST_INVOCATION_MS = 900_000;

export function nowMs(clock: Clock): number {
  return clock.now().getTime();
}

const JSON_HEADERS = { 'content-type': 'application/json' };

export function jsonReply(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body };
}

/** The answer to notifications and responses. */
export const ACCEPTED: Reply = { status: 202, headers: {}, body: '' };
