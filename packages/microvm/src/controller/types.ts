import type { MicrovmDesiredState, MicrovmOperation, MicrovmState } from '../lifecycle/states.js';
import type { PortScope } from '../provider/provider.js';
import type { HeaderEntry } from '../provider/transport.js';
import type { IdlePolicy } from '../registry/registry.js';

/** What every request of the controller is made of, next to the input of its operation. */
export interface MicrovmEnvelope {
  /** The operation. */
  readonly command: MicrovmOperation;
  /** The request that it belongs to. */
  readonly requestId: string;
  /** The caller's tenant. */
  readonly tenantId: string;
  /** The caller's namespace. */
  readonly namespace: string;
  /** Who calls. */
  readonly authSubject: string;
}

/** Names a session. */
export interface SessionInput {
  /** Letters, digits, `_` and `-`; 1 to 64, the first a letter or a digit. */
  readonly sessionId: string;
}

/** Input of `run`. */
export interface RunInput {
  /** The id of the session. Default: one made from the idempotency key, else a random one. */
  readonly sessionId?: string;
  /** One of the allowed images. Default: the first. */
  readonly imageRef?: string;
  /** Version of the image. Default: that of the option `images`, else the latest active one. */
  readonly imageVersion?: string;
  /** Seconds that the machine may exist, 1 to the option's maximum. */
  readonly maximumDurationSeconds?: number;
  /** When the machine suspends itself. Default: the option's. */
  readonly idlePolicy?: IdlePolicy;
  /** At most 16 strings and 2 KiB; names of `[A-Za-z0-9_.-]{1,64}`, values of at most 256 characters. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Repeated calls with the same key and input run one machine. 1 to 128 visible ASCII characters; not together with `sessionId`. */
  readonly idempotencyKey?: string;
}

/** Input of `list`. */
export interface ListInput {
  /** Sessions of the page, 1 to 50. Default 25. */
  readonly maxResults?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
  /** True if the service is asked for the state of each open session; then a page has at most 25. Default `false`. */
  readonly refresh?: boolean;
}

/** Input of `auth-token`. */
export interface AuthTokenInput extends SessionInput {
  /** Ports within those of the option `invoke`, 1 to 16 entries. */
  readonly ports: readonly PortScope[];
  /** Seconds, 60 to 900. Default 300. The service counts whole minutes. */
  readonly ttlSeconds?: number;
}

/** Input of `shell-auth-token`. */
export interface ShellAuthTokenInput extends SessionInput {
  /** Seconds, 60 to 900. Default 300. The service counts whole minutes. */
  readonly ttlSeconds?: number;
}

/** Input of `invoke`: a request to the program in the machine. */
export interface InvokeInput extends SessionInput {
  /** The method in upper case. */
  readonly method: string;
  /** Path and query as they are sent, not decoded; begins with `/`. */
  readonly path: string;
  /** Names and values as they came. */
  readonly headers?: readonly HeaderEntry[];
  /** At most 6 MiB. Default: empty. */
  readonly body?: Uint8Array;
  /** One of the ports of the option `invoke`. Default: the first. */
  readonly port?: number;
  /** Where clients reach this session, for redirects of the program to itself: `/microvms/s1/invoke`. Default: redirects stay as they are. */
  readonly publicPath?: string;
  /** Bytes of the answer at most; more is `microvm.response_too_large`. Default 209,715,200. */
  readonly maxResponseBytes?: number;
  /** True if CORS headers of the program are left out, because the application answers with its own. Default `false`. */
  readonly dropCors?: boolean;
  /** Trace headers that are added. Default: none. */
  readonly trace?: readonly HeaderEntry[];
}

/** What all answers hold. */
export interface MicrovmAnswer {
  /** The operation. */
  readonly command: MicrovmOperation;
  /** The request that it belongs to. */
  readonly requestId: string;
  /** The caller's tenant. */
  readonly tenantId: string;
  /** The caller's namespace. */
  readonly namespace: string;
}

/** A session as answers show it. Times are ISO 8601. */
export interface MicrovmSessionView {
  /** The id of the session. */
  readonly sessionId: string;
  /** Where it is in its life. */
  readonly state: MicrovmState;
  /** What the last command wants. */
  readonly desiredState: MicrovmDesiredState;
  /** In the words of the service; absent until it has answered. */
  readonly providerState?: string;
  /** The machine, by the name that the service gave it. */
  readonly providerMicrovmId?: string;
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion?: string;
  /** Grows with every change. */
  readonly registryVersion: number;
  /** When it was reserved. */
  readonly createdAt: string;
  /** When it was changed last. */
  readonly updatedAt: string;
  /** From then on the session is absent. */
  readonly expiresAt: string;
  /** When the machine started. */
  readonly startedAt?: string;
  /** When the machine ended. */
  readonly terminatedAt?: string;
  /** What the caller gave to `run`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Answer of `run`, `get`, `suspend`, `resume` and `terminate`. */
export interface MicrovmSession extends MicrovmAnswer, MicrovmSessionView {
  /** Of `run`: an earlier call with the same key ran this session. */
  readonly replayed?: true;
}

/** Answer of `list`. */
export interface MicrovmSessionList extends MicrovmAnswer {
  /** The sessions of the page. */
  readonly sessions: readonly MicrovmSessionView[];
  /** Hand it in for the next page; `null` at the end. */
  readonly nextCursor: string | null;
}

/** Answer of `auth-token` and `shell-auth-token`: what is known of a token. Its value never leaves the process. */
export interface MicrovmTokenInfo extends MicrovmAnswer {
  /** The id of the session. */
  readonly sessionId: string;
  /** Names the token in logs and events. */
  readonly tokenId: string;
  /** What it opens: ports, or the shell. */
  readonly tokenType: 'auth' | 'shell';
  /** `ports:8080`, `ports:1-9`, or `shell`. */
  readonly scope: readonly string[];
  /** When its life ends, ISO 8601. */
  readonly expiresAt: string;
}

/** Answer of `invoke`: that of the program in the machine. */
export interface MicrovmInvokeAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Whole `set-cookie` values. */
  readonly cookies: readonly string[];
  /** The bytes as the program sent them. Read it, or leave the loop: until then the connection stays open. */
  readonly bodyStream: AsyncIterable<Uint8Array>;
}

/** What a sweep did. */
export interface SweepReport {
  /** Interrupted starts that were found. */
  readonly pending: number;
  /** Of them, those whose machine is known now. */
  readonly confirmed: number;
  /** Of them, those that were given up. */
  readonly failed: number;
  /** Machines that were terminated. */
  readonly terminated: number;
  /** Machines that the service did not terminate; the next sweep tries again. */
  readonly refused: number;
  /** Machines of the images that this table knows nothing about. They keep running: another table may own them. */
  readonly unknown: number;
  /** True if the sweep got to its end. If not, the next one continues. */
  readonly complete: boolean;
}

/** Options of `sweep`. */
export interface SweepOptions {
  /**
   * States that no other table has machines of these images. Then machines that this table knows nothing about are terminated
   * when they are older than 20 minutes, unless the table names no machine and no start at all. A false statement ends machines of
   * other deployments. Default: the variable `FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS`, else `false`.
   */
  readonly imageIsOnlyOurs?: boolean;
  /** Machines that one sweep terminates because of `imageIsOnlyOurs`, 1 to 100. Default 25. */
  readonly limit?: number;
  /** Milliseconds after which the sweep begins nothing new, 1,000 to 900,000. Less than the invocation has. Default 20,000. */
  readonly timeoutMs?: number;
}
