/** A batch invoke in a durable execution, in which an earlier invocation has answered some elements. */
import { createService, LAMBDA, resolverEvent } from './support/service.js';

/** The scope of an execution whose first elements are recorded: they do not run. */
function scopeOf(recorded: readonly object[]) {
  const left = [...recorded];
  return {
    element: async (_state: object, run: () => Promise<unknown>) => left.shift() ?? run(),
    serve: <R>(run: R) => run,
  };
}

const author = (id: string) => resolverEvent({ parent: 'Note', field: 'author', args: { id } });

test.each<[string, readonly object[], unknown[], unknown[][]]>([
  ['none', [], [{ name: 'a' }, { name: 'b' }], [['a', 'b']]],
  ['one', [{ payload: { name: 'recorded' } }], [{ name: 'recorded' }, { name: 'b' }], [['b']]],
  ['all', [{ payload: 1 }, { payload: 2 }], [1, 2], []],
])('elements of a batch field do not wait for recorded ones: %s', async (_name, recorded, answer, expected) => {
  const calls: unknown[][] = [];
  const service = createService();
  service.graphql.registerBatch('Note', 'author', (items) => {
    calls.push(items.map(({ arguments: { id } }) => id));
    return items.map(({ arguments: { id } }) => ({ name: id }));
  });
  const context = { ...LAMBDA, 'sallyport.execution': scopeOf(recorded) };
  expect(await service.serve([author('a'), author('b')], context)).toEqual(answer);
  expect(calls).toEqual(expected);
});
