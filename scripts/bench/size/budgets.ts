// What a function may weigh that uses one package. A line here is a promise to users: raise one only with a reason.
import { gatewayV2Event, queueEvent } from '../events.js';

export interface Budget {
  /** The entry file `entries/<name>.ts`. */
  readonly name: string;
  /** Gzip bytes of the minified bundle; `null` while there is no promise. */
  readonly gzipBytes: number | null;
  /** What it should weigh; `README.md` says what stands between. */
  readonly wantedBytes?: number;
  /** An event for the first response; `null` where only the import is timed. */
  readonly event: object | null;
  /** Whether the answer is right. */
  accepts(answer: unknown): boolean;
  /** A part of paths that no file of the bundle has. */
  readonly lacks?: string;
}

/** What a function loads at its start when it is bundled with code splitting. */
export interface SplitBudget {
  /** The entry file `entries/<name>.ts`. */
  readonly name: string;
  /** Gzip bytes of the files that load at the start. */
  readonly startBytes: number;
  /** Modules that load with their first use. */
  readonly lazyParts: number;
}

/** Many small parts cost more than they save: each is a file to open. */
export const SPLIT_BUDGETS: readonly SplitBudget[] = [{ name: 'mcp', startBytes: 15_000, lazyParts: 6 }];

const HEALTH = gatewayV2Event({ method: 'GET', path: '/health' });
const HEALTH_OF_ADA = { ...HEALTH, headers: { authorization: 'Bearer local' } };
const isOk = (answer: unknown) => (answer as { statusCode?: unknown } | null)?.statusCode === 200;
const isClean = (answer: unknown) => JSON.stringify(answer) === '{"batchItemFailures":[]}';

export const BUDGETS: readonly Budget[] = [
  // More than before error lines, options described once and direct invocations: the default logger with its sanitizer and the
  // causes of errors 2.6 KB, `defineOptions` 0.9 KB, what doors reject and how the cap counts 0.5 KB, who invoked 0.5 KB.
  // Middlewares of a route, problem details, and the places where hooks are asked: 0.3 KB. Hooks and groups are imported.
  { name: 'http', gzipBytes: 22_900, wantedBytes: 13_000, event: HEALTH, accepts: isOk },
  { name: 'queue', gzipBytes: 14_200, wantedBytes: 8_000, event: queueEvent(10, []), accepts: isClean },
  // The engine alone: it is mounted on a container, which is weighed on its own.
  // What one unsplit file holds whatever a server uses; since 36.8 KB: sound replay and a store that may fail 3 KB, tasks 2.2 KB, definitions
  // by defineOptions, apps, hooks and who may call 2 KB. What loads at the start is the promise below.
  { name: 'mcp', gzipBytes: 45_000, wantedBytes: 15_000, event: null, accepts: () => true, lacks: 'mcp/src/oauth' },
  // With groups (0.7 KB) and hooks (0.6 KB), which are methods and options of a container.
  { name: 'app', gzipBytes: 41_900, event: HEALTH, accepts: isOk },
  { name: 'secure', gzipBytes: 51_000, wantedBytes: 30_000, event: HEALTH, accepts: isOk },
  // A guard on a closed container; without JWTs, which load with the first token.
  { name: 'oauth', gzipBytes: 55_000, event: HEALTH_OF_ADA, accepts: isOk, lacks: 'node_modules/.pnpm/jose' },
  { name: 'ratelimit', gzipBytes: null, event: null, accepts: () => true },
  { name: 'objectstore', gzipBytes: null, event: null, accepts: () => true },
];
