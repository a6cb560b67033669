import type { ClientView } from '../journal/journal.js';
import type { InvokeOutcome } from '../runtime/invoker.js';

/** A manual request of the developer: from the page, or from `sallyport send`. */
export interface SendRequest {
  /** `http` (through the doors), `websocket`, `appsync`, `queue`, `stream`, `table-stream`, `topic`, `event-bus`, `schedule`, or `event`. */
  readonly kind: string;
  /** `POST /orders`, the source's name, `Query.note`. */
  readonly target?: string;
  /** The doors that receive an HTTP request; default `['gateway-v2']`. */
  readonly doors?: readonly string[];
  /** Options of the kind's builder; for `event` the event itself. */
  readonly options?: unknown;
  /** Signs with a token of the local issuer. */
  readonly as?: {
    readonly sub: string;
    readonly scopes?: readonly string[];
    readonly tenant?: string;
    readonly kind?: string;
  };
  /** Sends as a `direct` caller, or as an `agent` tool of this name. */
  readonly caller?: { readonly kind: 'direct' } | { readonly kind: 'agent'; readonly tool: string };
}

/** The immediate result; later results are in the journal. */
export interface SendResult {
  /** One entry per door, or a single entry. Empty for sources, which invoke the function asynchronously. */
  readonly invocations: readonly {
    readonly door: string | null;
    readonly outcome: InvokeOutcome;
    readonly client: ClientView | null;
  }[];
  /** Ids of the records that a source accepted. */
  readonly recordIds: readonly string[];
}

/** Sends manual requests. */
export interface Sender {
  /** @throws FrameworkError for an unknown kind or source, and for options that a builder rejects */
  send(request: SendRequest): Promise<SendResult>;
}
