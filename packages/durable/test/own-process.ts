import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as sdk from '@aws-sdk/client-lambda';
import { systemClock } from '@sallyport/core';
import { bundleFunction, type Runtime, startRuntime } from '@sallyport/lambda-runtime';
import {
  type CheckpointRequest,
  createDurableEngine,
  type DurableEngineOptions,
  type StateRequest,
  toRestJson,
} from '@sallyport/testkit/durable';
import { startService } from '@sallyport/testkit/services';

const FUNCTIONS = join(dirname(fileURLToPath(import.meta.url)), 'functions');

type Invoke = DurableEngineOptions['invoke'];

/**
 * A file of `functions` as a durable function: AWS's runtime client in a separate process, and Lambda's API over an engine. After a process
 * has ended, the next invocation starts another process, as in a new environment. The function appends its effects to the file `$EFFECTS`.
 */
export async function startOwnProcess(file: string) {
  const folder = mkdtempSync(join(tmpdir(), 'durable-process-'));
  const effects = join(folder, 'effects.txt');
  const bundle = await bundleFunction(join(FUNCTIONS, file), { format: 'cjs' });
  let runtime: Runtime | undefined;
  const newEngine = (options: Partial<DurableEngineOptions> & { readonly invoke: Invoke }) => {
    writeFileSync(effects, '');
    const engine = createDurableEngine({
      clock: systemClock,
      // Waits and retries end immediately.
      onChange: () => setImmediate(() => engine.skip()),
      ...options,
    });
    own.engine = engine;
    return engine;
  };
  const own = {
    folder,
    newEngine,
    engine: undefined as ReturnType<typeof createDurableEngine> | undefined,
    /** The number of processes until now. */
    starts: 0,
    /** Called for each checkpoint, before it is stored and before it is answered. */
    atCheckpoint: async (_when: 'before' | 'after') => {},
    effects: () => readFileSync(effects, 'utf8').trim().split('\n'),
    log: () => runtime?.log ?? '',
    /** @param timeoutMs the function's time-out */
    async invoke(event: unknown, timeoutMs?: number) {
      own.starts += runtime ? 0 : 1;
      runtime ??= await startRuntime({
        bundle: bundle.file,
        handler: 'handler',
        env: {
          FRAMEWORK_DURABLE: '1',
          EFFECTS: effects,
          AWS_ENDPOINT_URL_LAMBDA: service.endpoint,
          AWS_ACCESS_KEY_ID: 'test',
          AWS_SECRET_ACCESS_KEY: 'test',
        },
      });
      return runtime.invoke(event, timeoutMs === undefined ? {} : { timeoutMs });
    },
    async kill() {
      await runtime?.stop();
      runtime = undefined;
    },
    async stop() {
      own.engine?.close();
      await own.kill();
      await service.stop();
      bundle.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const service = await startService({
    sdk,
    handlers: {
      async CheckpointDurableExecution(input) {
        await own.atCheckpoint('before');
        const answer = await own.engine?.checkpoint(input as unknown as CheckpointRequest);
        await own.atCheckpoint('after');
        return toRestJson(answer) as object;
      },
      GetDurableExecutionState: async (input) =>
        toRestJson(await own.engine?.getExecutionState(input as unknown as StateRequest)) as object,
    },
  });
  return Object.assign(own, { service });
}
