import type { Surface } from '../src/index.js';
import { createLateSurface } from '../src/runtime/late-surface.js';

const INVOCATION = { lambdaContext: undefined };

function createCounted(extra: Partial<Surface> = {}) {
  const counts = { created: 0 };
  const late = createLateSurface<Surface>(['queue'], () => {
    counts.created += 1;
    return { serves: ['queue'], serve: async (kind, event) => [kind, event], ...extra };
  });
  return { ...late, counts };
}

it('neither its kinds nor its registrations create the surface', () => {
  const { surface, isRegistered, counts } = createCounted({ triggers: () => [{ kind: 'queue', name: 'orders' }] });
  expect([surface.serves, surface.triggers(), isRegistered(), counts.created]).toEqual([['queue'], [], false, 0]);
});

it('the first event creates it once, and is not a registration', async () => {
  const { surface, isRegistered, counts } = createCounted();
  expect(await surface.serve('queue', 1, INVOCATION)).toEqual(['queue', 1]);
  expect(await surface.serve('queue', 2, INVOCATION)).toEqual(['queue', 2]);
  expect([counts.created, isRegistered()]).toEqual([1, false]);
});

it('a registration creates it once, and the dispatcher then sees its registrations', () => {
  const { surface, register, isRegistered, counts } = createCounted({
    triggers: () => [{ kind: 'queue', name: 'orders' }],
  });
  expect(register()).toBe(register());
  expect([counts.created, isRegistered(), surface.triggers()]).toEqual([1, true, [{ kind: 'queue', name: 'orders' }]]);
});

it('an explanation creates it', () => {
  const target = { handler: 'f', posture: null, outcome: 'handled', projection: 'batch report' } as const;
  const { surface, counts } = createCounted({ explainTarget: () => target });
  expect([surface.explainTarget?.('queue', {}), counts.created]).toEqual([target, 1]);
});
