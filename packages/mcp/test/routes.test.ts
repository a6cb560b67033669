import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import * as root from '../src/index.js';
import * as routes from '../src/routes.js';

const { mcpPathFor, normalizeMcpPath, parseMcpPath, protectedResourcePathFor, resourcePathFromProtectedResourcePath } =
  routes;

/** Strings of relevant parts: slashes, dots, fixed segments, blanks of all kinds, escapes, and arbitrary text. */
const part = fc.oneof(
  fc.constantFrom(
    '/',
    '.',
    '..',
    'mcp',
    'partners',
    'agents',
    ' ',
    '\t',
    '\u0085',
    '\u00a0',
    '\ufeff',
    '%2e',
    '%2F',
    'A',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const path = fc.oneof(
  fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
);

const isIdentifier = (text: string) => !/^[\t-\r ]*\.{0,2}[\t-\r ]*$/.test(text) && !text.includes('/');
const identifier = fc
  .oneof(
    part,
    fc.array(part, { maxLength: 3 }).map((parts) => parts.join('')),
  )
  .filter(isIdentifier);
const endpoint: fc.Arbitrary<routes.McpEndpoint> = fc.oneof(
  fc.record({ kind: fc.constant('namespace' as const), clientNamespace: identifier }),
  fc.record({ kind: fc.constant('partner_namespace' as const), clientNamespace: identifier, partnerId: identifier }),
  fc.record({ kind: fc.constant('agent' as const), clientNamespace: identifier, agentId: identifier }),
  fc.record({
    kind: fc.constant('partner_agent' as const),
    clientNamespace: identifier,
    partnerId: identifier,
    agentId: identifier,
  }),
);

/** The grammar of the contract, independent of the implementation: valid results of parsing, for any input. */
const GRAMMAR = [
  /^\/[^/]+\/mcp$/u,
  /^\/[^/]+\/partners\/[^/]+\/mcp$/u,
  /^\/[^/]+\/agents\/[^/]+\/mcp$/u,
  /^\/[^/]+\/partners\/[^/]+\/agents\/[^/]+\/mcp$/u,
];

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      code: 'mcp.invalid_route',
      message: expect.stringMatching(/^framework: mcp routes: /) as unknown,
    });
    return undefined;
  }
}

const RUNS = { numRuns: 2_000 };

describe('for any input', () => {
  it('what is built, parsed and built again is the same', () => {
    fc.assert(
      fc.property(endpoint, (given) => {
        const built = mcpPathFor(given);
        expect(parseMcpPath(built)).toEqual(given);
        expect(mcpPathFor(parseMcpPath(built))).toBe(built);
        expect(resourcePathFromProtectedResourcePath(protectedResourcePathFor(built))).toBe(built);
      }),
      RUNS,
    );
  });

  it('a path that is parsed is of the grammar, and its endpoint builds one of the same endpoint', () => {
    fc.assert(
      fc.property(path, (given) => {
        const parsed = attempt(() => parseMcpPath(given));
        if (!parsed) return;
        const built = mcpPathFor(parsed);
        expect(GRAMMAR.filter((one) => one.test(built))).toHaveLength(1);
        for (const text of Object.values(parsed)) expect(isIdentifier(text)).toBe(true);
        expect(parseMcpPath(built)).toEqual(parsed);
      }),
      RUNS,
    );
  });

  it('normalizing twice returns the same result as once, and derived paths parse to the same endpoint', () => {
    fc.assert(
      fc.property(path, (given) => {
        const normal = normalizeMcpPath(given);
        expect(normal).toMatch(/^\//);
        expect(
          normal
            .split('/')
            .slice(1)
            .filter((segment) => ['.', '..'].includes(segment)),
        ).toEqual([]);
        expect(normal === '/' || !/\/(\/|$)/.test(normal)).toBe(true);
        // Blanks are trimmed only once, from the original string: a segment of blanks at the end after resolving `..` is kept.
        fc.pre(!/[\t-\r ]$/.test(normal));
        expect(normalizeMcpPath(normal)).toBe(normal);
        expect(resourcePathFromProtectedResourcePath(protectedResourcePathFor(given))).toBe(normal);
      }),
      RUNS,
    );
  });

  it('only an error of the algebra is thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (given) => {
        for (const [name, run] of Object.entries(routes)) {
          if (typeof run === 'function') attempt(() => (run as (value: unknown) => unknown)(given));
          else expect(name).toMatch(/^[A-Z_]+$/);
        }
      }),
    );
  });
});

it('a value that is not a valid endpoint of its kind is rejected', () => {
  const bad: unknown[] = [
    undefined,
    null,
    'namespace',
    {},
    { kind: 'tenant', clientNamespace: 'acme' },
    { kind: 'constructor', clientNamespace: 'acme' },
    { kind: 'namespace' },
    { kind: 'namespace', clientNamespace: 7 },
    { kind: 'namespace', clientNamespace: 'acme', agentId: 'bot' },
    { kind: 'namespace', clientNamespace: 'acme', agentId: '' },
    { kind: 'namespace', clientNamespace: 'acme', region: 'eu' },
    { kind: 'agent', clientNamespace: 'acme' },
    { kind: 'agent', clientNamespace: 'acme', agentId: 'bot', partnerId: 'p' },
    { kind: 'partner_agent', clientNamespace: 'acme', partnerId: 'p' },
    Object.create({ kind: 'namespace', clientNamespace: 'acme' }),
  ];
  for (const value of bad) expect(attempt(() => mcpPathFor(value as routes.McpEndpoint))).toBeUndefined();
});

it('an endpoint that is returned is frozen', () => {
  expect(Object.isFrozen(parseMcpPath('/acme/mcp'))).toBe(true);
});

it.each([
  ['supportedEndpointTemplates', routes.supportedEndpointTemplates],
  ['supportedOAuthFacadeTemplates', routes.supportedOAuthFacadeTemplates],
  ['supportedOAuthDiscoveryTemplates', routes.supportedOAuthDiscoveryTemplates],
] as const)('%s is frozen and fresh at each call', (_, list) => {
  const once = list();
  expect(Object.isFrozen(once) && once.every(Object.isFrozen)).toBe(true);
  expect(list()).not.toBe(once);
  expect(list()).toEqual(once);
});

it('imports nothing from outside its folder, so that infrastructure code loads it alone', () => {
  const folder = join(import.meta.dirname, '../src/routes');
  const files = ['../routes.ts', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].filter((name) =>
    name.endsWith('.ts'),
  );
  const imports = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from),
  );
  expect(imports.length).toBeGreaterThan(4);
  expect(
    imports.filter((from) => !/^\.\/(routes\/|internal\/)?(endpoint|paths|templates|text)\.js$/.test(from ?? '')),
  ).toEqual([]);
});

it('the root entry mounts at the same path', () => {
  expect(root.MCP_PATH).toBe(routes.MCP_PATH);
});
