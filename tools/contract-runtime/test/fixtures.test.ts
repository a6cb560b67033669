import { inProcess, loadContract, runContract, uncovered, type Verdict } from '@sallyport/contract';
import { TOOL_FUNCTIONS } from '../src/functions/tools.js';
import { createTypeScriptRuntime, FIXTURES, validate } from '../src/index.js';

const contract = loadContract(FIXTURES, validate);
const areas = [...new Set(contract.fixtures.map(({ area }) => area))];

describe('the contract fixtures', () => {
  it('are valid', () => {
    expect(contract.invalid).toEqual([]);
  });

  it('cover every requirement', () => {
    expect(uncovered(contract)).toEqual([]);
  });

  it('are never skipped by this runtime', () => {
    expect([...contract.skips('typescript')]).toEqual([]);
  });

  it.each(areas)('of %s pass with the TypeScript packages', async (area) => {
    const fixtures = contract.fixtures.filter((fixture) => fixture.area === area);
    const verdicts = await runContract(inProcess(createTypeScriptRuntime(TOOL_FUNCTIONS)), contract, fixtures);
    expect(verdicts.filter(({ outcome }: Verdict) => outcome !== 'passed')).toEqual([]);
    expect(verdicts).toHaveLength(fixtures.length);
  });
});
