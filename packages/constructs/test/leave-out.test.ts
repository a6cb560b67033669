/** Functions without parts of the framework: the asset of the stack, and the warnings. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { type App, AssetStaging, Lazy } from 'aws-cdk-lib/core';
import { bundleFunction, ServiceFunction, type ServiceFunctionProps } from '../src/index.js';
import { newProject } from './support/folders.js';
import { newStack } from './support/synth.js';

const MAJOR = process.versions.node.split('.')[0];
const runtime = new Runtime(`nodejs${MAJOR}.x`, RuntimeFamily.NODEJS);

const part = (name: string) => ({ [`sallyport-no-${name}`]: `./no-${name}.js`, default: `./${name}.js` });
const PARTS = ['cors', 'events', 'explain', 'load-balancer'];

/** A project whose handler describes itself as a container does, with parts as the packages declare them. */
function entryOf(uses: string, more = ''): string {
  const files = PARTS.flatMap((name) => [
    [`${name}.js`, `export default 'with ${name}';\n`],
    [`no-${name}.js`, `export default 'without ${name}';\n`],
  ]);
  return join(
    newProject({
      'package.json': JSON.stringify({
        type: 'module',
        imports: Object.fromEntries(PARTS.map((name) => [`#${name}`, part(name)])),
      }),
      ...Object.fromEntries(files),
      'lambda.ts': `
${PARTS.map((name, index) => `import part${index} from '#${name}';`).join('\n')}
${more}
const inspection = { routes: () => [], triggers: () => [], openapi: () => null, uses: () => ${uses} };
export const main = Object.assign(async () => [part0, part1, part2, part3], { [Symbol.for('framework.inspect')]: inspection });
`,
    }),
    'lambda.ts',
  );
}

beforeEach(() => AssetStaging.clearAssetHashCache());

function newFunction(entry: string, props: Partial<ServiceFunctionProps> = {}): ServiceFunction {
  return new ServiceFunction(newStack(), 'Api', { entry, runtime, handler: 'index.main', ...props });
}

/** The parts of the asset: `without cors`. */
function partsOf({ node }: ServiceFunction): readonly string[] {
  const { directory } = (node.root as App).synth();
  const asset = join(directory, readdirSync(directory).find((name) => name.startsWith('asset.')) ?? '');
  return [...readFileSync(join(asset, 'index.js'), 'utf8').matchAll(/with(?:out)? [a-z-]+/g)].map(([text]) => text);
}

const warningsOf = ({ node }: ServiceFunction) =>
  node.metadata.flatMap(({ data }) => (/all parts/.test(String(data)) ? [String(data)] : []));

it.each<[string, Partial<ServiceFunctionProps>, readonly string[]]>([
  ['[]', {}, ['without cors', 'without events', 'with explain', 'with load-balancer']],
  ["['cors', 'surfaces']", {}, ['with cors', 'with events', 'with explain', 'with load-balancer']],
  ['[]', { leaveOut: [] }, ['with cors', 'with events', 'with explain', 'with load-balancer']],
  ["['cors']", { tools: false }, ['with cors', 'without events', 'without explain', 'with load-balancer']],
  ['[]', { leaveOut: ['load-balancer'] }, ['with cors', 'with events', 'with explain', 'without load-balancer']],
  [
    "process.env.TABLE === 'notes' ? [] : ['cors']",
    { environment: { TABLE: 'notes' } },
    ['without cors', 'without events', 'with explain', 'with load-balancer'],
  ],
])('an application that uses %s, with %j', (uses, props, expected) => {
  const service = newFunction(entryOf(uses), props);
  expect([partsOf(service), warningsOf(service)]).toEqual([expected, []]);
});

it('a variable whose value is a token can need a part', () => {
  const environment = { QUEUE: Lazy.string({ produce: () => 'orders' }) };
  const service = newFunction(entryOf("process.env.QUEUE ? ['events'] : []"), { environment });
  expect(partsOf(service)).toContain('with events');
});

it('an application that does not load at synth has all parts, and a warning', () => {
  const service = newFunction(entryOf('[]', "throw new Error('the disk is full');"));
  expect(partsOf(service)).toEqual(PARTS.map((name) => `with ${name}`));
  expect(warningsOf(service)).toEqual([
    expect.stringContaining(
      'The bundle has all parts of the framework: the application does not load in the build: Error: the disk is full. State leaveOut to choose the parts.',
    ),
  ]);
});

it('an application that needs a variable of the deployment is loaded with a placeholder', () => {
  const service = newFunction(entryOf('[]', "if (!process.env.TABLE) throw new Error('TABLE is missing');"));
  expect(partsOf(service)).toEqual(['without cors', 'without events', 'with explain', 'with load-balancer']);
  expect(warningsOf(service)).toEqual([]);
});

it('a handler that describes nothing is bundled without a warning', () => {
  const entry = join(newProject({ 'lambda.ts': 'export const main = async () => 1;\n' }), 'lambda.ts');
  const service = newFunction(entry);
  expect([partsOf(service), warningsOf(service)]).toEqual([[], []]);
});

it('an application that does not load without a named part is an error at synth, and so is an unknown part', () => {
  const entry = entryOf('[]', "if (part0 === 'without cors') throw new Error('no cors');");
  expect(() => newFunction(entry, { leaveOut: ['cors'] })).toThrow(
    expect.failure('constructs.bundling_failed', 'bundleFunction: ', 'cors', 'leaveOut', '(at Test/Api)'),
  );
  expect(() => newFunction(entry, { leaveOut: ['gate' as never] })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'ServiceFunction: leaveOut',
      'got a list of 1',
      'unused, events, websocket, ',
    ),
  );
});

it('bundleFunction leaves out nothing by default', () => {
  const stack = newStack();
  const entry = entryOf('[]');
  const code = bundleFunction(stack, { entry, target: `node${MAJOR}`, handler: 'main' });
  expect(partsOf(new ServiceFunction(stack, 'Api', { code, runtime }))).toContain('with cors');
});
