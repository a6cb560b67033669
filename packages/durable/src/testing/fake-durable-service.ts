import type { TestEnv } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { ExecutionDriver } from './internal/execution-driver.js';
import { FAKE_DURABLE_SERVICE_OPTIONS } from './internal/options.js';
import type { BuildDurable, FakeDurableServiceOptions } from './types.js';

/** A service in memory, and the environment of its functions. */
export interface FakeDurableService {
  /** Starts executions, shows and ends their waits, and completes their callbacks. */
  readonly service: DurableEngine;
  /** Its clock measures the waits; its records have the logs of all invocations. */
  readonly env: TestEnv;
}

/**
 * Creates a service for durable executions in memory, for tests that move the clock and answer callbacks themselves. `runDurable` does
 * both. AWS's SDK runs on it: it replaces the SDK's calls of the Lambda API.
 *
 * @param build builds the function. It is called before each invocation.
 * @example
 * const { service, env } = fakeDurableService(build);
 * const { arn } = service.start({ functionArn, payload: JSON.stringify(event) });
 * await service.settle();
 * await env.clock.advance(600_000);
 * const { status } = await service.ended(arn);
 */
export function fakeDurableService(build: BuildDurable, options: FakeDurableServiceOptions = {}): FakeDurableService {
  FAKE_DURABLE_SERVICE_OPTIONS.parse(options);
  const { engine, env } = new ExecutionDriver(build, options);
  return { service: engine, env };
}
