import { type ContractRuntime, inProcess, runContract, type Verdict } from '../src/index.js';
import { fakeRuntime, fixture, HELLO, makeContract } from './support.js';

const CONTRACT = makeContract({
  'detection/a.json': fixture('detection/a'),
  'detection/b.json': fixture('detection/b', { steps: [{ result: 'topic' }] }),
  'detection/c.json': fixture('detection/c'),
});

const outcomes = (verdicts: readonly Verdict[]) => verdicts.map(({ outcome }) => outcome);

describe('a run', () => {
  it('returns one verdict for each fixture, in order', async () => {
    const seen: string[] = [];
    const verdicts = await runContract(fakeRuntime({ result: 'queue' }), CONTRACT, CONTRACT.fixtures, {
      onVerdict: ({ id }) => seen.push(id),
    });
    expect(outcomes(verdicts)).toEqual(['passed', 'failed', 'passed']);
    expect(seen).toEqual(['detection/a', 'detection/b', 'detection/c']);
    expect(verdicts[1]?.failures).toEqual([{ step: 0, path: '.result', expected: '"topic"', found: '"queue"' }]);
  });

  it('stops at the first failure with the option', async () => {
    const verdicts = await runContract(fakeRuntime({ result: 'queue' }), CONTRACT, CONTRACT.fixtures, { bail: true });
    expect(outcomes(verdicts)).toEqual(['passed', 'failed']);
  });

  it.each<[object, string]>([
    [{ timeoutms: 1 }, 'unknown option "timeoutms"; known are timeoutMs, bail, onVerdict'],
    [{ timeoutMs: 0 }, 'option "timeoutMs" must be a whole number of milliseconds from 1 to 2,147,483,647'],
    [{ bail: 1 }, 'option "bail" must be true or false'],
  ])('rejects the options %j before the runtime is called', async (options, problem) => {
    const run = runContract(fakeRuntime({ result: 'queue' }), CONTRACT, CONTRACT.fixtures, options);
    await expect(run).rejects.toThrow(expect.failure('app.invalid_configuration', problem));
  });

  it('fails a fixture whose answer has another number of steps', async () => {
    const verdicts = await runContract(fakeRuntime({}, { steps: [] }), CONTRACT, CONTRACT.fixtures.slice(0, 1));
    expect(verdicts[0]?.failures).toEqual([{ step: null, path: '.steps.length', expected: '1', found: '0' }]);
  });

  it('ends when a runtime that cannot be started again breaks the protocol', async () => {
    const runtime: ContractRuntime = {
      ...fakeRuntime({}),
      run: async () => ({ type: 'done', seq: 9, construction_error: null, steps: [] }),
    };
    await expect(runContract(runtime, CONTRACT, CONTRACT.fixtures)).rejects.toThrow('answer has seq 9 instead of 1');
  });

  it('rejects a hello without areas', async () => {
    const hello = { ...HELLO, areas: undefined as unknown as string[] };
    const runtime: ContractRuntime = { ...fakeRuntime({}), hello: async () => hello };
    await expect(runContract(runtime, CONTRACT, [])).rejects.toThrow('hello names no runtime or areas');
  });

  it('sees a runtime in process through JSON only', async () => {
    const outcome = { result: { a: undefined, toJSON: () => 'queue' } as unknown as string };
    const verdicts = await runContract(inProcess(fakeRuntime(outcome)), CONTRACT, CONTRACT.fixtures.slice(0, 1));
    expect(outcomes(verdicts)).toEqual(['passed']);
  });
});
