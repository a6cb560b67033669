import { Writable } from 'node:stream';
import type { JsonObject } from '@sallyport/contract';
import type { LambdaContext } from '@sallyport/core';
import { detect } from '@sallyport/dispatch';
import {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  type StreamingApp,
} from '@sallyport/http';
import { streamError, toJson, withChunks } from './wire.js';

/** Runs the streaming handler for the event's kind, and returns the client's view of the answer. */
export async function streamThrough(
  app: unknown,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): Promise<JsonObject> {
  const stream = new ClientStream();
  const scope = globalThis as { awslambda?: unknown };
  const before = scope.awslambda;
  scope.awslambda = {
    streamifyResponse:
      (handler: (event: unknown, stream: Writable, context: unknown) => Promise<unknown>) =>
      (given: unknown, context: unknown) =>
        handler(given, stream, context),
    HttpResponseStream: { from: (body: ClientStream, metadata: JsonObject) => body.begin(metadata) },
  };
  try {
    const create =
      detect(event) === 'function-url' ? createLambdaFunctionURLStreamingHandler : createGatewayRestStreamingHandler;
    await create(app as StreamingApp)(event, lambdaContext);
  } catch (error) {
    // Before an answer has begun, it cannot break off.
    if (!stream.hasBegun) throw error;
    return { ...stream.outcome(), stream_error: streamError(error) };
  } finally {
    scope.awslambda = before;
  }
  return stream.outcome();
}

/** The client's end of the runtime's response stream. Only the runtime closes it early, never the handler. */
class ClientStream extends Writable {
  readonly #chunks: Uint8Array[] = [];
  #metadata: JsonObject = {};
  hasBegun = false;

  begin(metadata: JsonObject): this {
    this.#metadata = metadata;
    this.hasBegun = true;
    return this;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
    done();
  }

  outcome(): JsonObject {
    if (this.destroyed && !this.writableFinished) throw new Error('the response stream was destroyed');
    return { response: withChunks(headOf(this.#metadata), this.#chunks) };
  }
}

function headOf({ statusCode, headers, multiValueHeaders, cookies }: JsonObject): JsonObject {
  const lists = Object.entries({ ...(headers as object), ...(multiValueHeaders as object) }).map(
    ([name, value]): [string, unknown] => [name.toLowerCase(), Array.isArray(value) ? value : [value]],
  );
  const { 'set-cookie': setCookies, ...rest } = Object.fromEntries(lists);
  return { status: statusCode ?? 0, headers: toJson(rest), cookies: toJson(cookies ?? setCookies ?? []) };
}
