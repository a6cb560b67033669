import type { ClientView } from '../journal/journal.js';
import type { InvokeOutcome } from '../runtime/invoker.js';

/** A manual request of the developer: from the page, or from `sallyport send`. */
export interface SendRequest {
  /**
   * `http` (through the doors), `websocket`, `appsync`, `queue`, `stream`, `table-stream`, `topic`, `event-bus`, `schedule`, `event`, or the
   * kind of an opt-in trigger.
   */
  readonly kind: string;
  /** `POST /orders`, the source's name, `Query.note`; for an opt-in trigger the name of a registration. */
  readonly target?: string;
  /** The doors that receive an HTTP request; default `['gateway-v2']`. */
  readonly doors?: readonly string[];
  /** Options of the kind's builder; for `event` the event itself; for an opt-in trigger `{ event }`, or nothing for its sample. */
  readonly options?: unknown;
  /** Signs with a token of the local issuer. */
  readonly as?: {
    readonly sub: string;
    readonly scopes?: readonly string[];
    readonly tenant?: string;
    readonly kind?: string;
  };
  /** The alias that is invoked. Default: for a trigger that an alias selects its target, else the alias of the front doors. */
  readonly alias?: string;
  /** The invocation whose event was edited: values that the page does not show are sent unchanged. For `event`. */
  readonly from?: number;
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
