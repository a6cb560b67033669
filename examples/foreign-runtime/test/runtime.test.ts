import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Schema, Validator } from '@cfworker/json-schema';
import { loadContract, runContract, spawnRuntime } from '@sallyport/contract';

const program = fileURLToPath(new URL('../runtime.py', import.meta.url));
const AREAS = ['detection', 'provenance'];

/** True if Python 3.9 or later is installed; prints a message otherwise. */
function hasPython(): boolean {
  const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
  if (status !== 0) console.warn('skipped: the foreign runtime needs python3, 3.9 or later, on the PATH');
  return status === 0;
}

(hasPython() ? describe : describe.skip)('a runtime in Python', () => {
  it('passes every fixture of its areas', async () => {
    const folder = fileURLToPath(new URL('../../../contract-fixtures', import.meta.url));
    const contract = loadContract(folder, (schema, value) =>
      new Validator(schema as Schema, '2020-12').validate(value).errors.map(({ error }) => error),
    );
    const fixtures = contract.fixtures.filter(({ area }) => AREAS.includes(area));
    const verdicts = await runContract(spawnRuntime(`python3 "${program}"`), contract, fixtures);
    expect(verdicts.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(new Set(fixtures.map(({ area }) => area))).toEqual(new Set(AREAS));
    expect(verdicts).toHaveLength(fixtures.length);
  });
});

it('is a program of at most 300 lines', () => {
  expect(readFileSync(program, 'utf8').split('\n').length).toBeLessThanOrEqual(300);
});
