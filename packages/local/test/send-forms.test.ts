import { TRIGGER_KINDS } from '@sallyport/core';
import { createDispatcher, detect } from '@sallyport/dispatch';
import { CATALOGUE, type CatalogueEntry } from '@sallyport/triggers/catalogue';
import { readSourceAction } from '../src/internal/console/bodies.js';
import { invokedArn } from '../src/internal/runtime/variables.js';
import { aliasOf, buildEvent } from '../src/internal/send/build-event.js';
import { formsOf } from '../src/internal/send/forms.js';
import { SOURCE_TYPES } from '../src/internal/sources/source-types.js';
import { createTestHost, trigger } from './support/host.js';

it.each([
  ['http', 'GET /notes/7?x=1', {}, 'gateway-v2'],
  ['http', 'GET /notes/{id}', { pathParameters: { id: '7' } }, 'gateway-v2'],
  ['websocket', '$default', { body: { say: 'hello' } }, 'websocket'],
  ['websocket', '$connect', {}, 'websocket'],
  ['appsync', 'Query.note', { arguments: { id: '7' } }, 'appsync'],
  ['queue', 'orders', { body: { id: 'o-1' } }, 'queue'],
  ['queue', 'steps.fifo', { body: 'text', groupId: 'g-1' }, 'queue'],
  ['stream', 'clicks', { json: { path: '/' } }, 'stream'],
  ['table-stream', 'notes', { eventName: 'INSERT', keys: { id: 'n-1' } }, 'table-stream'],
  ['topic', 'news', { message: { text: 'new' } }, 'topic'],
  ['event-bus', 'default', { source: 'shop', detail: {} }, 'event-bus'],
  ['schedule', 'nightly', {}, 'event-bus'],
  ['log-subscription', 'clicks', { messages: ['a line'] }, 'stream'],
])('a form of %s makes an event of its kind: %s', (kind, target, options, expected) => {
  expect(detect(buildEvent({ kind, target, options }))).toBe(expected);
});

it.each([
  ['gateway-v2', 'gateway-v2'],
  ['gateway-v1', 'gateway-v1'],
  ['load-balancer', 'load-balancer'],
  ['function-url', 'function-url'],
])('a request to the door %s is its event', (door, expected) => {
  expect(detect(buildEvent({ kind: 'http', target: 'GET /', doors: [door] }))).toBe(expected);
});

it.each([
  ['$connect', { authorization: 'Bearer t' }],
  ['$default', undefined],
  ['$disconnect', undefined],
])('of a WebSocket only the handshake has headers: %s', (target, headers) => {
  const event = buildEvent({ kind: 'websocket', target, options: { headers: { authorization: 'Bearer t' } } });
  expect((event as { readonly headers?: object }).headers).toEqual(headers);
});

it.each([
  ['/notes/{id}', { id: 'a/b c' }, '/notes/a%2Fb%20c'],
  ['/files/{path+}', { path: 'a/b c' }, '/files/a/b%20c'],
  ['/a/{x}/{y}?z=1', { x: '1', y: '2' }, '/a/1/2'],
])('the path parameters of %s are filled in: %j', (path, pathParameters, expected) => {
  const event = buildEvent({
    kind: 'http',
    target: `GET ${path}`,
    options: { pathParameters },
    doors: ['function-url'],
  });
  expect(event).toMatchObject({ rawPath: expected });
});

it('any event is sent unchanged', () => {
  expect(buildEvent({ kind: 'event', options: [1] })).toEqual([1]);
});

it.each([
  [{ kind: 'pigeon' }, 'local.unknown_kind'],
  [{ kind: 'constructor' }, 'local.unknown_kind'],
  [{ kind: 'http', target: 'GET /notes/{id}' }, 'local.path_parameter_missing'],
  [
    { kind: 'http', target: 'GET /notes/{id}', options: { pathParameters: { id: '' } } },
    'local.path_parameter_missing',
  ],
  [{ kind: 'http', target: 'GET /n/{a}', options: { pathParameters: { b: '1' } } }, 'local.path_parameter_missing'],
  [{ kind: 'queue', target: 'orders', options: { bodi: 1 } }, 'app.invalid_configuration'],
])('%j is rejected', (request, code) => {
  expect(() => buildEvent(request)).toThrow(expect.objectContaining({ code }));
});

it('forms name the targets that the function registers, and each form can be built', () => {
  const host = createTestHost(() => null, { triggers: [trigger('queue', 'orders'), trigger('event-bus', '')] });
  const forms = formsOf(host.inspection(), []);
  host.remove();
  expect(forms.find(({ kind }) => kind === 'queue')?.targets).toEqual(['orders']);
  expect(forms.find(({ kind }) => kind === 'event-bus')?.targets).toEqual([]);
  for (const { kind } of forms.filter((form) => form.kind !== 'event'))
    expect(() =>
      buildEvent({ kind, target: kind === 'edge' ? 'origin-response' : 'GET /.x', options: {} }),
    ).not.toThrow();
});

it('every kind of the fixed table and of the catalogue has a form; the front doors share one', () => {
  const host = createTestHost(() => null);
  const forms = formsOf(host.inspection(), []).map(({ kind }) => kind);
  host.remove();
  const doors = ['gateway-v2', 'function-url', 'load-balancer', 'gateway-v1'];
  const kinds = [
    ...TRIGGER_KINDS.filter((kind) => !doors.includes(kind)),
    'http',
    'schedule',
    ...Object.keys(CATALOGUE),
  ];
  expect(kinds.length).toBeGreaterThan(30);
  expect(kinds.filter((kind) => !forms.includes(kind))).toEqual([]);
});

it('every kind of source that accepts records has a form', () => {
  const host = createTestHost(() => null);
  const forms = formsOf(host.inspection(), []).map(({ kind }) => kind);
  host.remove();
  const kinds = SOURCE_TYPES.filter(({ send }) => send !== undefined).map(({ kind }) => kind);
  expect(kinds).toHaveLength(6);
  expect(kinds.filter((kind) => !forms.includes(kind))).toEqual([]);
});

it.each(SOURCE_TYPES.map(({ kind }) => kind))('the console accepts actions on records of %s', (kind) => {
  const action = { kind, name: 'a', action: 'send-back', recordId: 'r-1' };
  expect(readSourceAction(action)).toEqual(action);
});

describe.each(Object.values<CatalogueEntry>(CATALOGUE).map((entry) => [entry.kind, entry] as const))(
  'the form of %s',
  (kind, { sample }) => {
    const [name = ''] = sample.names;
    const host = createTestHost(() => null, { triggers: [trigger(kind, name)] });
    const form = formsOf(host.inspection(), []).find((one) => one.kind === kind);
    host.remove();
    const event = JSON.parse(form?.fields[0]?.sample ?? 'null') as unknown;
    const surface = sample.register(
      sample.names.map((one) => [one, (async () => sample.result) as () => Promise<never>]),
    );
    const explained = (request: Parameters<typeof buildEvent>[0]) => {
      const alias = aliasOf(request);
      const context = alias === undefined ? {} : { invokedFunctionArn: invokedArn('service', {}, alias) };
      return createDispatcher(surface).explain(buildEvent(request), context).kind;
    };

    it('begins with a sample that its trigger receives', () => {
      expect(form?.fields).toMatchObject([{ name: 'event', type: 'json', required: true }]);
      expect(form?.aliases).toEqual(sample.alias === undefined ? undefined : [sample.alias]);
      const alias = form?.aliases?.[0];
      expect(explained({ kind, options: { event }, ...(alias !== undefined && { alias }) })).toBe(kind);
    });

    it('sends the sample of a registered name without an event, and to its alias', () => {
      expect(explained({ kind, target: name })).toBe(kind);
      expect(explained({ kind })).toBe(kind);
      expect(aliasOf({ kind, target: name, alias: 'other' })).toBe('other');
    });
  },
);
