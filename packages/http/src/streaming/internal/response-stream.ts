/**
 * The part of the Lambda runtime's `responseStream` that we use. It is the `ClientRequest` of Node with which the runtime
 * client posts the answer.
 */
export interface ResponseStream {
  write(chunk: Uint8Array | string): boolean;
  end(): void;
  on(event: 'drain' | 'close' | 'finish' | 'error', listener: (error?: Error) => void): unknown;
  off(event: 'drain' | 'close' | 'finish' | 'error', listener: (error?: Error) => void): unknown;
  readonly destroyed?: boolean;
  readonly writableFinished?: boolean;
  setContentType?(type: string): void;
}

/** What the runtime puts on the global object of a streaming function. */
export interface AwsLambdaGlobal {
  streamifyResponse<T>(handler: (event: unknown, stream: ResponseStream, context: unknown) => Promise<T>): unknown;
  readonly HttpResponseStream?: { from(stream: ResponseStream, metadata: Record<string, unknown>): ResponseStream };
}

/** The runtime's global, `undefined` outside a Lambda function. */
export function awsLambdaGlobal(): AwsLambdaGlobal | undefined {
  const { awslambda } = globalThis as { awslambda?: AwsLambdaGlobal };
  return typeof awslambda?.streamifyResponse === 'function' ? awslambda : undefined;
}

/** The media type that tells the service that metadata goes before the body. */
const INTEGRATION_TYPE = 'application/vnd.awslambda.http-integration-response';
/** Bytes that the metadata may take, by the service's rule. */
export const MAX_METADATA_BYTES = 16 * 1024;
const DELIMITER = new Uint8Array(8);

/** Opens the body behind the metadata: through the runtime where it can, else as its wire form (JSON, eight NUL, body). */
export function openBody(stream: ResponseStream, metadata: Record<string, unknown>): ResponseStream {
  const from = awsLambdaGlobal()?.HttpResponseStream?.from;
  if (from) return from(stream, metadata);
  stream.setContentType?.(INTEGRATION_TYPE);
  stream.write(JSON.stringify(metadata));
  stream.write(DELIMITER);
  return stream;
}
