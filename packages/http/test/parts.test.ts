/** Optional parts: each twin has the type of its part, and rejects its use. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createKernel, HttpSurface, type Kernel } from '@sallyport/http/internal';
import * as cors from '../src/internal/parts/cors.js';
import * as forms from '../src/internal/parts/forms.js';
import * as functionUrl from '../src/internal/parts/function-url.js';
import * as gatewayV1 from '../src/internal/parts/gateway-v1.js';
import * as gatewayV2 from '../src/internal/parts/gateway-v2.js';
import * as hooks from '../src/internal/parts/hooks.js';
import * as noCors from '../src/internal/parts/left-out/cors.js';
import * as noDoor from '../src/internal/parts/left-out/door.js';
import * as noForms from '../src/internal/parts/left-out/forms.js';
import * as noHooks from '../src/internal/parts/left-out/hooks.js';
import * as noObservability from '../src/internal/parts/left-out/observability.js';
import * as noWebSocket from '../src/internal/parts/left-out/websocket.js';
import * as loadBalancer from '../src/internal/parts/load-balancer.js';
import * as observability from '../src/internal/parts/observability.js';
import * as webSocket from '../src/internal/parts/websocket.js';

/** `true` only if both types are exactly equal; another argument does not compile. */
type Same<A, B> = (<T>() => T extends Exports<A> ? 1 : 2) extends <T>() => T extends Exports<B> ? 1 : 2 ? true : false;
/** An exported function can be declared or be a constant. */
type Exports<M> = { readonly [K in keyof M]: M[K] };
const same = <A extends object, B extends object>(part: A, twin: B, _isSame: Same<A, B>) => [part, twin] as const;

const PAIRS = {
  cors: same(cors, noCors, true),
  forms: same(forms, noForms, true),
  hooks: same(hooks, noHooks, true),
  observability: same(observability, noObservability, true),
  websocket: same(webSocket, noWebSocket, true),
  'function-url': same(functionUrl, noDoor, true),
  'gateway-v1': same(gatewayV1, noDoor, true),
  'gateway-v2': same(gatewayV2, noDoor, true),
  'load-balancer': same(loadBalancer, noDoor, true),
};

it('every part of the package has a pair here', () => {
  const folder = fileURLToPath(new URL('../src/internal/parts', import.meta.url));
  const files = readdirSync(folder).flatMap((name) => (name.endsWith('.ts') ? [name.slice(0, -3)] : []));
  expect(files.sort()).toEqual(Object.keys(PAIRS).sort());
});

it.each(Object.entries(PAIRS))('the twin of %s exports the same names', (_name, [part, twin]) => {
  expect(Object.keys(twin).sort()).toEqual(Object.keys(part).sort());
});

const place = (name: string) => ({ name, environment: {}, fail: (problem: string) => new Error(problem) });
const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return { code: (error as { code?: string }).code, message: (error as Error).message };
  }
  return undefined;
};
const leftOut = (what: string, part: string) => ({
  code: 'app.left_out',
  message: `framework: ${what} is not in this bundle, which was built with the condition sallyport-no-${part}; build it without this condition`,
});
const kernel: Kernel = createKernel({ log: false }, { gate: () => undefined, tenantOf: () => '' });

it.each<[string, () => unknown, ReturnType<typeof leftOut>]>([
  ['cors()', () => noCors.cors({}), leftOut('cors()', 'cors')],
  ['the option cors', () => noCors.CORS_KIND.read({}, place('cors')), leftOut('option "cors"', 'cors')],
  ['hooks()', () => noHooks.hooks({ notFound: () => undefined }), leftOut('hooks()', 'hooks')],
  ...(['onError', 'notFound', 'onResponse'] as const).map(
    (name): [string, () => unknown, ReturnType<typeof leftOut>] => [
      `the option ${name}`,
      () => noHooks.HOOK_KINDS[name].read(() => undefined, place(name)),
      leftOut(`option "${name}"`, 'hooks'),
    ],
  ),
  ['observe()', () => noObservability.observe({ log: () => {} }), leftOut('observe()', 'observability')],
  [
    'the option observability',
    () => noObservability.OBSERVABILITY_KIND.read({}, place('observability')),
    leftOut('option "observability"', 'observability'),
  ],
  [
    'a WebSocket route',
    () => noWebSocket.createWebSocketSurface(kernel, {}).register(),
    leftOut('app.webSocket()', 'websocket'),
  ],
  [
    'the option webSocketSupport',
    () => noWebSocket.WEBSOCKET_SUPPORT_KIND.read(true, place('webSocketSupport')),
    leftOut('option "webSocketSupport"', 'websocket'),
  ],
  ...(['webSocketClientFactory', 'webSocketEndpoint'] as const).map(
    (name): [string, () => unknown, ReturnType<typeof leftOut>] => [
      `the option ${name}`,
      () => noWebSocket.WEBSOCKET_KINDS[name].read('https://example.com', place(name)),
      leftOut(`option "${name}"`, 'websocket'),
    ],
  ),
])('%s is rejected if its part is left out', (_name, use, expected) => {
  expect(errorOf(use)).toEqual(expected);
});

it('a twin accepts options that do not use its part', () => {
  expect(noHooks.hooks({ onError: undefined, notFound: undefined, onResponse: undefined })).toEqual({
    askOnError: undefined,
    showResponse: undefined,
  });
  expect(noObservability.observe({}).hooks).toEqual({});
  expect(noWebSocket.WEBSOCKET_SUPPORT_KIND.read(false, place('webSocketSupport'))).toBe(false);
  expect(noCors.CORS_KIND.read(undefined, place('cors'))).toBeUndefined();
});

it('a form that is left out rejects, and a left-out door serves no kind', async () => {
  await expect(noForms.parseForm('text/plain', new Uint8Array())).rejects.toMatchObject(
    leftOut('ctx.bodyForm()', 'forms'),
  );
  expect(noDoor.door).toEqual({});
});

it('the surface of WebSocket that is left out serves no kind and rejects every event', async () => {
  const { surface, isRegistered } = noWebSocket.createWebSocketSurface(kernel, {});
  expect([surface.serves, surface.triggers(), isRegistered()]).toEqual([[], [], false]);
  await expect(surface.serve('websocket', {}, { lambdaContext: undefined })).rejects.toMatchObject({
    code: 'dispatch.no_adapter',
    message: 'framework: no adapter for websocket',
  });
});

it('the HTTP surface rejects events of a door that is left out, for any caller', async () => {
  const surface = new HttpSurface(kernel, {});
  const expected = { code: 'dispatch.no_adapter', message: 'framework: no adapter for other' };
  await expect(surface.serve('other', {}, { lambdaContext: undefined })).rejects.toMatchObject(expected);
  expect(errorOf(() => surface.serveStream('other', {}, undefined))).toEqual(expected);
  expect(errorOf(() => surface.explainTarget('other', {}))).toEqual(expected);
});
