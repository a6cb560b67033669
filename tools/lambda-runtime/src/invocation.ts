import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** The data of an invocation besides its event. */
export interface InvocationOptions {
  /** Default: a new id. */
  readonly requestId?: string;
  /** Milliseconds from the moment the runtime receives the event; default 15,000. */
  readonly timeoutMs?: number;
  /** The alias or version that is invoked; default: none. */
  readonly qualifier?: string | undefined;
  /** `Lambda-Runtime-Trace-Id`; default: none. */
  readonly traceId?: string;
  /** `Lambda-Runtime-Aws-Tenant-Id`; default: none. */
  readonly tenantId?: string;
  /** Value of `Lambda-Runtime-Client-Context`, JSON or not; default: none. */
  readonly clientContext?: string;
  /** Value of `Lambda-Runtime-Cognito-Identity`, JSON or not; default: none. */
  readonly cognitoIdentity?: string;
  /** Called with each part of the answer as it arrives. */
  readonly onChunk?: (chunk: Buffer) => void;
}

/**
 * Result of an invocation: an answer, an error that the runtime reported, an answer whose connection was cut, or no answer because
 * the process exited or timed out.
 */
export type Outcome = 'response' | 'error' | 'cut' | 'exit' | 'timeout';

export interface InvocationResult {
  readonly outcome: Outcome;
  readonly requestId: string;
  /** True if the runtime declared a streamed answer. */
  readonly streaming: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

const TIMEOUT_MS = 60_000;
const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:';

/** One invocation, from the queue to its end. */
export class Invocation {
  readonly requestId: string;
  readonly result: Promise<InvocationResult>;
  readonly #event: string;
  readonly #options: InvocationOptions;
  readonly #chunks: Buffer[] = [];
  #settle: (result: InvocationResult) => void = () => {};
  #answer: IncomingMessage | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(requestId: string, event: unknown, options: InvocationOptions) {
    this.requestId = requestId;
    this.#event = JSON.stringify(event);
    this.#options = options;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Sends the event with its headers. The timeout starts here. */
  handOut(
    functionName: string,
    onTimeout: () => void,
  ): { readonly headers: OutgoingHttpHeaders; readonly body: string } {
    const { timeoutMs = TIMEOUT_MS, qualifier, traceId, tenantId, clientContext, cognitoIdentity } = this.#options;
    this.#timer = setTimeout(onTimeout, timeoutMs);
    const headers: OutgoingHttpHeaders = {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': this.requestId,
      'lambda-runtime-deadline-ms': String(Date.now() + timeoutMs),
      'lambda-runtime-invoked-function-arn': ARN + functionName + (qualifier === undefined ? '' : `:${qualifier}`),
      ...(traceId === undefined ? {} : { 'lambda-runtime-trace-id': traceId }),
      ...(tenantId === undefined ? {} : { 'lambda-runtime-aws-tenant-id': tenantId }),
      ...(clientContext === undefined ? {} : { 'lambda-runtime-client-context': toHeader(clientContext) }),
      ...(cognitoIdentity === undefined ? {} : { 'lambda-runtime-cognito-identity': toHeader(cognitoIdentity) }),
    };
    return { headers, body: this.#event };
  }

  /** Receives the answer in parts; `onEnd` runs once when it is whole or cut. */
  receive(answer: IncomingMessage, kind: 'response' | 'error', onEnd: () => void): void {
    this.#answer = answer;
    answer.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#options.onChunk?.(chunk);
    });
    answer.once('close', () => {
      this.end(answer.complete ? kind : 'cut');
      onEnd();
    });
  }

  /** Settles the result, once. */
  end(outcome: Outcome): void {
    clearTimeout(this.#timer);
    const headers = this.#answer?.headers ?? {};
    this.#settle({
      outcome,
      requestId: this.requestId,
      streaming: headers['lambda-runtime-function-response-mode'] === 'streaming',
      headers,
      trailers: this.#answer?.trailers ?? {},
      body: Buffer.concat(this.#chunks),
    });
  }
}

/** UTF-8 bytes as node:http writes them: one character each. */
function toHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
