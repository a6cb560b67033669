/** Optional parts: each twin has the type of its part, and rejects its use; surfaces are created when they are first needed. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { detectRow } from '../src/internal/compile.js';
import * as events from '../src/internal/parts/events.js';
import * as explain from '../src/internal/parts/explain.js';
import * as extensions from '../src/internal/parts/extensions.js';
import * as graphql from '../src/internal/parts/graphql.js';
import * as noEvents from '../src/internal/parts/left-out/events.js';
import * as noExplain from '../src/internal/parts/left-out/explain.js';
import * as noExtensions from '../src/internal/parts/left-out/extensions.js';
import * as noGraphql from '../src/internal/parts/left-out/graphql.js';
import * as noSurfaces from '../src/internal/parts/left-out/surfaces.js';
import * as surfaces from '../src/internal/parts/surfaces.js';
import { ROWS } from '../src/rows.js';
import { anyEvent } from './support/arbitraries.js';
import { HOSTILE } from './support/hostile.js';

/** `true` only if both types are exactly equal; another argument does not compile. */
type Same<A, B> = (<T>() => T extends Exports<A> ? 1 : 2) extends <T>() => T extends Exports<B> ? 1 : 2 ? true : false;
/** An exported function can be declared or be a constant. */
type Exports<M> = { readonly [K in keyof M]: M[K] };
const same = <A extends object, B extends object>(part: A, twin: B, _isSame: Same<A, B>) => [part, twin] as const;

const PAIRS = {
  events: same(events, noEvents, true),
  explain: same(explain, noExplain, true),
  extensions: same(extensions, noExtensions, true),
  graphql: same(graphql, noGraphql, true),
  surfaces: same(surfaces, noSurfaces, true),
};

it('every part of the package has a pair here', () => {
  const folder = fileURLToPath(new URL('../src/internal/parts', import.meta.url));
  const files = readdirSync(folder).flatMap((name) => (name.endsWith('.ts') ? [name.slice(0, -3)] : []));
  expect(files.sort()).toEqual(Object.keys(PAIRS).sort());
});

it.each(Object.entries(PAIRS))('the twin of %s exports the same names', (_name, [part, twin]) => {
  expect(Object.keys(twin).sort()).toEqual(Object.keys(part).sort());
});

const place = (name: string) => ({ name, environment: {}, fail: (problem: string) => new Error(problem) });
const codeOf = (run: () => unknown) => {
  try {
    run();
    return 'no error';
  } catch (error) {
    return `${(error as { code?: string }).code} ${/framework: (.+) is not in this bundle.*(sallyport-no-\w+)/
      .exec((error as Error).message)
      ?.slice(1)
      .join(' / ')}`;
  }
};

it.each<[() => unknown, string]>([
  [
    () => noEvents.createEvents({}, '', []).register(),
    'queue(), tableStream(), kinesis(), topic(), eventBus() or useEvents() / sallyport-no-events',
  ],
  [() => noEvents.observerForSurfaces(), 'the code for the option "surfaces" / sallyport-no-events'],
  [
    () => noEvents.EVENT_KINDS.streamFailureIdentifier.read('auto', place('streamFailureIdentifier')),
    'option "streamFailureIdentifier" / sallyport-no-events',
  ],
  [
    () => noEvents.EVENT_KINDS.queueConcurrency.read(2, place('queueConcurrency')),
    'option "queueConcurrency" / sallyport-no-events',
  ],
  [
    () => noGraphql.createGraphql(undefined as never, {}).register(),
    'appSyncField() or appSyncBatchField() / sallyport-no-graphql',
  ],
  [
    () => noGraphql.GRAPHQL_KINDS.errorMode.read('throw', place('errorMode')),
    'option "errorMode" / sallyport-no-graphql',
  ],
  [
    () => noGraphql.GRAPHQL_KINDS.batchConcurrency.read(1, place('batchConcurrency')),
    'option "batchConcurrency" / sallyport-no-graphql',
  ],
  [
    () => noGraphql.GRAPHQL_KINDS.batchResult.read('native', place('batchResult')),
    'option "batchResult" / sallyport-no-graphql',
  ],
  [() => noSurfaces.SURFACES_KIND.read([], place('surfaces')), 'option "surfaces" / sallyport-no-surfaces'],
  [
    () => noExtensions.compileExtensions([{ rows: [] } as never]),
    'the code for surfaces with own rows / sallyport-no-surfaces',
  ],
  [() => noExplain.explainRows({}, 0, extensions.compileExtensions([])), 'explain() / sallyport-no-explain'],
])('a left-out part rejects its use: %#', (use, expected) => {
  expect(codeOf(use)).toBe(`app.left_out ${expected}`);
});

it.each([
  ['events', () => noEvents.createEvents({}, '', []), 'queue'],
  ['graphql', () => noGraphql.createGraphql(undefined as never, {}), 'appsync'],
])('the surface of %s that is left out serves no kind and rejects every event', async (_name, create, kind) => {
  const { surface } = create();
  expect([surface.serves, surface.triggers()]).toEqual([[], []]);
  await expect(surface.serve(kind, {}, { lambdaContext: undefined })).rejects.toMatchObject({
    code: 'dispatch.no_adapter',
    message: `framework: no adapter for ${kind}`,
  });
});

it('options that other parts read keep their defaults and checks', () => {
  expect(noEvents.EVENT_KINDS.deadlineMarginMs.read(undefined, place('deadlineMarginMs'))).toBe(500);
  expect(noEvents.EVENT_KINDS.maskErrors.read(true, place('maskErrors'))).toBe(true);
  expect(() => noEvents.EVENT_KINDS.deadlineMarginMs.read(-1, place('deadlineMarginMs'))).toThrow('milliseconds');
});

const full = extensions.compileExtensions([]);
const lean = noExtensions.compileExtensions([]);

it('the table without its rows has the kinds and entrypoints of the rows', () => {
  expect(lean.fixed.map(({ entrypoint }) => entrypoint)).toEqual(ROWS.map(({ entrypoint }) => entrypoint));
  expect(lean.kinds).toEqual(ROWS.map(({ kind }) => kind));
});

it('the table without its rows detects every event and list as the full table does', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      expect(detectRow(event, lean)).toBe(detectRow(event, full));
    }),
    { numRuns: 3000 },
  );
  for (const [, event] of HOSTILE) expect(detectRow(event, lean)).toBe(detectRow(event, full));
  const resolver = { info: { fieldName: 'a', parentTypeName: 'Query' }, arguments: {} };
  const inherited = Object.assign(Object.create({ info: resolver.info }) as object, { arguments: {} });
  for (const event of [
    [resolver],
    [resolver, resolver],
    [resolver, {}],
    [inherited],
    [Object.assign([], resolver)],
    [{ info: Object.assign([], resolver.info), arguments: {} }],
    [],
    Object.assign([resolver], { length: 2 }),
  ]) {
    expect(detectRow(event, lean)).toBe(detectRow(event, full));
  }
  expect(detectRow([resolver], lean)).toBe(5);
});
