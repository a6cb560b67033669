import type { ClientView } from '../journal/journal.js';
import type { InvokeOutcome } from '../runtime/invoker.js';

/** Something that a developer sends by hand: from the page, or by `sallyport send`. */
export interface SendRequest {
  /** `http` (through the doors), `websocket`, `appsync`, `queue`, `stream`, `table-stream`, `topic`, `event-bus`, `schedule`, or `event`. */
  readonly kind: string;
  /** `POST /orders`, the source's name, `Query.note`. */
  readonly target?: string;
  /** Which doors an HTTP request takes; default `['gateway-v2']`. */
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

/** What became of it at once; what comes later is in the journal. */
export interface SendResult {
  /** One for each door, or one. Empty for sources, which deliver by themselves. */
  readonly invocations: readonly {
    readonly door: string | null;
    readonly outcome: InvokeOutcome;
    readonly client: ClientView | null;
  }[];
  /** Ids of the records that a source took. */
  readonly recordIds: readonly string[];
}

/** Sends by hand. */
export interface Sender {
  /** @throws FrameworkError for what a builder rejects, and for an unknown kind or source */
  send(request: SendRequest): Promise<SendResult>;
}
