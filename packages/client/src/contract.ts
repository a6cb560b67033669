/** One HTTP operation of a {@link Contract}. All members are optional; values are JSON. */
export interface Operation {
  /** The parameters of the path, by name. */
  readonly params?: object;
  /** The parameters of the query. */
  readonly query?: object;
  /** Request headers that the operation reads. */
  readonly headers?: object;
  /** The request body. */
  readonly body?: unknown;
  /** The bodies of the answers below 400, by status. Default: any status, `unknown`. */
  readonly answer?: object;
  /** The codes of its errors. Default: any string. */
  readonly error?: string;
  /** The data of its server-sent events, by the event's type. */
  readonly events?: object;
  /** The operation reads `idempotency-key`: each call has a key, so that it can be repeated. */
  readonly idempotency?: true;
  /** The operation may be repeated although its method is PUT, DELETE, PATCH or POST. */
  readonly repeatable?: true;
}

/**
 * The requests and answers of a service: an interface with one line for each operation.
 *
 * @example
 * interface Notes {
 *   http: {
 *     'GET /notes/{id}': { params: { id: string }; answer: { 200: Note }; error: 'app.not_found' };
 *   };
 * }
 */
export interface Contract {
  /** By method and path, as the service registers them: `GET /notes/{id}`, `GET /files/{path+}`. */
  readonly http?: { readonly [operation: string]: Operation };
  /** The messages of its WebSocket API, by route key (`in`) and by type (`out`). */
  readonly socket?: { readonly in: object; readonly out: object };
  /** Its MCP tools, by name. */
  readonly tool?: { readonly [name: string]: { readonly input: unknown; readonly output: unknown } };
}

/** The HTTP operations of a contract. */
export type Operations<C> = C extends { readonly http: infer H } ? H : never;

/** A member that is missing is optional if this type fits it. */
type Nothing = Record<never, never>;

/**
 * The input of one call of an operation. Each part is written out, with `extends keyof`: a helper type for a part, or `infer`, costs the compiler an
 * instantiation for every part of every operation (`npm run bench:types`).
 */
export type CallInput<O> = ('params' extends keyof O
  ? Nothing extends O['params']
    ? { readonly params?: O['params'] }
    : { readonly params: O['params'] }
  : unknown) &
  ('query' extends keyof O
    ? Nothing extends O['query']
      ? { readonly query?: O['query'] }
      : { readonly query: O['query'] }
    : unknown) &
  ('body' extends keyof O
    ? Nothing extends O['body']
      ? O['body'] extends object
        ? { readonly body?: O['body'] }
        : { readonly body: O['body'] }
      : { readonly body: O['body'] }
    : unknown) &
  ('headers' extends keyof O
    ? { readonly headers: O['headers'] & ExtraHeaders }
    : { readonly headers?: ExtraHeaders }) &
  ('idempotency' extends keyof O
    ? {
        /** The `idempotency-key` of the request; `true` creates a key for this call. */
        readonly idempotencyKey: string | true;
      }
    : unknown) &
  ('repeatable' extends keyof O
    ? {
        /** True repeats the request after a failure, as a GET is. */
        readonly repeat?: boolean;
      }
    : unknown) &
  CallOptions;

/** Headers of one request; `undefined` leaves one out. */
export type ExtraHeaders = Readonly<Record<string, string | undefined>>;

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it is rejected with `client.aborted`. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the call with all its tries. Default: that of the client. */
  readonly timeoutMs?: number;
}

/** The arguments after the operation's name: optional when nothing is required. */
export type CallArguments<O> = ArgumentsOf<CallInput<O>>;
type ArgumentsOf<Input> = Nothing extends Input ? [input?: Input] : [input: Input];

/** The members of every answer besides its body. */
export interface AnswerFacts {
  /** The headers of the answer. */
  readonly headers: Headers;
  /** The id of the request in the service's logs, from `x-request-id`. */
  readonly requestId: string | undefined;
}

/** An answer below 400: `data` has the type of its status. */
export type Accepted<O> = O extends { readonly answer: infer A }
  ? { readonly [S in keyof A]: { readonly ok: true; readonly status: S; readonly data: A[S] } & AnswerFacts }[keyof A]
  : { readonly ok: true; readonly status: number; readonly data: unknown } & AnswerFacts;

/** An error of the service. */
export interface ServiceError<Code extends string = string> {
  /** The stable code, such as `app.not_found`. */
  readonly code: Code;
  /** The message, for developers. */
  readonly message: string;
  /** Facts of the error, such as the fields that a schema rejected. */
  readonly details?: unknown;
}

/** An answer of 400 and above in a form of the service. */
export interface Rejected<Code extends string = string> extends AnswerFacts {
  /** False: an error. */
  readonly ok: false;
  /** The status, 400 or above. */
  readonly status: number;
  /** The error of the service. */
  readonly error: ServiceError<Code>;
}

/** The answer of an operation. */
export type Answer<O> = Accepted<O> | Rejected<O extends { readonly error: infer E extends string } ? E : string>;
