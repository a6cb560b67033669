import { fileURLToPath } from 'node:url';
import { loadContract, runContract, spawnRuntime } from '@sallyport/contract';
import { FIXTURES } from '../src/index.js';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

describe('the TypeScript runtime as a separate program', () => {
  it('answers over standard input and output as it does in process', async () => {
    // `fixtures.test.ts` of the runtime validates them.
    const contract = loadContract(FIXTURES, () => []);
    const fixtures = contract.fixtures.filter(
      ({ area }) => area === 'detection' || area === 'doors' || area === 'mcp-sessions',
    );
    const runtime = spawnRuntime(`"${process.execPath}" --conditions=@sallyport/source --import tsx "${MAIN}"`);
    const verdicts = await runContract(runtime, contract, fixtures, { timeoutMs: 30_000 });
    expect(verdicts.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(100);
  });
});
