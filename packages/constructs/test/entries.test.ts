import { join } from 'node:path';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Aws } from 'aws-cdk-lib/core';
import {
  FunctionUrl,
  HttpApi,
  type IHttpDoor,
  inventoryFromEntry,
  RestApi,
  RestEndpoint,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
} from '../src/index.js';
import { newFolder, newProject } from './support/folders.js';
import { messageOf, newApp, newStack, templateOf } from './support/synth.js';

const HANDLER = `
const describe = (handler, kind) => Object.assign(handler, { [Symbol.for('framework.inspect')]: {}, ...(kind && { [Symbol.for('sallyport.http.streamed-kind/1')]: kind }) });
export const plain = describe(() => {});
export const rest = describe(() => {}, 'gateway-v1');
export const url = describe(() => {}, 'function-url');
export const wrapped = () => plain();
`;
const APP = `
const routes = [
  { surface: 'http', method: 'GET', path: '/notes', posture: 'public' },
  { surface: 'http', method: 'GET', path: '/progress', posture: 'public', streaming: process.env.STREAMS !== 'no' },
];
export const app = { routes: () => routes, triggers: () => [] };
`;
const project = newProject({ 'lambda.js': HANDLER, 'app.js': APP });

type MakeDoor = (fn: IFunction) => IHttpDoor;
const rest: MakeDoor = (fn) => new RestApi(fn.stack, 'Door', { fn });
const edge: MakeDoor = (fn) => new RestApi(fn.stack, 'Door', { fn, endpoint: RestEndpoint.EDGE });
const url: MakeDoor = (fn) => new FunctionUrl(fn.stack, 'Door', { fn });
const http: MakeDoor = (fn) => new HttpApi(fn.stack, 'Door', { fn });

function synthWith(handler: string, make: MakeDoor, STREAMS: string): string {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', {
    entry: join(project, 'lambda.js'),
    handler: `index.${handler}`,
    environment: { STREAMS },
  });
  const inventory = inventoryFromEntry({ entry: join(project, 'app.js'), environment: { STREAMS } });
  new ServiceWiring(stack, 'Wiring', { fn, inventory }).http(make(fn));
  return messageOf(() => templateOf(stack));
}

describe('the exported handler', () => {
  it.each<[string, string, MakeDoor, string]>([
    ['a streaming REST API', 'rest', rest, 'yes'],
    ['a buffered REST API', 'plain', rest, 'no'],
    ['a buffered REST API', 'url', rest, 'no'],
    ['a buffered edge API', 'plain', edge, 'no'],
    ['a streaming function URL', 'url', url, 'yes'],
    ['a buffered function URL', 'rest', url, 'no'],
    ['an HTTP API', 'plain', http, 'no'],
    ['a streaming REST API', 'wrapped', rest, 'yes'],
  ])('fits %s: %s', (_name, handler, make, streams) => {
    expect(synthWith(handler, make, streams)).toBe('');
  });

  it.each<[string, string, MakeDoor, string, string]>([
    ['a streaming REST API', 'plain', rest, 'yes', 'Test/Door streams, and the handler "plain" of'],
    [
      'a streaming REST API',
      'url',
      rest,
      'yes',
      'streams the events of function URLs, expected export const handler = createGatewayRestStreamingHandler(app)',
    ],
    [
      'a buffered REST API',
      'rest',
      rest,
      'no',
      'streams the events of REST APIs, expected export const handler = app.handleLambda',
    ],
    [
      'a streaming function URL',
      'plain',
      url,
      'yes',
      'does not stream, expected export const handler = createLambdaFunctionURLStreamingHandler(app)',
    ],
    ['a buffered function URL', 'url', url, 'no', 'Test/Door buffers, and the handler "url" of'],
  ])('does not fit %s: %s', (_name, handler, make, streams, message) => {
    expect(synthWith(handler, make, streams)).toContain(message);
  });

  it.each([
    [
      'index.main',
      'handler index.main, and',
      'exports plain, rest, url, wrapped, expected export const main = … (at Test/Api)',
    ],
    ['lambda.plain', 'handler, got "lambda.plain", expected "index.plain": the file of a bundle is index', ''],
  ])('%s is rejected', (handler, ...parts) => {
    const entry = join(project, 'lambda.js');
    const message = messageOf(() => new ServiceFunction(newStack(), 'Api', { entry, handler }));
    for (const part of parts) expect(message).toContain(part);
  });

  it('is not checked for code that is re-exported from a package, and for stacks that are not selected', () => {
    const again = newProject({ 'a.js': "export * from 'node:path';" });
    expect(messageOf(() => new ServiceFunction(newStack(), 'Api', { entry: join(again, 'a.js') }))).toBe('');
    const stack = newStack({}, newApp({ context: { 'aws:cdk:bundling-stacks': [] } }));
    expect(messageOf(() => new ServiceFunction(stack, 'Api', { entry: 'none.ts' }))).toBe('');
  });
});

describe('registrations that depend on a variable', () => {
  const files = newProject({
    'lambda.js': 'export const handler = () => {};',
    'app.js': `
      const triggers = process.env.FEATURE_X === 'on' || process.env.TABLE ? [{ kind: 'queue', name: 'feature' }] : [];
      process.env.LEVEL;
      export const app = { routes: () => [], triggers: () => triggers };
    `,
  });
  const synthOf = (variables: Record<string, string>, environment: Record<string, string> = {}) => {
    const stack = newStack();
    const { fn } = new ServiceFunction(stack, 'Api', { entry: join(files, 'lambda.js'), environment: variables });
    const inventory = inventoryFromEntry({ entry: join(files, 'app.js'), environment });
    const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory });
    if (inventory.triggers.length > 0) wiring.queue('feature', new ServiceQueue(stack, 'Q').queue);
    return messageOf(() => templateOf(stack));
  };

  it.each<[string, Record<string, string>, Record<string, string>, string]>([
    ['a literal', { FEATURE_X: 'on', LEVEL: 'debug' }, {}, 'depend on the variable FEATURE_X, whose value'],
    ['the other way round', {}, { FEATURE_X: 'on' }, 'depend on the variable FEATURE_X, whose value'],
    [
      'a value that is known after deployment',
      { TABLE: Aws.STACK_ID },
      {},
      'depend on the variable TABLE, whose value',
    ],
  ])('are rejected: %s', (_name, variables, environment, message) => {
    expect(synthOf(variables, environment)).toContain(message);
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['the same value', { FEATURE_X: 'on' }, { FEATURE_X: 'on' }],
    ['a value that changes nothing', { FEATURE_X: 'off', LEVEL: 'debug' }, {}],
    ['a variable that is not read', { OTHER: 'on' }, {}],
  ])('are accepted: %s', (_name, variables, environment) => {
    expect(synthOf(variables, environment)).toBe('');
  });
});

it.each(['a#b', 'a?b', 'a%b', 'a b'])('an entry is loaded from a folder named %s', (name) => {
  const before = process.env.TMPDIR;
  const folder = newProject({ [`${name}/app.js`]: 'export const app = { routes: () => [], triggers: () => [] };' });
  try {
    process.env.TMPDIR = join(folder, name);
    expect(inventoryFromEntry({ entry: join(folder, name, 'app.js') }).routes).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  expect(newFolder()).not.toContain(name);
});
