import type { CallOptions, ExtraHeaders } from './contract.js';

/** Options of `createClient`. */
export interface ClientOptions {
  /** The address of the service; paths of operations are appended: `https://api.example.com`, `https://example.com/prod`. */
  readonly url: string;
  /**
   * The headers of each try, such as `authorization`. After a 401 the function is called again with `refresh: true`, to renew a token, and
   * the request is sent again.
   */
  readonly headers?: (call: { readonly refresh: boolean }) => ExtraHeaders | Promise<ExtraHeaders>;
  /** Milliseconds for a call with all its tries and its body. Default 10,000. */
  readonly timeoutMs?: number;
  /** False sends each request once. Default true. */
  readonly retry?: boolean;
  /** The requests with which a browser sends cookies. Default `same-origin`. */
  readonly credentials?: 'omit' | 'same-origin' | 'include';
  /** Checks each answer below 400: `validateAnswers` of `/validate`. Default: answers are not checked. */
  readonly validate?: AnswerValidator | undefined;
  /** Sends a request, for example after signing it. Default: the platform's `fetch`. */
  readonly fetch?: (url: string, request: RequestInit) => Promise<Response>;
}

/** Throws for an answer that does not fit the contract. */
export type AnswerValidator = (operation: string, status: number, data: unknown) => void;

/** A request without the types of a contract. */
export interface RawInput extends CallOptions {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The parameters of the query; a list is repeated. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** More headers; they replace those of the client. */
  readonly headers?: ExtraHeaders;
  /** The body: text, bytes and forms are sent unchanged, plain values as JSON. */
  readonly body?: unknown;
  /** The `idempotency-key`; `true` creates one. */
  readonly idempotencyKey?: string | true;
  /** True repeats the request after a failure, with any method. */
  readonly repeat?: boolean;
}
