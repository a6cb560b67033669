import type { MaybePromise } from '@sallyport/core';
import type { Exchange } from '../../http/internal/exchange.js';
import type { Era, LogLevel } from '../../protocol/internal/protocol.js';
import type { AskKind, ClientCapabilities, Implementation, Json } from '../../protocol/types.js';
import type { Question } from './ask.js';
import type { Run } from './run.js';
import type { RecordedAnswer, RunMemory } from './run-memory.js';

/** Who asks for a run, and what is possible in it. */
export interface RunScope {
  readonly exchange: Exchange;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly progressToken: string | number | undefined;
  /** The least level that is sent; `undefined` sends none. Asked when the handler logs. */
  readonly logLevel: () => MaybePromise<LogLevel | undefined>;
  /** What the handler announced that it may ask for. */
  readonly asks: ReadonlySet<AskKind>;
  /** `no`: this client, or this way of answering, cannot be asked. */
  readonly asking: 'park' | 'hold' | 'no';
  /** Whether the client can come back for the rest of a closed stream. */
  readonly canClose: boolean;
  /** For `hold`: sends a question and waits for its answer. */
  readonly hold?: (question: Question, run: Run) => Promise<RecordedAnswer>;
  /** Looks whether the client has cancelled. */
  readonly isCancelled?: () => Promise<boolean>;
  readonly memory: RunMemory;
}

/** How a run ended. */
export type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | {
      readonly kind: 'questions';
      readonly questions: readonly Question[];
      readonly state: Json | undefined;
      /** Whether the handler returned them: it reads the answers itself. */
      readonly returned: boolean;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'lacks'; readonly required: ClientCapabilities }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout' };

/** An event on its way to the client. */
export interface RunEvent {
  readonly json: string;
  readonly level?: LogLevel;
}
