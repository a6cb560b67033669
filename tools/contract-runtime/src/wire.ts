import type { Json, JsonObject } from '@sallyport/contract';
import type { Response } from '@sallyport/core';
import { toErrorObject } from './failure.js';

/** A value in the form of the protocol: a missing one is `null`, bytes are `{ base64 }`. */
export function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object') return value as Json;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item)]));
}

export function resultOf(value: unknown): JsonObject {
  return { result: toJson(value) };
}

/** The response of a pipeline without a front door, its stream read to the end. */
export async function responseOf({ status, headers, cookies, body, bodyStream }: Response): Promise<JsonObject> {
  const head = { status, headers: toJson(headers), cookies };
  if (!bodyStream) return { response: { ...head, body: toJson(body) } };
  const chunks: Uint8Array[] = body.length > 0 ? [body] : [];
  try {
    for await (const chunk of bodyStream) chunks.push(chunk);
  } catch (error) {
    return { response: withChunks(head, chunks), stream_error: streamError(error) };
  }
  return { response: withChunks(head, chunks) };
}

export function streamError(error: unknown): Json {
  return toErrorObject(error).code || 'app.internal';
}

export function withChunks(head: JsonObject, chunks: readonly Uint8Array[]): JsonObject {
  return { ...head, body: toJson(Buffer.concat(chunks)), chunks: chunks.map(toJson) };
}
