/** Optional parts: the twin has the type of its part, and rejects its use. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as noOpenApi from '../src/internal/parts/left-out/openapi.js';
import * as openApi from '../src/internal/parts/openapi.js';

/** `true` only if both types are exactly equal; another argument does not compile. */
type Same<A, B> = (<T>() => T extends Exports<A> ? 1 : 2) extends <T>() => T extends Exports<B> ? 1 : 2 ? true : false;
/** An exported function can be declared or be a constant. */
type Exports<M> = { readonly [K in keyof M]: M[K] };
const isSame: Same<typeof openApi, typeof noOpenApi> = true;

it('OpenAPI is the only optional part of the package, and its twin has the same exports', () => {
  const folder = fileURLToPath(new URL('../src/internal/parts', import.meta.url));
  expect(readdirSync(folder).sort()).toEqual(['left-out', 'openapi.ts']);
  expect(isSame && Object.keys(noOpenApi).sort()).toEqual(Object.keys(openApi).sort());
});

it.each([
  ['generateDocument', () => noOpenApi.generateDocument({} as never, [], 'nested')],
  ['toCanonicalJson', () => noOpenApi.toCanonicalJson({})],
])('%s throws', (_name, use) => {
  expect(use).toThrow(
    'framework: generateOpenAPI() is not in this bundle, which was built with the condition sallyport-no-openapi; build it without this condition',
  );
});

it('tools read that there is no document', () => {
  expect(noOpenApi.describeOperations([], 'nested')).toBeNull();
});
