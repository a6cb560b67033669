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
}

const HEALTH = gatewayV2Event({ method: 'GET', path: '/health' });
const isOk = (answer: unknown) => (answer as { statusCode?: unknown } | null)?.statusCode === 200;
const isClean = (answer: unknown) => JSON.stringify(answer) === '{"batchItemFailures":[]}';

export const BUDGETS: readonly Budget[] = [
  // 16,500 until the doors rejected what is no request and the cap counted the serialised answer.
  { name: 'http', gzipBytes: 17_000, wantedBytes: 9_000, event: HEALTH, accepts: isOk },
  { name: 'queue', gzipBytes: 10_200, wantedBytes: 4_000, event: queueEvent(10, []), accepts: isClean },
  // The engine alone: it is mounted on a container, which is weighed on its own.
  { name: 'mcp', gzipBytes: 36_500, wantedBytes: 15_000, event: null, accepts: () => true },
  { name: 'app', gzipBytes: null, event: HEALTH, accepts: isOk },
  { name: 'secure', gzipBytes: null, event: HEALTH, accepts: isOk },
  { name: 'ratelimit', gzipBytes: null, event: null, accepts: () => true },
];
