import { refer } from '../src/index.js';
import { fixture, makeContract } from './support.js';

const FIRST = {
  response: {
    status: 200,
    headers: { 'mcp-session-id': ['s-1', 's-2'] },
    body: '{"result":{"list":["a","b"],"none":null}}',
  },
};
const NATIVE = {
  result: { statusCode: 200, headers: { 'Mcp-Session-Id': 's-3' }, body: 'eyJhIjoxfQ==', isBase64Encoded: true },
};
const NO_PLACE = '$from needs a step and a header, a json path or an event_id';
const EVENTS = {
  response: {
    status: 200,
    headers: {},
    body: 'id: s.0\ndata: \n\nevent: message\nid:s.1\ndata: id: no\n\ndata: 1\n\n',
  },
};

describe('a reference to an earlier answer', () => {
  it.each([
    ['the first value of a header', { step: 0, header: 'mcp-session-id' }, 's-1'],
    ['a place in the JSON body', { step: 0, json: ['result', 'list', 1] }, 'b'],
    ['a place that holds null', { step: 0, json: ['result', 'none'] }, null],
    ['the whole JSON body', { step: 1, json: [] }, { a: 1 }],
    ['a header of a native answer, in lower case', { step: 1, header: 'mcp-session-id' }, 's-3'],
    ['the first id of an event stream', { step: 2, event_id: 0 }, 's.0'],
    ['a later id of an event stream', { step: 2, event_id: 1 }, 's.1'],
  ])('becomes %s', (_, reference, found) => {
    expect(refer({ deep: [{ $from: reference }] }, [FIRST, NATIVE, EVENTS])).toEqual({ deep: [found] });
  });

  it.each([
    ['a header that is not there', { step: 0, header: 'etag' }],
    ['a header of the prototype', { step: 0, header: 'constructor' }],
    ['a place that is not there', { step: 0, json: ['result', 'cursor'] }],
    ['a place of the prototype', { step: 0, json: ['result', 'toString'] }],
    ['an answer that is no JSON', { step: 2, json: [] }],
    ['a step that failed', { step: 3, header: 'etag' }],
    ['a step that has no outcome', { step: 9, header: 'etag' }],
    ['an id that the event stream does not have', { step: 4, event_id: 2 }],
    ['an id of an answer that is no event stream', { step: 0, event_id: 0 }],
  ])('to %s finds nothing', (_, reference) => {
    const outcomes = [FIRST, NATIVE, { response: { status: 200, headers: {}, body: 'text' } }, { error: {} }, EVENTS];
    expect(() => refer({ $from: reference }, outcomes)).toThrow('$from finds nothing');
  });

  it.each([
    ['its own step', { $from: { step: 1, header: 'a' } }, '$from of step 1 names step 1'],
    ['no place', { $from: { step: 0 } }, NO_PLACE],
    ['two places', { $from: { step: 0, header: 'a', json: [] } }, NO_PLACE],
    ['a header in capitals', { $from: { step: 0, header: 'A' } }, NO_PLACE],
    ['a step that is a text', { $from: { step: '0', header: 'a' } }, NO_PLACE],
    ['an id below 0', { $from: { step: 0, event_id: -1 } }, NO_PLACE],
    ['an id and a header', { $from: { step: 0, header: 'a', event_id: 1 } }, NO_PLACE],
    ['further keys beside it', { $from: { step: 0, header: 'a' }, b: 1 }, '$from must be the only key'],
  ])('with %s makes a fixture invalid', (_, form, problem) => {
    const input = {
      steps: [
        { call: 'detect', event: {} },
        { call: 'detect', event: { deep: [form] } },
      ],
    };
    const expected = { steps: [{ result: 'queue' }, { result: 'queue' }] };
    const contract = makeContract({ 'detection/a.json': fixture('detection/a', expected, { input }) });
    expect(contract.invalid).toEqual([{ id: 'detection/a', problem }]);
  });

  it('reaches the runtime unchanged', () => {
    const form = { $from: { step: 0, header: 'a' } };
    const input = {
      steps: [
        { call: 'detect', event: {} },
        { call: 'detect', event: form },
      ],
    };
    const expected = { steps: [{ result: 'queue' }, { result: 'queue' }] };
    const contract = makeContract({ 'detection/a.json': fixture('detection/a', expected, { input }) });
    expect(contract.fixtures[0]?.input.steps[1]?.event).toEqual(form);
  });
});

describe('the parts of an MCP server in a fixture', () => {
  it.each([
    ['tool', { tools: [{ name: 'a', handler: 'tool_unknown' }] }],
    ['prompt', { prompts: [{ name: 'a', handler: 'tool_unknown' }] }],
    ['resource', { resources: [{ name: 'a:b', handler: 'tool_unknown' }] }],
  ])('have handlers that exist: a %s', (_, parts) => {
    const register = [{ surface: 'mcp', pattern: '/mcp', options: {}, ...parts }];
    const setup = { container: 'secure', register };
    const contract = makeContract({ 'detection/a.json': fixture('detection/a', undefined, { setup }) });
    expect(contract.invalid).toEqual([{ id: 'detection/a', problem: 'unknown handler "tool_unknown"' }]);
  });

  it.each([
    ['a handler of its own', { surface: 'mcp', pattern: '/mcp', options: {}, handler: 'reply' }],
    ['no pattern', { surface: 'mcp', options: {} }],
    ['another surface', { surface: 'http', method: 'GET', pattern: '/', handler: 'reply', tools: [] }],
    ['another surface without a handler', { surface: 'http', method: 'GET', pattern: '/' }],
  ])('with %s do not fit', (_, registration) => {
    const setup = { container: 'secure', register: [registration] };
    const contract = makeContract({ 'detection/a.json': fixture('detection/a', undefined, { setup }) });
    expect(contract.invalid).toEqual([{ id: 'detection/a', problem: 'does not fit the schema' }]);
  });
});
