import { asBuffer, type Context, createMap, type Response } from '@sallyport/core';
import { OutgoingResponse, type toResponse } from '@sallyport/core/pipeline';
import type { Keep } from './run-once.js';

type Answer = ReturnType<typeof toResponse>;

/** An answer as it is stored. */
interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Text where the bytes are UTF-8, else base64. */
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
  readonly isBase64?: true;
}

/** 4xx answers that say nothing about the request itself: another try may fare better. */
const PASSING = [408, 409, 425, 429];

/** What becomes of an answer: stored, or forgotten. */
export function keptAnswer(ctx: Context, answer: Answer, names: readonly string[]): Keep {
  if (answer.bodyStream) {
    ctx.log.warn('streamed answer is not kept for its idempotency key');
    return 'abandon';
  }
  const { status } = answer;
  return status >= 500 || PASSING.includes(status) ? 'abandon' : { result: toStored(answer, names) };
}

function toStored({ status, headers, body, isBase64 }: Response, names: readonly string[]): StoredAnswer {
  const kept = createMap<readonly string[]>();
  for (const [name, values] of Object.entries(headers)) {
    if (names.includes(name.toLowerCase())) kept[name.toLowerCase()] = values;
  }
  const bytes = asBuffer(body);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  return {
    status,
    headers: kept,
    body: isText ? text : bytes.toString('base64'),
    encoding: isText ? 'utf8' : 'base64',
    ...(isBase64 && { isBase64 }),
  };
}

/** The stored answer, marked; `undefined` for what is none. */
export function replayedAnswer(result: unknown): Answer | undefined {
  if (!isStored(result)) return undefined;
  const headers = createMap<string[]>();
  for (const [name, values] of Object.entries(result.headers)) headers[name] = [...values];
  headers['idempotency-replayed'] = ['true'];
  const answer = new OutgoingResponse(result.status, headers, Buffer.from(result.body, result.encoding));
  answer.isBase64 = result.isBase64 === true;
  return answer;
}

function isStored(value: unknown): value is StoredAnswer {
  const { status, headers, body, encoding } = (value ?? {}) as Partial<StoredAnswer>;
  if (!Number.isInteger(status) || typeof body !== 'string' || typeof headers !== 'object' || headers === null) {
    return false;
  }
  return (encoding === 'utf8' || encoding === 'base64') && Object.values(headers).every(Array.isArray);
}
