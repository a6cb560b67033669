/** The only modules of the packages that a bundle can leave out. The gate, postures, principals, sanitizer, limits and `classify` are never among them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPTIONAL_PARTS } from '../src/index.js';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

/** `<package> <import>`: the part, and the module without it. */
const TWINS: Readonly<Record<string, readonly [part: string, twin: string, condition: string]>> = {
  'dispatch #events': ['internal/parts/events', 'internal/parts/left-out/events', 'sallyport-no-events'],
  'dispatch #explain': ['internal/parts/explain', 'internal/parts/left-out/explain', 'sallyport-no-explain'],
  'dispatch #extensions': ['internal/parts/extensions', 'internal/parts/left-out/extensions', 'sallyport-no-surfaces'],
  'dispatch #graphql': ['internal/parts/graphql', 'internal/parts/left-out/graphql', 'sallyport-no-graphql'],
  'dispatch #surfaces': ['internal/parts/surfaces', 'internal/parts/left-out/surfaces', 'sallyport-no-surfaces'],
  'http #cors': ['internal/parts/cors', 'internal/parts/left-out/cors', 'sallyport-no-cors'],
  'http #forms': ['internal/parts/forms', 'internal/parts/left-out/forms', 'sallyport-no-forms'],
  'http #function-url': ['internal/parts/function-url', 'internal/parts/left-out/door', 'sallyport-no-function-url'],
  'http #gateway-v1': ['internal/parts/gateway-v1', 'internal/parts/left-out/door', 'sallyport-no-gateway-v1'],
  'http #gateway-v2': ['internal/parts/gateway-v2', 'internal/parts/left-out/door', 'sallyport-no-gateway-v2'],
  'http #hooks': ['internal/parts/hooks', 'internal/parts/left-out/hooks', 'sallyport-no-hooks'],
  'http #load-balancer': ['internal/parts/load-balancer', 'internal/parts/left-out/door', 'sallyport-no-load-balancer'],
  'http #observability': [
    'internal/parts/observability',
    'internal/parts/left-out/observability',
    'sallyport-no-observability',
  ],
  'http #websocket': ['internal/parts/websocket', 'internal/parts/left-out/websocket', 'sallyport-no-websocket'],
  'secure #openapi': ['internal/parts/openapi', 'internal/parts/left-out/openapi', 'sallyport-no-openapi'],
};

const packages = readdirSync(PACKAGES).filter((name) => existsSync(join(PACKAGES, name, 'package.json')));
const importsOf = (name: string) =>
  (JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as { imports?: object }).imports ?? {};

it('the imports of all packages are these, each with its source under the condition of the workspace', () => {
  const found = packages.flatMap((name) =>
    Object.entries(importsOf(name)).map(([key, target]) => [`${name} ${key}`, target]),
  );
  const expected = Object.entries(TWINS).map(([key, [part, twin, condition]]) => [
    key,
    {
      [condition]: { '@sallyport/source': `./src/${twin}.ts`, default: `./dist/${twin}.js` },
      '@sallyport/source': `./src/${part}.ts`,
      default: `./dist/${part}.js`,
    },
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

it('every condition is first, because the first true condition is used', () => {
  for (const name of packages) {
    for (const target of Object.values(importsOf(name))) {
      expect(Object.keys(target as object)).toEqual([
        expect.stringMatching(/^sallyport-no-/),
        '@sallyport/source',
        'default',
      ]);
    }
  }
});

it('the parts of bundleFunction are the conditions, and no other', () => {
  const conditions = new Set(Object.values(TWINS).map(([, , condition]) => condition.replace('sallyport-no-', '')));
  expect([...OPTIONAL_PARTS].sort()).toEqual([...conditions].sort());
});

it('every module without a part is one of these', () => {
  const twins = packages.flatMap((name) => {
    const folder = join(PACKAGES, name, 'src');
    const files = existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];
    return files.filter((file) => /left-out\/.*\.ts$/.test(file) && name !== 'bundle').map((file) => `${name} ${file}`);
  });
  const listed = Object.entries(TWINS).map(([key, [, twin]]) => `${key.split(' ')[0]} ${twin}.ts`);
  expect(twins.sort()).toEqual([...new Set(listed)].sort());
});
