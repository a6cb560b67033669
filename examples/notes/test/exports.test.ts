import { explore, runDurable, sweep } from '@sallyport/durable/testing';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { buildTopicEvent, type TestEnv } from '@sallyport/testkit';
import { createExports } from '../src/exports.js';
import { MemoryNotes } from '../src/notes.js';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:note-exports';
const event = buildTopicEvent(TOPIC, [{ message: JSON.stringify({ id: 'e-1', by: 'ada' }) }]);
const environment = { FRAMEWORK_DURABLE: '1' };

/** The function with notes; files and questions outlive an invocation. */
function createWorld(count: number) {
  const files = createFakeObjectStore({ versioning: 'off' });
  const asked: object[] = [];
  const build = (env: TestEnv) => {
    const notes = new MemoryNotes();
    for (let number = 1; number <= count; number += 1) notes.add({ title: `${number}`, text: '' }, 'ada');
    const ask = ({ callbackId, ...question }: { readonly callbackId: string }) =>
      asked.push({ ...question, hasId: callbackId !== '' });
    return createExports({ notes, files: { bucket: 'files', store: files }, ask, container: env.options() });
  };
  const written = () =>
    files
      .calls()
      .filter(({ operation }) => operation === 'put')
      .map(({ ref }) => ref.key);
  return { build, asked, written };
}

it('a small export is written without a question', async () => {
  const { build, asked, written } = createWorld(2);
  expect(await runDurable(build, event, { environment })).toMatchObject({ status: 'SUCCEEDED', invocations: 1 });
  expect({ asked, written: written() }).toEqual({ asked: [], written: ['exports/e-1.json'] });
});

it.each([
  ['approved', { approved: true }, 'SUCCEEDED', ['exports/e-1.json']],
  ['refused', { approved: false }, 'SUCCEEDED', []],
  ['answered with something else', { approved: 'yes' }, 'FAILED', []],
  ['failed by the other system', new Error('no such person'), 'FAILED', []],
] as const)('a large export that is %s', async (_name, approval, status, expected) => {
  const { build, asked, written } = createWorld(51);
  const run = await runDurable(build, event, { environment, callbacks: { approval } });
  expect(run.status).toBe(status);
  expect(asked).toEqual([{ id: 'e-1', by: 'ada', notes: 51, hasId: true }]);
  expect(written()).toEqual(expected);
});

it('an answer that does not arrive within a day ends the export', async () => {
  const { build, written } = createWorld(51);
  expect(await runDurable(build, event, { environment })).toMatchObject({ status: 'FAILED' });
  expect(written()).toEqual([]);
});

it('a kill at any checkpoint changes nothing', async () => {
  const { build } = createWorld(51);
  const { kills, run } = await sweep(build, event, { environment, callbacks: { approval: { approved: true } } });
  expect(run.status).toBe('SUCCEEDED');
  expect(kills).toBeGreaterThan(5);
});

it.each([2, 51])('a replay of an export of %i notes breaks nothing', async (count) => {
  const { build } = createWorld(count);
  const options = { environment, callbacks: { approval: { approved: true } }, seeds: 1 };
  expect(await explore(build, event, options)).toEqual([]);
});
