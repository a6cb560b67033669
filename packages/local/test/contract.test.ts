import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ContractRuntime, loadContract, runContract } from '@sallyport/contract';
import { FIXTURES } from '@sallyport/contract-runtime';
import { createProject, invoke, start } from './support/run.js';

/** The runtime of the contract as a function: its events are the messages of the runner. */
const FUNCTION = `
import { createTypeScriptRuntime } from '@sallyport/contract-runtime';
const runtime = createTypeScriptRuntime();
export const handler = (message) => (message.type === 'hello' ? runtime.hello(message) : runtime.run(message));`;

/** Their requests exceed Lambda's limit of 6 MiB. */
const TOO_LARGE = ['function-url', 'gateway-v1', 'gateway-v2', 'http-api-v1'].map((door) => `answers/cap-over-${door}`);

/** Features of tools on the developer's machine: no function on Lambda has them. */
const OF_TOOLS = ['inventory-file', 'manifest', 'front-doors'];
/** It runs an execution on the engine of the test kit, which a function does not have. */
const OF_TESTS = 'durable/record-execution';

test('every fixture of the contract returns in a process of Lambda’s runtime what it returns in memory', async () => {
  // `fixtures.test.ts` of the runtime validates them.
  const contract = loadContract(FIXTURES, () => []);
  const fixtures = contract.fixtures.filter(({ area, id }) => !OF_TOOLS.includes(area) && id !== OF_TESTS);
  const project = createProject({ 'src/lambda.ts': FUNCTION });
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(project.folder, 'node_modules'));
  // Without the AWS port: the fixtures sign requests for AWS's own addresses.
  const host = await start(
    project,
    { entry: 'src/lambda.ts', conditions: ['@sallyport/source'], memory: 1024, timeout: 60 },
    { without: ['AWS port', 'doors', 'console', 'sources'] },
  );
  const ask = async (message: object) => {
    const outcome = await invoke(host, message);
    if (outcome.ok) return outcome.answer as never;
    return { ...message, type: 'unsupported', reason: outcome.error.errorType } as never;
  };
  try {
    const runtime: ContractRuntime = { hello: ask, run: ask, bye: async () => {} };
    const verdicts = await runContract(runtime, contract, fixtures, { timeoutMs: 60_000 });
    const failed = verdicts.filter(({ outcome }) => outcome !== 'passed');
    expect(failed).toEqual(
      TOO_LARGE.map((id) => ({
        id,
        outcome: 'failed',
        failures: [],
        reason: 'unsupported: RequestEntityTooLargeException',
      })),
    );
    expect(verdicts).toHaveLength(fixtures.length);
  } finally {
    await host.stop();
    project.remove();
  }
});
