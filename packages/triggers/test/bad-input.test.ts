import { createApp } from '@sallyport/dispatch/app';
import { CATALOGUE, type CatalogueEntry, type SampleHandler } from '@sallyport/triggers/catalogue';
import { contextOf, EVENTS, SURFACES, surfaceOf } from './kinds.js';

/** The kinds whose handlers the container's own routes are. */
const WITHOUT_HANDLERS = ['lattice'];
const ENTRIES = Object.values<CatalogueEntry>(CATALOGUE).filter(({ kind }) => !WITHOUT_HANDLERS.includes(kind));
const FIRST = ENTRIES.map((entry) => [entry.kind, entry] as const);

/** A container with this trigger, and the number of calls of its handler. */
function counted(entry: CatalogueEntry) {
  const ran = { calls: 0 };
  const handler = (async () => {
    ran.calls += 1;
    return entry.sample.result as never;
  }) as SampleHandler;
  return { app: createApp({ log: false, surfaces: [surfaceOf(entry, handler)] }), ran };
}

/** The paths of all members of an event down to three levels. */
function pathsOf(value: unknown, depth = 3): string[][] {
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...pathsOf(member, depth - 1).map((rest) => [name, ...rest]),
  ]);
}

/** A copy of an event with one member changed. */
function changed(
  event: object,
  path: readonly string[],
  change: (owner: Record<string, unknown>, name: string) => void,
) {
  const copy = structuredClone(event);
  let owner = copy as Record<string, unknown>;
  for (const step of path.slice(0, -1)) owner = owner[step] as Record<string, unknown>;
  change(owner, path.at(-1) as string);
  return copy;
}

const CHANGES: readonly [string, (owner: Record<string, unknown>, name: string) => void][] = [
  // JSON has no list with a hole.
  ['missing', (owner, name) => void (Array.isArray(owner) ? owner.splice(Number(name), 1) : delete owner[name])],
  ['null', (owner, name) => void Object.assign(owner, { [name]: null })],
  ['a number', (owner, name) => void Object.assign(owner, { [name]: 7 })],
  ['a blank string', (owner, name) => void Object.assign(owner, { [name]: ' ' })],
  ['a list', (owner, name) => void Object.assign(owner, { [name]: [null] })],
  ['an object', (owner, name) => void Object.assign(owner, { [name]: {} })],
  ['no base64', (owner, name) => void Object.assign(owner, { [name]: '%%%' })],
  ['6 MB of text', (owner, name) => void Object.assign(owner, { [name]: 'x'.repeat(6_000_000) })],
];

describe.each(FIRST)('an event of %s', (kind, entry) => {
  const [[sample]] = entry.sample.events as unknown as readonly [readonly [object, unknown]];
  const paths = pathsOf(sample);

  it.each(CHANGES)(
    'with a member that is %s is served or is rejected with a code, and no text has its content',
    async (what, change) => {
      const { app, ran } = counted(entry);
      // Values of 6 MB are slow: each kind has its first members.
      for (const path of what.startsWith('6 MB') ? paths.slice(0, 2) : paths) {
        ran.calls = 0;
        const event = changed(sample, path, change);
        const outcome = await app.handleLambda(event, contextOf(kind)).then(
          () => null,
          (error: unknown) => error as { code?: unknown; message: string; stack?: string },
        );
        if (outcome === null) continue;
        // An error without a code is shown with its stack.
        const code = typeof outcome.code === 'string' ? 'string' : outcome.stack;
        expect([path, code]).toEqual([path, 'string']);
        expect(outcome.message.length).toBeLessThan(300);
        expect([path, outcome.message.includes('%%%')]).toEqual([path, false]);
        expect(ran.calls).toBeLessThanOrEqual(1);
      }
    },
  );

  it('with further members is served as before', async () => {
    const foreign = { foreign: { a: 1 }, 'x-y': [1], constructor: 'a', toString: 'b' };
    const { app, ran } = counted(entry);
    const event = Array.isArray(sample) ? sample.map((one) => ({ ...one, ...foreign })) : { ...foreign, ...sample };
    expect(app.explain(event, contextOf(kind)).kind).toBe(kind);
    await app.handleLambda(event, contextOf(kind));
    expect(ran.calls).toBe(1);
  });

  it('with a member that its JSON has twice is read by the last one', async () => {
    const { app, ran } = counted(entry);
    const text = JSON.stringify(sample);
    const doubled = [...text.matchAll(/\{"([^"]+)":/g)].map(({ index, 0: { length }, 1: name }) => {
      const at = index + 1;
      return `${text.slice(0, at)}${JSON.stringify(name)}:{"foreign":"%%%"},${text.slice(at, index + length)}${text.slice(index + length)}`;
    });
    expect(doubled.length).toBeGreaterThan(0);
    for (const one of doubled) await app.handleLambda(JSON.parse(one), contextOf(kind));
    expect(ran.calls).toBe(doubled.length);
  });

  it('with a duplicate entry in a list runs its handler at most twice, or is rejected with a code', async () => {
    for (const path of paths) {
      const { app, ran } = counted(entry);
      let isList = false;
      const event = changed(sample, path, (owner, name) => {
        const list = owner[name];
        isList = Array.isArray(list) && list.length > 0;
        if (isList) owner[name] = [...(list as unknown[]), (list as unknown[])[0]];
      });
      if (!isList) continue;
      const outcome = await app.handleLambda(event, contextOf(kind)).then(
        () => 'served',
        (error: { code?: unknown }) => typeof error.code,
      );
      expect([path, ['served', 'string'].includes(outcome), ran.calls <= 2]).toEqual([path, true, true]);
    }
  });

  it('of another version is served: no version member affects the classification', async () => {
    const text = JSON.stringify(sample);
    for (const [whole, name] of text.matchAll(/"([A-Za-z]*[vV]ersion)":"[^"]*"/g)) {
      for (const version of ['0.1', '99']) {
        const { app, ran } = counted(entry);
        const event = JSON.parse(text.replace(whole, `"${name}":"${version}"`)) as object;
        expect([name, app.explain(event, contextOf(kind)).kind]).toEqual([name, kind]);
        await app.handleLambda(event, contextOf(kind));
        expect([name, ran.calls]).toEqual([name, 1]);
      }
    }
  });

  it('that lacks one part of its row is explained by that part', () => {
    const { app } = counted(entry);
    const [row] = entry.anyOf;
    if (row === undefined) {
      const miss = { path: 'invokedFunctionArn', expected: `qualifier ${entry.sample.alias}`, found: 'no qualifier' };
      expect(app.explain(sample).rows[0]).toMatchObject({ kind, outcome: 'missed', misses: [miss] });
      return;
    }
    const positive = row.filter(({ test }) => test !== 'absent');
    // Without its only part, the row has no part left.
    if (positive.length < 2) return;
    const steps = [...(positive.at(-1)?.path ?? '').matchAll(/\["([^"]+)"\]|([^.[\]]+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    if (!paths.some((path) => path.join() === steps.join())) return;
    const event = changed(sample, steps, (owner, name) => void delete owner[name]);
    const { kind: found, rows } = app.explain(event);
    if (found === kind) return;
    const own = rows.find((one) => one.kind === kind);
    expect(own?.misses.some(({ path }) => positive.at(-1)?.path.startsWith(path))).toBe(true);
  });

  it('whose handler throws runs once, and no other handler', async () => {
    let ran = 0;
    const others: string[] = [];
    const failing = (async () => {
      ran += 1;
      throw new Error('secret');
    }) as SampleHandler;
    const rest = Object.entries(SURFACES)
      .filter(([other]) => other !== kind)
      .map(([other, make]) => make(() => void others.push(other) as undefined));
    const app = createApp({ log: false, surfaces: [surfaceOf(entry, failing), ...rest] });
    await app.handleLambda(sample, contextOf(kind)).catch(() => undefined);
    expect([ran, others]).toEqual([1, []]);
  });
});

it('inherited members and getters of an event have no effect', async () => {
  for (const [kind, event] of EVENTS.filter(([one]) => !['pipe', 'task', 'iot-rule'].includes(one))) {
    const make = SURFACES[kind];
    if (!make) continue;
    const app = createApp({ log: false, surfaces: [make(() => undefined)] });
    expect([kind, app.explain(Object.create(event)).kind]).toEqual([kind, null]);
    const hostile = Object.defineProperty({ ...event }, Object.keys(event)[0] ?? '', {
      get() {
        throw new Error('hostile');
      },
    });
    expect(() => app.explain(hostile)).not.toThrow();
  }
});

/** Older forms of events, with the kind that serves them; `null`: a service has another form today, and the older form is rejected. */
const OLDER: readonly [string, string | null, object][] = [
  [
    'S3, version 2.0',
    's3',
    { Records: [{ eventVersion: '2.0', eventSource: 'aws:s3', s3: { bucket: { name: 'uploads' } } }] },
  ],
  // https://docs.aws.amazon.com/lex/latest/dg/lambda-input-response-format.html
  [
    'Lex V1',
    null,
    {
      messageVersion: '1.0',
      invocationSource: 'FulfillmentCodeHook',
      userId: 'user-1',
      bot: { name: 'shop', alias: 'PROD', version: '1' },
      currentIntent: { name: 'Order', slots: {} },
    },
  ],
  [
    'Alexa before the member context',
    null,
    {
      version: '1.0',
      session: { application: { applicationId: 'a' } },
      request: { type: 'LaunchRequest', requestId: 'r' },
    },
  ],
  ['ActiveMQ by its first name', 'mq', { eventSource: 'aws:amq', messages: [{}] }],
  ['Kafka by its second name', 'kafka', { eventSource: 'aws:SelfManagedKafka', records: {} }],
  [
    'S3 Batch Operations, version 2.0',
    's3-batch',
    {
      invocationSchemaVersion: '2.0',
      invocationId: 'i',
      job: { id: 'j' },
      tasks: [{ taskId: 't', s3Key: 'k', s3Bucket: 'uploads' }],
    },
  ],
  ['a user of Transfer Family without protocol and address', null, { username: 'u', password: 'p', serverId: 's-1' }],
  [
    'an AWS IoT authorizer before the member connectionMetadata',
    null,
    { token: 't', signatureVerified: true, protocols: ['mqtt'], protocolData: {} },
  ],
  [
    'a CodePipeline job without continuation',
    'codepipeline',
    { 'CodePipeline.job': { id: 'j', accountId: '1', data: {} } },
  ],
  [
    'an API Gateway authorizer of 2016',
    'authorizer-token',
    { type: 'TOKEN', authorizationToken: 't', methodArn: 'arn' },
  ],
];

it.each(OLDER)('%s is an event of the kind %s', async (_what, kind, event) => {
  const ran: string[] = [];
  const surfaces = Object.entries(SURFACES).map(([one, make]) => make(() => void ran.push(one) as undefined));
  const app = createApp({ log: false, surfaces });
  expect(app.explain(event).kind).toBe(kind);
  await app.handleLambda(event).catch(() => undefined);
  expect(ran.every((one) => one === kind)).toBe(true);
});

it('an event that satisfies two rows is served by the first surface of the option, and by the fixed table before all', () => {
  const rows = Object.values<CatalogueEntry>(CATALOGUE).filter(({ anyOf }) => anyOf.length > 0);
  const kindOf = (event: object, ...entries: readonly CatalogueEntry[]) => {
    const surfaces = entries.map((entry) => surfaceOf(entry, (async () => undefined as never) as SampleHandler));
    return createApp({ log: false, surfaces }).explain(event).kind;
  };
  let pairs = 0;
  for (const [index, first] of rows.entries()) {
    for (const second of rows.slice(index + 1)) {
      const event = { ...first.sample.events[0]?.[0], ...second.sample.events[0]?.[0] };
      if (kindOf(event, first) !== first.kind || kindOf(event, second) !== second.kind) continue;
      pairs += 1;
      expect([first.kind, second.kind, kindOf(event, first, second)]).toEqual([first.kind, second.kind, first.kind]);
      expect([first.kind, second.kind, kindOf(event, second, first)]).toEqual([first.kind, second.kind, second.kind]);
      expect(kindOf({ ...event, 'detail-type': 'a', source: 'b' }, first, second)).toBe('event-bus');
    }
  }
  expect(pairs).toBeGreaterThan(300);
});
