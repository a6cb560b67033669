import { createAwsPort } from '../../src/internal/aws/port.js';
import type { Host } from '../../src/internal/host/host.js';
import { LocalSources } from '../../src/internal/sources/local-sources.js';
import { LocalState } from '../../src/internal/state/local-state.js';

/** The AWS port of a run, with the sources and the state that it serves. */
export interface TestPort {
  readonly sources: LocalSources;
  readonly state: LocalState;
  stop(): Promise<void>;
}

/** Starts the AWS port of a run; its sources and its state are created and not started. */
export async function startPort(host: Host, environment: NodeJS.ProcessEnv = {}): Promise<TestPort> {
  const state = new LocalState(host, environment);
  const sources = new LocalSources({ ...host, state });
  const port = createAwsPort({ ...host, state, sources });
  await port.start();
  return {
    sources,
    state,
    async stop() {
      await sources.stop();
      await port.stop();
      await state.stop();
    },
  };
}
