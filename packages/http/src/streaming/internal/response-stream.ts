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

/**
 * Writes to a response stream one chunk at a time, and knows when its reader is gone. It never destroys the stream: the
 * runtime client writes its error trailers to it.
 */
export class StreamWriter {
  readonly #stream: ResponseStream;
  #gone = false;
  #finished = false;
  #wake: (() => void) | undefined;

  /** `onGone` runs once when the stream closes or fails before it was finished. */
  constructor(stream: ResponseStream, onGone: () => void) {
    this.#stream = stream;
    const leave = () => {
      if (this.#finished || this.#gone) return;
      this.#gone = true;
      onGone();
      this.#wake?.();
    };
    stream.on('drain', () => this.#wake?.());
    stream.on('finish', () => {
      this.#finished = true;
      this.#wake?.();
    });
    stream.on('error', leave);
    stream.on('close', leave);
  }

  get gone(): boolean {
    return this.#gone || (this.#stream.destroyed === true && !this.#finished);
  }

  /** Resolves once the stream takes more; at once when nobody reads any longer. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.gone || this.#stream.write(chunk)) return;
    await this.#nextChange();
  }

  /** Ends the stream and waits until everything has been handed over, or the reader is gone. */
  async finish(): Promise<void> {
    if (this.gone) return;
    this.#stream.end();
    while (!this.#finished && !this.gone) await this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
