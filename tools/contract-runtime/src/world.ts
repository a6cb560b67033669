import type { Json, JsonObject, Setup, Step } from '@sallyport/contract';
import { createTestEnv, type TestEnv } from '@sallyport/testkit';

/** State of one fixture; it does not outlive the fixture. */
export interface World {
  readonly env: TestEnv;
  /** The reports of the handlers. */
  readonly calls: Json[];
  /** True if the fixture names principals, so that it needs a resolver. */
  readonly resolves: boolean;
  /** The current result of the principal resolver. */
  principal: Json;
  /** The container, once it is built. */
  app: unknown;
}

export function createWorld(setup: Setup, steps: readonly Step[]): World {
  const env = createTestEnv({
    ...(setup.clock !== undefined && { now: new Date(setup.clock) }),
    ...(setup.environment && { environment: setup.environment }),
  });
  env.ids.queue(...(setup.ids ?? []));
  const resolves = setup.principal !== undefined || steps.some(({ principal }) => principal !== undefined);
  return { env, calls: [], resolves, principal: setup.principal ?? null, app: undefined };
}

function isErrorLine(log: object): boolean {
  return 'message' in log && 'error' in log;
}

const PLACE = ['message', 'trigger', 'route', 'source', 'request_id', 'trace_id'];
const ERROR = ['name', 'message', 'code'];

/** The data about a failure that every runtime reports. */
function toFailure(log: object): object {
  const pick = (from: object, names: readonly string[]) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
  return { ...pick(log, PLACE), error: pick((log as { error: object }).error, ERROR) };
}

/** The records since the last call, in wire format. */
export function takeRecords({ env, calls }: World): JsonObject {
  const { logs, metrics, spans } = env.records;
  const taken = {
    // A line about an error contains frames and a message that are specific to this runtime; its record is returned with it.
    logs: logs.filter((log) => !isErrorLine(log)),
    failures: logs.filter((log) => isErrorLine(log) && log.level === 'ERROR').map(toFailure),
    metrics: [...metrics],
    spans: spans.map(({ error, ...span }) => ({ ...span, failed: error !== undefined })),
    calls: [...calls],
  };
  env.records.clear();
  calls.length = 0;
  return taken as unknown as JsonObject;
}
