import type { NamedSource } from '../../packages/constructs/src/wiring/internal/registrations.js';
import type { ServiceWiring } from '../../packages/constructs/src/wiring/service-wiring.js';
import type { TRIGGER_KINDS } from '../../packages/core/src/index.js';
import type { RecordedEvents } from '../../packages/testkit/src/recorder/recording.js';
import type { triggers } from '../../packages/testkit/src/simulate/trigger-source.js';
import type { TriggerTools } from '../../packages/triggers/src/catalogue/entry.js';
import { findTriggerFaults, type TriggerFacts } from './trigger-rules.js';

const PAGE = ['# Triggers', '## Meters', "import { meterTrigger } from '@sallyport/triggers';", '## Others', ''].join(
  '\n',
);

const METER = {
  sample: { build: { name: 'buildMeterEvent' }, events: [{}] },
  docs: { section: 'Meters', rows: [['`meterTrigger()`', 'meters']] },
  construct: 'meter',
  simulate: 'asynchronous',
  sizes: { factory: 'meterTrigger' },
};

const FACTS: TriggerFacts = {
  kinds: ['meter'],
  catalogue: new Map([['meter', METER]]),
  fixed: ['queue'],
  page: PAGE,
  exported: new Set(['buildMeterEvent']),
  surfaces: new Set(['meter']),
  wiringOf: () => 'meter',
  sources: ['asynchronous', 'blocking'],
  forms: ['http', 'meter'],
};

const changed = (change: object): Partial<TriggerFacts> => ({
  catalogue: new Map([['meter', { ...METER, ...change }]]),
});
const FILE = 'packages/triggers/src/catalogue/meter.ts';

it('finds nothing in a complete trigger', () => {
  expect(findTriggerFaults(FACTS)).toEqual([]);
});

it.each<[string, Partial<TriggerFacts>, string]>([
  ['its half for tools', { catalogue: new Map() }, `has no ${FILE}: describe it there, then npm run docs`],
  [
    'its half that runs',
    { kinds: [] },
    `has no packages/triggers/src/kinds/meter.ts: define what runs there, or delete ${FILE}`,
  ],
  [
    'its sample',
    changed({ sample: { ...METER.sample, events: [] } }),
    `has no sample: add an event of its builder to sample.events in ${FILE}`,
  ],
  [
    'its builder',
    { exported: new Set() },
    `has no builder: export a function build… from ${FILE} and name it in sample.build, then npm run docs`,
  ],
  [
    'the name of its builder',
    changed({ sample: { ...METER.sample, build: { name: '' } } }),
    `has no builder: export a function build… from ${FILE} and name it in sample.build, then npm run docs`,
  ],
  [
    'its section',
    { page: PAGE.replace('## Meters', '## Metres') },
    'has no section "## Meters" in docs/triggers.md with an example that imports meterTrigger of @sallyport/triggers: write it',
  ],
  [
    'the example of its section',
    { page: PAGE.replace('meterTrigger', 'otherTrigger') },
    'has no section "## Meters" in docs/triggers.md with an example that imports meterTrigger of @sallyport/triggers: write it',
  ],
  [
    'its README row',
    changed({ docs: { ...METER.docs, rows: [] } }),
    `has no row in packages/triggers/README.md: add one to docs.rows in ${FILE}, then npm run docs`,
  ],
  [
    'its fixture',
    { surfaces: new Set() },
    'has no fixture: add contract-fixtures/triggers/meter.json, which registers the surface "meter"',
  ],
  [
    'its construct',
    { wiringOf: () => undefined },
    `has the construct "meter", and ServiceWiring attaches it with null: change construct in ${FILE}, or packages/constructs/src/wiring/internal/registrations.ts`,
  ],
  [
    'the name of its construct',
    changed({ construct: null }),
    `has the construct null, and ServiceWiring attaches it with "meter": change construct in ${FILE}, or packages/constructs/src/wiring/internal/registrations.ts`,
  ],
  [
    'its simulation',
    { sources: ['blocking'] },
    'has the simulation "asynchronous", which `triggers` of @sallyport/testkit does not have: choose one of blocking',
  ],
  [
    'its form',
    { forms: ['http'] },
    'has no form with a sample in the console: see packages/local/src/internal/send/forms.ts',
  ],
  ['its own name', { fixed: ['meter'] }, 'has the name of a kind of the fixed table: choose another name'],
])('names a trigger without %s', (_part, change, fault) => {
  expect(findTriggerFaults({ ...FACTS, ...change })).toEqual([`trigger "meter" ${fault}`]);
});

it('does not compile without a part, or with a construct or a simulation that does not exist', () => {
  const isMethod: NonNullable<TriggerTools['construct']> extends keyof ServiceWiring ? true : false = true;
  const sources: Readonly<Record<NonNullable<TriggerTools['simulate']>, true>> &
    Readonly<Record<keyof typeof triggers, true>> = {
    ...{ asynchronous: true, kafka: true, firehose: true, blocking: true, batchJob: true, rotation: true },
    customResource: true,
    pipe: true,
    window: true,
    pipelineJob: true,
  };
  const tools: TriggerTools = {
    sample: { build: () => ({}), events: [], names: [], register: () => ({ serves: [], serve: async () => null }) },
    docs: { section: 'Meters', rows: [] },
    construct: null,
    simulate: null,
    aws: { author: '', failure: '', limit: '' },
    sizes: { factory: 'meterTrigger', gzipBytes: 1 },
  };
  const { sample, docs, construct, simulate, aws, sizes } = tools;
  // @ts-expect-error: `sample` is missing
  const noSample: TriggerTools = { docs, construct, simulate, aws, sizes };
  // @ts-expect-error: `docs` is missing
  const noPage: TriggerTools = { sample, construct, simulate, aws, sizes };
  // @ts-expect-error: `build` is missing
  const noBuilder: TriggerTools = { ...tools, sample: { events: [], names: [], register: sample.register } };
  // @ts-expect-error: no such source
  const noSource: TriggerTools = { ...tools, simulate: 'meter' };
  // @ts-expect-error: `sizes` is missing
  const noSizes: TriggerTools = { sample, docs, construct, simulate, aws };
  expect([isMethod, noSample, noPage, noBuilder, noSource, noSizes, Object.keys(sources)]).toHaveLength(7);
});

it('does not compile when a kind of the fixed table has no builder, or neither a construct for its source nor a door', () => {
  type Fixed = (typeof TRIGGER_KINDS)[number];
  type Door = 'appsync' | 'websocket' | 'gateway-v2' | 'function-url' | 'load-balancer' | 'gateway-v1';
  const isBuilt: Fixed extends keyof RecordedEvents ? true : false = true;
  const isAttached: Fixed extends NamedSource | Door | 'event-bus' ? true : false = true;
  expect([isBuilt, isAttached]).toEqual([true, true]);
});
