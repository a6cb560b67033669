import { compareContracts, type HttpEntry, type JsonSchema } from '../src/service.js';
import { contractOf, object, PLACES, withRoute } from './support/contracts.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const number = { type: 'number' };
const closed = { additionalProperties: false };

type Verdict = 'fine' | `${'breaks' | 'warns'} ${string}`;
interface Row {
  readonly title: string;
  readonly old: JsonSchema;
  readonly next: JsonSchema;
  /** Each place with the level and the rule of its only finding. */
  readonly verdicts: Readonly<Partial<Record<keyof typeof PLACES, Verdict>>>;
}

/** The same verdict for what the service receives, and for what it sends. */
const flow = (received: Verdict, sent: Verdict) => ({ input: received, queue: received, answer: sent, sends: sent });

const ROWS: readonly Row[] = [
  {
    title: 'an added optional member',
    old: object({ a: text }),
    next: object({ a: text, 'b?': text }),
    verdicts: flow('fine', 'fine'),
  },
  {
    title: 'an added required member',
    old: object({ a: text }),
    next: object({ a: text, b: text }),
    verdicts: flow('breaks required-added', 'fine'),
  },
  {
    title: 'a removed required member',
    old: object({ a: text, b: text }),
    next: object({ a: text }),
    verdicts: flow('fine', 'breaks removed'),
  },
  {
    title: 'a removed optional member',
    old: object({ a: text, 'b?': text }),
    next: object({ a: text }),
    verdicts: flow('fine', 'warns removed'),
  },
  {
    title: 'a member removed from a closed object',
    old: object({ a: text, 'b?': text }, closed),
    next: object({ a: text }, closed),
    verdicts: { input: 'breaks closed', queue: 'breaks closed' },
  },
  {
    title: 'an object that becomes closed',
    old: object({ a: text }),
    next: object({ a: text }, closed),
    verdicts: flow('breaks closed', 'fine'),
  },
  {
    title: 'an object that becomes open',
    old: object({ a: text }, closed),
    next: object({ a: text }),
    verdicts: flow('fine', 'fine'),
  },
  {
    title: 'an optional member that becomes required',
    old: object({ 'a?': text }),
    next: object({ a: text }),
    verdicts: flow('breaks required', 'fine'),
  },
  {
    title: 'a required member that becomes optional',
    old: object({ a: text }),
    next: object({ 'a?': text }),
    verdicts: flow('fine', 'breaks required'),
  },
  { title: 'a narrowed type', old: number, next: whole, verdicts: flow('breaks type', 'fine') },
  { title: 'a widened type', old: whole, next: number, verdicts: flow('fine', 'breaks type') },
  { title: 'another type', old: text, next: whole, verdicts: flow('breaks type', 'breaks type') },
  { title: 'a type that becomes anything', old: text, next: {}, verdicts: flow('fine', 'breaks type') },
  {
    title: 'null that is accepted',
    old: text,
    next: { type: ['string', 'null'] },
    verdicts: flow('fine', 'breaks type'),
  },
  {
    title: 'null that is no longer accepted',
    old: { type: ['string', 'null'] },
    next: text,
    verdicts: flow('breaks type', 'fine'),
  },
  {
    title: 'an added value of an enumeration',
    old: { enum: ['a', 'b'] },
    next: { enum: ['a', 'b', 'c'] },
    verdicts: flow('fine', 'warns enum'),
  },
  {
    title: 'a removed value of an enumeration',
    old: { enum: ['a', 'b'] },
    next: { enum: ['a'] },
    verdicts: flow('breaks enum', 'fine'),
  },
  {
    title: 'a string that becomes an enumeration',
    old: text,
    next: { enum: ['a'] },
    verdicts: flow('breaks type', 'fine'),
  },
  {
    title: 'a constant that changes',
    old: { const: 1 },
    next: { const: 2 },
    verdicts: flow('breaks enum', 'warns enum'),
  },
  {
    title: 'an added member of a union',
    old: { anyOf: [text, whole] },
    next: { anyOf: [text, whole, { type: 'boolean' }] },
    verdicts: flow('fine', 'breaks union'),
  },
  {
    title: 'a removed member of a union',
    old: { oneOf: [text, whole] },
    next: { oneOf: [text] },
    verdicts: flow('breaks type', 'fine'),
  },
  {
    title: 'a shorter longest length',
    old: { ...text, maxLength: 9 },
    next: { ...text, maxLength: 5 },
    verdicts: flow('breaks maxLength', 'fine'),
  },
  {
    title: 'a longest length that is new',
    old: text,
    next: { ...text, maxLength: 5 },
    verdicts: flow('breaks maxLength', 'fine'),
  },
  {
    title: 'a longer longest length',
    old: { ...text, maxLength: 5 },
    next: { ...text, maxLength: 9 },
    verdicts: flow('fine', 'breaks maxLength'),
  },
  {
    title: 'a longer shortest length',
    old: { ...text, minLength: 1 },
    next: { ...text, minLength: 2 },
    verdicts: flow('breaks minLength', 'fine'),
  },
  {
    title: 'a greater minimum',
    old: { ...whole, minimum: 1 },
    next: { ...whole, minimum: 2 },
    verdicts: flow('breaks minimum', 'fine'),
  },
  {
    title: 'an excluded minimum',
    old: { ...whole, minimum: 1 },
    next: { ...whole, exclusiveMinimum: 1 },
    verdicts: flow('breaks exclusiveMinimum', 'fine'),
  },
  {
    title: 'a smaller maximum',
    old: { ...whole, maximum: 5 },
    next: { ...whole, maximum: 4 },
    verdicts: flow('breaks maximum', 'fine'),
  },
  {
    title: 'a greater maximum',
    old: { ...whole, maximum: 5 },
    next: { ...whole, maximum: 6 },
    verdicts: flow('fine', 'breaks maximum'),
  },
  { title: 'a new step', old: whole, next: { ...whole, multipleOf: 5 }, verdicts: flow('breaks multipleOf', 'fine') },
  {
    title: 'a pattern that is new',
    old: text,
    next: { ...text, pattern: '^a' },
    verdicts: flow('breaks pattern', 'fine'),
  },
  {
    title: 'a pattern that is removed',
    old: { ...text, pattern: '^a' },
    next: text,
    verdicts: flow('fine', 'breaks pattern'),
  },
  {
    title: 'a format that is new',
    old: text,
    next: { ...text, format: 'uuid' },
    verdicts: flow('breaks format', 'fine'),
  },
  {
    title: 'a format that is removed',
    old: { ...text, format: 'uuid' },
    next: text,
    verdicts: flow('fine', 'warns format'),
  },
  {
    title: 'another default',
    old: object({ 'a?': { ...text, default: 'x' } }),
    next: object({ 'a?': { ...text, default: 'y' } }),
    verdicts: flow('fine', 'fine'),
  },
  {
    title: 'a narrowed element of a list',
    old: { type: 'array', items: number },
    next: { type: 'array', items: whole },
    verdicts: flow('breaks type', 'fine'),
  },
  {
    title: 'a least number of elements',
    old: { type: 'array', items: text },
    next: { type: 'array', items: text, minItems: 1 },
    verdicts: flow('breaks minItems', 'fine'),
  },
  {
    title: 'elements that become unique',
    old: { type: 'array', items: text },
    next: { type: 'array', items: text, uniqueItems: true },
    verdicts: flow('breaks uniqueItems', 'fine'),
  },
  {
    title: 'a narrowed value of a map',
    old: { type: 'object', additionalProperties: number },
    next: { type: 'object', additionalProperties: whole },
    verdicts: flow('breaks type', 'fine'),
  },
  {
    title: 'a condition that cannot be compared',
    old: text,
    next: { ...text, not: { const: 'x' } },
    verdicts: flow('warns not', 'fine'),
  },
  {
    title: 'a schema that becomes unknown',
    old: text,
    next: { 'x-unknown': 'Date' },
    verdicts: flow('warns unknown', 'warns unknown'),
  },
  {
    title: 'a changed description',
    old: { ...text, description: 'a' },
    next: { ...text, description: 'b' },
    verdicts: flow('fine', 'fine'),
  },
];

const cases = ROWS.flatMap(({ title, old, next, verdicts }) =>
  Object.entries(verdicts).map(([place, verdict]) => ({
    title,
    place: place as keyof typeof PLACES,
    old,
    next,
    verdict,
  })),
);

describe('a changed schema', () => {
  test.each(cases)('$title in $place: $verdict', ({ place, old, next, verdict }) => {
    const found = compareContracts(PLACES[place](old), PLACES[place](next));
    expect(found.map(({ level, change }) => `${level} ${change}`)).toEqual(verdict === 'fine' ? [] : [verdict]);
  });

  it('has its path in the finding, with both sides and the way out', () => {
    const order = (count: JsonSchema) => object({ lines: { type: 'array', items: object({ count }) } });
    const [found] = compareContracts(PLACES.queue(order(number)), PLACES.queue(order(whole)));
    expect(found).toEqual({
      id: 'queue orders message.lines[].count type',
      level: 'breaks',
      who: 'producers of queue orders, and messages in flight',
      at: 'queue orders',
      path: 'message.lines[].count',
      change: 'type',
      old: 'number',
      new: 'integer',
      remedy: 'accept both forms first, and remove the old form when no sender uses it; or use a second message type',
    });
  });

  it('can refer to itself', () => {
    const tree = (value: JsonSchema) => ({
      ...PLACES.input({ $ref: '#/schemas/Tree' }),
      schemas: { Tree: object({ value, children: { type: 'array', items: { $ref: '#/schemas/Tree' } } }) },
    });
    expect(compareContracts(tree(text), tree(text))).toEqual([]);
    expect(compareContracts(tree(text), tree(whole)).map(({ id }) => id)).toEqual(['POST /notes body.value type']);
  });
});

const ROUTES: readonly [title: string, old: Partial<HttpEntry>, next: Partial<HttpEntry>, found: readonly string[]][] =
  [
    ['a stricter posture', { posture: 'public' }, { posture: 'authenticated' }, ['breaks posture-tightened']],
    ['a looser posture', { posture: 'internal_only' }, { posture: 'authenticated' }, []],
    [
      'a further scope',
      { posture: 'authenticated', scopes: ['a'] },
      { posture: 'authenticated', scopes: ['a', 'b'] },
      ['breaks scope-added'],
    ],
    ['a scope less', { posture: 'authenticated', scopes: ['a', 'b'] }, { posture: 'authenticated', scopes: ['a'] }, []],
    [
      'one of the old scopes',
      { posture: 'authenticated', scopes: ['a'] },
      { posture: 'authenticated_any_of', scopes: ['a', 'b'] },
      [],
    ],
    [
      'an alternative scope less',
      { posture: 'authenticated_any_of', scopes: ['a', 'b'] },
      { posture: 'authenticated_any_of', scopes: ['a'] },
      ['breaks scope-added'],
    ],
    ['a body that becomes required', { body: text, bodyOptional: true }, { body: text }, ['breaks required']],
    ['a required body where there was none', {}, { body: text }, ['breaks required']],
    ['a body that is no longer read', { body: text }, {}, []],
    ['a required parameter', {}, { query: object({ page: text }) }, ['breaks required-added']],
    ['an optional parameter', {}, { query: object({ 'page?': text }) }, []],
    ['a parameter that is no longer read', { query: object({ page: text }) }, {}, []],
    ['a required header', {}, { headers: object({ 'x-tenant': text }) }, ['breaks required-added']],
    ['a required cookie', {}, { cookies: object({ session: text }) }, ['breaks required-added']],
    ['a further status', { answer: { 200: text } }, { answer: { 200: text, 202: text } }, ['warns status-added']],
    ['another status', { answer: { 200: text } }, { answer: { 201: text } }, ['breaks status-added']],
    ['an answer without its body', { answer: { 200: text } }, { answer: { 200: null } }, ['breaks body-removed']],
    ['an answer that is no longer stated', { answer: { 200: text } }, {}, ['warns not-stated']],
    ['an added error code', { errors: { 404: ['a'] } }, { errors: { 404: ['a', 'b'] } }, ['warns error-added']],
    ['a removed error code', { errors: { 404: ['a', 'b'] } }, { errors: { 404: ['a'] } }, ['warns error-removed']],
    ['an event that is no longer sent', { events: { tick: text } }, { events: {} }, ['breaks event-removed']],
    ['another event', { events: { tick: whole } }, { events: { tick: text } }, ['breaks type']],
    ['idempotency that is removed', { idempotency: true }, {}, ['breaks idempotency-removed']],
    ['idempotency that is new', {}, { idempotency: true }, ['warns idempotency-added']],
    ['a repetition that is no longer safe', { repeatable: true }, {}, ['breaks repeatable-removed']],
  ];

describe('a changed operation', () => {
  test.each(ROUTES)('%s', (_, old, next, expected) => {
    const found = compareContracts(withRoute(old), withRoute(next));
    expect(found.map(({ level, change }) => `${level} ${change}`)).toEqual(expected);
  });

  it('that is removed breaks its callers', () => {
    expect(compareContracts(withRoute({}), contractOf({})).map(({ who, id }) => [who, id])).toEqual([
      ['callers of POST /notes', 'POST /notes entry-removed'],
    ]);
  });

  it('whose parameter has another name only changes types', () => {
    const found = compareContracts(withRoute({}, 'GET /notes/{id}'), withRoute({}, 'GET /notes/{key}'));
    expect(found.map(({ level, change }) => `${level} ${change}`)).toEqual(['warns renamed']);
  });
});

const at = { function: 'src/lambda.ts' };
const call = (input: JsonSchema, output: JsonSchema) => ({ ...at, input, output });

test.each(['tool', 'invoke', 'field'] as const)('the input of a %s flows in, and its output out', (kind) => {
  const [old, next] = [call(number, whole), call(whole, number)].map((one) => contractOf({ [kind]: { search: one } }));
  const found = compareContracts(old as never, next as never);
  expect(found.map(({ path }) => path)).toEqual(kind === 'field' ? ['args', 'result'] : ['input', 'output']);
});

test.each(['queue', 'stream', 'topic', 'bus', 'table', 'event'] as const)(
  'a removed %s breaks messages in flight',
  (kind) => {
    const [found] = compareContracts(contractOf({ [kind]: { orders: { ...at, message: text } } }), contractOf({}));
    expect([found?.level, found?.who]).toEqual(['breaks', `producers and messages in flight of ${kind} orders`]);
  },
);

test('a prompt that needs another argument, and a resource that is gone, break clients of an MCP server', () => {
  const server = (prompts: readonly JsonSchema[], resources: readonly JsonSchema[]) =>
    contractOf({ mcp: { '/mcp': { ...at, info: {}, tools: [], prompts, resources, templates: [] } } });
  const old = server([{ name: 'ask' }], [{ uri: 'notes://all' }]);
  const next = server([{ name: 'ask', arguments: [{ name: 'topic', required: true }] }], []);
  expect(compareContracts(old, next).map(({ id }) => id)).toEqual([
    'MCP /mcp prompts.ask.topic required',
    'MCP /mcp resources.notes://all entry-removed',
  ]);
});

test.each([
  ['queue', 'customer', 'order', ['breaks order-changed', 'customer', 'order']],
  ['stream', undefined, 'page', ['breaks order-added', 'no order', 'page']],
  ['event', 'key', undefined, ['warns order-removed', 'key', 'no order']],
  ['topic', 'customer', 'customer', undefined],
] as const)('a %s that was ordered by %s and is ordered by %s', (kind, old, next, expected) => {
  const [before, after] = [old, next].map((orderedBy) => {
    const entry = { ...at, message: text, ...(orderedBy !== undefined && { orderedBy }) };
    return contractOf({ [kind]: { 'orders.fifo': entry } });
  });
  const [found] = compareContracts(before as never, after as never);
  expect(found && [`${found.level} ${found.change}`, found.old, found.new]).toEqual(expected);
});
