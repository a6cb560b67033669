import type { Gate } from './gate.js';
import { runGates } from './runner.js';

const gate = (name: string, run: Gate['run'], after: readonly string[] = []): Gate => ({
  name,
  demands: '',
  run,
  after,
});
const results = async (gates: readonly Gate[]) =>
  (await runGates(gates, { concurrency: 2, onResult() {} })).map(({ name, findings }) => ({ name, findings }));

it('runs every gate, even after a gate failed or threw', async () => {
  const gates = [
    gate('a', async () => ['wrong']),
    gate('b', async () => {
      throw new Error('cannot start');
    }),
    gate('c', async () => []),
  ];
  expect(await results(gates)).toEqual([
    { name: 'a', findings: ['wrong'] },
    { name: 'b', findings: ['cannot start'] },
    { name: 'c', findings: [] },
  ]);
});

it('returns the figures that a gate notes, even if it is broken', async () => {
  const run: Gate['run'] = async (note) => {
    note('p90 14');
    return ['too long'];
  };
  const [result] = await runGates([gate('a', run)], { concurrency: 1, onResult() {} });
  expect(result).toMatchObject({ findings: ['too long'], notes: ['p90 14'] });
});

it('starts a gate after the gates that it waits for, even if they fail', async () => {
  const order: string[] = [];
  const note = (name: string) => async () => {
    await null;
    order.push(name);
    return name === 'a' ? ['wrong'] : [];
  };
  await results([gate('a', note('a')), gate('b', note('b'), ['a']), gate('c', note('c'))]);
  expect(order).toEqual(['a', 'c', 'b']);
});

it('does not wait for a gate that is not part of the run', async () => {
  expect(await results([gate('b', async () => [], ['a'])])).toEqual([{ name: 'b', findings: [] }]);
});

it('never runs more gates at the same time than allowed', async () => {
  let running = 0;
  let most = 0;
  const busy = async () => {
    running++;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return [];
  };
  await results(['a', 'b', 'c', 'd', 'e'].map((name) => gate(name, busy)));
  expect(most).toBe(2);
});

it('rejects a table in which a gate waits for one below it', async () => {
  await expect(results([gate('a', async () => [], ['b']), gate('b', async () => [])])).rejects.toThrow(
    'gate a waits for b, which is below it in the table',
  );
});
