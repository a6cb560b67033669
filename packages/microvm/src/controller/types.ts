import type { MicrovmDesiredState, MicrovmOperation, MicrovmState } from '../lifecycle/states.js';
import type { PortScope } from '../provider/provider.js';
import type { HeaderEntry } from '../provider/transport.js';
import type { IdlePolicy } from '../registry/registry.js';

/** Members of every request to the controller, in addition to the input of its operation. */
export interface MicrovmEnvelope {
  /** The operation. */
  readonly command: MicrovmOperation;
  /** The request that it belongs to. */
  readonly requestId: string;
  /** The caller's tenant. */
  readonly tenantId: string;
  /** The caller's namespace. */
  readonly namespace: string;
  /** Id of the caller. */
  readonly authSubject: string;
}

/** Input with the id of a session. */
export interface SessionInput {
  /** Letters, digits, `_` and `-`; 1 to 64, the first a letter or a digit. */
  readonly sessionId: string;
}

/** Input of `run`. */
export interface RunInput {
  /** The id of the session. Default: derived from the idempotency key, else random. */
  readonly sessionId?: string;
  /** One of the allowed images. Default: the first. */
  readonly imageRef?: string;
  /** Version of the image. Default: the version in the option `images`, else the latest active version. */
  readonly imageVersion?: string;
  /** Lifetime of the machine in seconds, 1 to the maximum of the option `maximumDurationSeconds`. */
  readonly maximumDurationSeconds?: number;
  /** Idle time before the machine is suspended. Default: the option `idlePolicy`. */
  readonly idlePolicy?: IdlePolicy;
  /** At most 16 strings and 2 KiB; names of `[A-Za-z0-9_.-]{1,64}`, values of at most 256 characters. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Calls with the same key and input run one machine. 1 to 128 visible ASCII characters; not together with `sessionId`. */
  readonly idempotencyKey?: string;
}

/** Input of `list`. */
export interface ListInput {
  /** Sessions of the page, 1 to 50. Default 25. */
  readonly maxResults?: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string;
  /** True if the state of each open session is read from the service; a page then has at most 25 sessions. Default `false`. */
  readonly refresh?: boolean;
}

/** Input of `auth-token`. */
export interface AuthTokenInput extends SessionInput {
  /** Ports within the allowed ports of the option `invoke`, 1 to 16 entries. */
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
  /** Path and query, sent without decoding; begins with `/`. */
  readonly path: string;
  /** Header names and values, unchanged. */
  readonly headers?: readonly HeaderEntry[];
  /** At most 6 MiB. Default: empty. */
  readonly body?: Uint8Array;
  /** One of the ports of the option `invoke`. Default: the first. */
  readonly port?: number;
  /** Public path of this session, for redirects of the program to itself: `/microvms/s1/invoke`. Default: redirects are unchanged. */
  readonly publicPath?: string;
  /** Maximum size of the response in bytes; a larger response is `microvm.response_too_large`. Default 209,715,200. */
  readonly maxResponseBytes?: number;
  /** True if the program's CORS headers are removed because the application sets CORS headers. Default `false`. */
  readonly dropCors?: boolean;
  /** Trace headers that are added. Default: none. */
  readonly trace?: readonly HeaderEntry[];
}

/** Members of all responses. */
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

/** A session in responses. Times are ISO 8601. */
export interface MicrovmSessionView {
  /** The id of the session. */
  readonly sessionId: string;
  /** The state of the session. */
  readonly state: MicrovmState;
  /** The target state of the last command. */
  readonly desiredState: MicrovmDesiredState;
  /** State reported by the service; absent until its first response. */
  readonly providerState?: string;
  /** The machine's id at the service. */
  readonly providerMicrovmId?: string;
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion?: string;
  /** Increases with every change. */
  readonly registryVersion: number;
  /** Time of the reservation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time from which the session is absent. */
  readonly expiresAt: string;
  /** Start time of the machine. */
  readonly startedAt?: string;
  /** Time at which the machine terminated. */
  readonly terminatedAt?: string;
  /** Metadata that the caller passed to `run`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Response of `run`, `get`, `suspend`, `resume` and `terminate`. */
export interface MicrovmSession extends MicrovmAnswer, MicrovmSessionView {
  /** `true` if an earlier `run` with the same key started this session. */
  readonly replayed?: true;
}

/** Response of `list`. */
export interface MicrovmSessionList extends MicrovmAnswer {
  /** The sessions of the page. */
  readonly sessions: readonly MicrovmSessionView[];
  /** Cursor of the next page; `null` at the end. */
  readonly nextCursor: string | null;
}

/** Response of `auth-token` and `shell-auth-token`: a token's id, type, scope and expiry. Its value never leaves the process. */
export interface MicrovmTokenInfo extends MicrovmAnswer {
  /** The id of the session. */
  readonly sessionId: string;
  /** Id of the token in logs and events. */
  readonly tokenId: string;
  /** `auth` for ports, `shell` for the shell. */
  readonly tokenType: 'auth' | 'shell';
  /** `ports:8080`, `ports:1-9`, or `shell`. */
  readonly scope: readonly string[];
  /** Expiry of the token, ISO 8601. */
  readonly expiresAt: string;
}

/** Response of `invoke`, sent by the program in the machine. */
export interface MicrovmInvokeAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Whole `set-cookie` values. */
  readonly cookies: readonly string[];
  /** The unchanged bytes of the program. Read all bytes or leave the loop, else the connection is kept open. */
  readonly bodyStream: AsyncIterable<Uint8Array>;
}

/** Result of a sweep. */
export interface SweepReport {
  /** Number of interrupted starts. */
  readonly pending: number;
  /** Number of interrupted starts that are now confirmed. */
  readonly confirmed: number;
  /** Number of interrupted starts that failed. */
  readonly failed: number;
  /** Number of terminated machines. */
  readonly terminated: number;
  /** Number of machines that the service did not terminate; the next sweep tries again. */
  readonly refused: number;
  /** Number of machines of the images without a row in this table. They keep running: another table may own them. */
  readonly unknown: number;
  /** True if the sweep finished. If not, the next sweep continues. */
  readonly complete: boolean;
}

/** Options of `sweep`. */
export interface SweepOptions {
  /**
   * Set to `true` only if no other table has machines of these images. The sweep then terminates machines without a row in this table
   * that are older than 20 minutes, unless the table contains no machine and no start. A wrong `true` terminates machines of
   * other deployments. Default: the variable `FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS`, else `false`.
   */
  readonly imageIsOnlyOurs?: boolean;
  /** Maximum number of machines that one sweep terminates because of `imageIsOnlyOurs`, 1 to 100. Default 25. */
  readonly limit?: number;
  /** Milliseconds after which the sweep starts no new work, 1,000 to 900,000; less than the remaining time of the invocation. Default 20,000. */
  readonly timeoutMs?: number;
}
