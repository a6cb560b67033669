import type { TriggerExtension } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import {
  bedrockAgent,
  bedrockFlow,
  codeCommit,
  cognitoTrigger,
  configRules,
  documentDb,
  lambdaDestination,
  logsTrigger,
} from '@sallyport/triggers';
import { CATALOGUE, type CatalogueEntry, type CatalogueKind } from '@sallyport/triggers/catalogue';
import { AWS_EVENTS, REJECTED_BY_DOORS } from './aws-events.js';
import { EVENTS as BUILT, contextOf, SURFACES } from './kinds.js';
import { documentedEvents, fixtureEvents, powertoolsExamples } from './published-events.js';

const makers = Object.values(SURFACES).map((make) => () => make(() => undefined) as TriggerExtension);
const ordered = createApp({ log: false, surfaces: makers.map((make) => make()) });
const reversed = createApp({ log: false, surfaces: makers.map((make) => make()).reverse() });
const EVENTS = [...powertoolsExamples(), ...documentedEvents()];

/** The fixed table names the load balancer before the gateway, whose row its events satisfy too. */
const IN_ORDER: Readonly<Record<string, readonly string[]>> = { 'load-balancer': ['load-balancer', 'gateway-v1'] };

/** Kinds that receive some events of fixed rows. */
const REFINING: readonly string[] = ['bedrock-agent', 'window'];

it('no published event satisfies two rows, and reversing the order of the opt-in rows changes nothing', () => {
  for (const [name, event] of EVENTS) {
    const { kind, rows } = ordered.explain(event);
    const held = rows.filter(({ outcome }) => outcome !== 'missed').map((row) => row.kind);
    const expected = kind === null ? [] : (IN_ORDER[kind] ?? [kind]);
    const own = REFINING.includes(kind ?? '') ? held.slice(-1) : held;
    expect([name, own]).toEqual([name, expected]);
    expect([name, reversed.explain(event).kind]).toEqual([name, kind]);
  }
});

it('how many there are, and of which kinds', () => {
  const kinds: Record<string, number> = {};
  const none: string[] = [];
  for (const [name, event] of EVENTS) {
    const { kind } = ordered.explain(event);
    if (kind === null) none.push(name);
    else kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  // Two parts of a gateway's event, the document inside a log event, a user pool's event without `callerContext`, and events of two services
  // without an adapter: outbound campaigns of Connect, Object Lambda.
  expect([EVENTS.length, none, kinds]).toEqual([
    68,
    ['api-gatewayv2', 'api-gatewayv2', 'cloudwatch', 'cognito', 'connect-outbound-campaigns', 's3'],
    {
      appsync: 2,
      'appsync-events': 2,
      'authorizer-token': 1,
      cognito: 12,
      'custom-resource': 3,
      'event-bus': 7,
      firehose: 2,
      'function-url': 1,
      'gateway-v1': 2,
      'gateway-v2': 2,
      kafka: 2,
      lattice: 2,
      'load-balancer': 2,
      logs: 1,
      queue: 7,
      s3: 1,
      ses: 1,
      stream: 2,
      'table-stream': 2,
      topic: 3,
      transfer: 1,
      websocket: 1,
      window: 3,
    },
  ]);
});

it('no event of a contract fixture that the fixed table accepts matches an opt-in row, except its own fixture', () => {
  const taken = fixtureEvents().flatMap(([name, event]) => {
    const { kind, rows } = ordered.explain(event);
    const held = rows.filter(({ outcome }) => outcome !== 'missed');
    return held.length > 1 && !REFINING.includes(kind ?? '') && held.some(({ origin }) => origin === 'extension')
      ? [name]
      : [];
  });
  expect(taken).toEqual(['triggers/table-first']);
  expect(fixtureEvents().length).toBeGreaterThan(1_000);
});

/** Kinds that only the alias of an invocation selects. */
const ALIAS_KINDS: readonly string[] = Object.values<CatalogueEntry>(CATALOGUE).flatMap(({ kind, sample }) =>
  sample.alias === undefined ? [] : [kind],
);

describe('events written from AWS documentation', () => {
  /** All registrations of this repository, with handlers for the sources of these events; `ran` collects the kinds that ran. */
  const everything = (ran: string[]) => {
    const run = (kind: string) => () => void ran.push(kind);
    const own: Record<string, () => TriggerExtension> = {
      cognito: () => {
        const surface = cognitoTrigger();
        const kinds = [
          'UserMigration_*',
          'TokenGeneration_*',
          'DefineAuthChallenge_*',
          'CustomEmailSender_*',
          'PreSignUp_*',
        ] as const;
        for (const kind of kinds) surface.on(kind, run('cognito'));
        return surface;
      },
      documentdb: () => documentDb().collection('*', run('documentdb')),
      'bedrock-agent': () =>
        bedrockAgent()
          .function('g', 'f', () => String(run('bedrock-agent')()))
          .operation('g', 'GET', '/orders/{id}', () => String(run('bedrock-agent')())),
      'bedrock-flow': () => bedrockFlow().node('n', () => String(run('bedrock-flow')())),
      codecommit: () => codeCommit().repository('shop', run('codecommit')),
      'config-rule': () => {
        const client = { send: async () => ({}) };
        return configRules({ client }).rule('r', () => {
          ran.push('config-rule');
          return [];
        });
      },
      destination: () => lambdaDestination().function('f', run('destination')),
      logs: () => logsTrigger().group('*', run('logs')),
    };
    const surfaces = Object.entries(SURFACES).map(
      ([kind, make]) => own[kind]?.() ?? (make(run(kind) as () => undefined) as TriggerExtension),
    );
    const app = createApp({ log: false, surfaces });
    const sources = AWS_EVENTS.filter(([, kind]) => kind === 'event-bus').map(
      ([, , , event]) => (event as { source: string }).source,
    );
    for (const source of new Set(sources)) app.eventBus({ source }, run('event-bus'));
    app.get('/{path+}', () => {
      ran.push('http');
      return { status: 204, headers: {}, body: '' };
    });
    return app;
  };

  it.each(AWS_EVENTS)('%s', async (_what, kind, _page, event) => {
    const ran: string[] = [];
    const app = everything(ran);
    const context = contextOf(kind ?? '');
    expect(app.explain(event, context).kind).toBe(kind);
    const answer = app.handleLambda(structuredClone(event), context);
    if (ALIAS_KINDS.includes(kind ?? '')) expect(app.explain(event).kind).toBeNull();
    if (kind === null) {
      await expect(answer).rejects.toThrow(/^framework: (?:unknown event type|event must be an object)/);
      expect(ran).toEqual([]);
    } else {
      await answer;
      const isCheck = _what === 'CloudWatch Logs: the check of a destination';
      expect(ran).toEqual(isCheck ? [] : [kind]);
    }
  });

  it.each(REJECTED_BY_DOORS)('%s reaches no route', async (_what, kind, _page, event) => {
    const ran: string[] = [];
    const app = everything(ran);
    expect(app.explain(event).kind).toBe(kind);
    await expect(app.handleLambda(event)).rejects.toThrow(expect.failure('http.authorizer_event'));
    expect(ran).toEqual([]);
  });

  it('are counted by adapter: with, without and rejected by doors', () => {
    const served = AWS_EVENTS.filter(([, kind]) => kind !== null).length;
    const rejected = REJECTED_BY_DOORS.length;
    expect([served, AWS_EVENTS.length - served, rejected, AWS_EVENTS.length + rejected + EVENTS.length]).toEqual([
      71, 29, 2, 170,
    ]);
    expect(new Set(AWS_EVENTS.map(([what]) => what)).size).toBe(AWS_EVENTS.length);
    for (const [what, , page] of AWS_EVENTS) expect([what, URL.canParse(page)]).toEqual([what, true]);
  });

  it('every member that a builder writes is documented by a service', () => {
    const documented = new Map<string, Set<string>>();
    const collect = (kind: string, event: unknown) => {
      const paths = documented.get(kind) ?? new Set();
      for (const path of pathsOf(event)) paths.add(path);
      documented.set(kind, paths);
    };
    for (const [, kind, , event] of AWS_EVENTS) if (kind !== null) collect(kind, event);
    for (const [, event] of EVENTS) collect(ordered.explain(event).kind ?? '', event);
    const unknown = BUILT.flatMap(([kind, event]) =>
      CATALOGUE[kind as CatalogueKind].sample.members === 'caller'
        ? []
        : pathsOf(event)
            .filter((path) => !documented.get(kind)?.has(path))
            .map((path) => `${kind} ${path}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });
});

/** Members of an event by their paths, list indexes left out. Below members whose names are data nothing is compared. */
function pathsOf(value: unknown, path = ''): string[] {
  if (OPEN.test(path)) return [path];
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, one]) => pathsOf(one, path === '' ? name : `${path}.${name}`));
}

const OPEN =
  /(?:^records$|[pP]arameters$|slots$|^requestPayload|^responsePayload|^headers$|^multiValueHeaders|^query_?[sS]tring_?[pP]arameters$|^request$|^response$|rmqMessagesByQueue|properties|ResourceProperties|fullDocument|documentKey|userArguments|payload|identity|requestHeaders|stash|claims)$/;
