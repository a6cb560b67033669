import fc from 'fast-check';
import { parsePattern, withTrailingSlash } from '../src/routing/internal/pattern.js';
import { Router } from '../src/routing/internal/router.js';
import { parseOpenRest } from '../src/surface/http-verbs.js';

function routerOf(...patterns: string[]): Router<string> {
  const router = new Router<string>();
  for (const pattern of patterns) router.add(parsePattern(pattern), pattern);
  return router;
}

describe('Router', () => {
  it.each<[string, string[], string, string | undefined, string[]]>([
    ['matches a static path', ['/users'], '/users', '/users', []],
    ['is case-sensitive', ['/users'], '/Users', undefined, []],
    ['keeps a trailing slash significant', ['/users'], '/users/', undefined, []],
    ['keeps a repeated slash significant', ['/users'], '//users', undefined, []],
    ['matches the root', ['/'], '/', '/', []],
    ['never matches a parameter with an empty segment', ['/users/{id}'], '/users/', undefined, []],
    ['gives the undecoded segment', ['/users/{id}'], '/users/a%2Fb', '/users/{id}', ['a%2Fb']],
    ['gives several parameters in order', ['/a/{x}/b/{y}'], '/a/1/b/2', '/a/{x}/b/{y}', ['1', '2']],
    ['gives the rest with inner and trailing slashes', ['/f/{p+}'], '/f/a//b/', '/f/{p+}', ['a//b/']],
    ['wants at least one segment of the rest', ['/f/{p+}'], '/f', undefined, []],
    ['wants the first segment of the rest not empty', ['/f/{p+}'], '/f/', undefined, []],
    ['wants it also before more segments', ['/f/{p+}'], '/f//x', undefined, []],
    ['never takes //host/x for an authority', ['/{a}/{b}', '/x'], '//host/x', undefined, []],
    [
      'treats prototype names as segments',
      ['/constructor', '/{x}/toString'],
      '/__proto__/toString',
      '/{x}/toString',
      ['__proto__'],
    ],
    [
      'finds a static route named like a property of Object',
      ['/{x}', '/constructor'],
      '/constructor',
      '/constructor',
      [],
    ],
    ['reads a path like the shape of a parameter', ['/users/{id}'], '/users/{}', '/users/{id}', ['{}']],
    ['reads a path like the shape of a catch-all', ['/f/{p+}'], '/f/{+}', '/f/{p+}', ['{+}']],
    ['reads a path like the shape of another pattern', ['/{a}/{b}', '/u/{id}/x'], '/u/{}', '/{a}/{b}', ['u', '{}']],
  ])('%s', (_name, patterns, path, value, params) => {
    expect(routerOf(...patterns).match(path)).toEqual(value === undefined ? undefined : { value, params });
  });

  it.each<[string, string[], string, string]>([
    ['more static segments win over more parameters', ['/{x}/{y}/{z}', '/a/{r+}'], '/a/b/c', '/a/{r+}'],
    ['with equal static segments more parameters win', ['/a/{x+}', '/a/{x}/{y}'], '/a/1/2', '/a/{x}/{y}'],
    ['no catch-all beats a catch-all', ['/a/{x+}', '/a/{x}'], '/a/1', '/a/{x}'],
    ['the earlier one wins a tie', ['/{x}/b', '/a/{y}'], '/a/b', '/{x}/b'],
    ['the earlier one wins a tie the other way round', ['/a/{y}', '/{x}/b'], '/a/b', '/a/{y}'],
    ['a longer catch-all beats a shorter one', ['/a/{x+}', '/a/b/{x+}'], '/a/b/c', '/a/b/{x+}'],
    ['a dead end falls back to the catch-all before it', ['/a/b/c', '/a/{x+}'], '/a/b/d', '/a/{x+}'],
  ])('%s', (_name, patterns, path, value) => {
    expect(routerOf(...patterns).match(path)?.value).toBe(value);
  });

  it('agrees with a linear reference on random routes and paths', () => {
    const segment = fc.constantFrom('a', 'b', '{x}', 'c');
    const pattern = fc.tuple(fc.array(segment, { maxLength: 5 }), fc.boolean());
    const paths = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 6 }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 30 }), paths, (drafts, tries) => {
        const patterns = distinctShapes(drafts.map(([segments, rest]) => toPattern(segments, rest)));
        const router = routerOf(...patterns);
        for (const segments of tries) {
          const path = `/${segments.join('/')}`;
          expect([path, router.match(path)?.value]).toEqual([path, linearMatch(patterns, path)]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('matches correctly with an adversarial set of routes: a or {x} at each of 20 levels', () => {
    const random = lcg(7);
    const patterns = distinctShapes(
      Array.from({ length: 400 }, () =>
        toPattern(
          Array.from({ length: 20 }, () => (random() < 0.5 ? 'a' : '{x}')),
          false,
        ),
      ),
    );
    const router = routerOf(...patterns);
    for (let count = 0; count < 60; count += 1) {
      const path = `/${Array.from({ length: 20 }, () => (random() < 0.85 ? 'a' : 'z')).join('/')}`;
      expect(router.match(path)?.value).toBe(linearMatch(patterns, path));
    }
  });

  it.each<[string, string, string | undefined]>([
    ['other names of the parameters', '/u/:x/{y+}', '/u/{a}/{b+}'],
    ['a static pattern', '/u/me', '/u/me'],
    ['the root', '/', '/'],
    ['no pattern, if only a catch-all starts there', '/u/{a}', undefined],
    ['no pattern, if another one only begins so', '/u', undefined],
    ['no pattern of other static segments', '/v/{a}/{b+}', undefined],
    ['no pattern with a parameter in place of the static segment', '/{u}/me', undefined],
  ])('finds what matches the same paths: %s', (_name, pattern, value) => {
    expect(routerOf('/u/{a}/{b+}', '/u/me', '/').find(parsePattern(pattern))).toBe(value);
  });

  it('finds routes that are added after a match', () => {
    const router = routerOf('/a/{x}');
    expect(router.match('/a/b')?.value).toBe('/a/{x}');
    router.add(parsePattern('/a/b'), 'late');
    router.add(parsePattern('/{y}/b/c'), 'later');
    expect(router.match('/a/b')?.value).toBe('late');
    expect(router.match('/a/b/c')?.value).toBe('later');
  });
});

/** Names each parameter by its place. */
function toPattern(segments: readonly string[], rest: boolean): string {
  const named = segments.map((segment, index) => (segment === '{x}' ? `{p${index}}` : segment));
  return `/${[...named, ...(rest ? ['{rest+}'] : [])].join('/')}`;
}

function distinctShapes(patterns: readonly string[]): string[] {
  return [...new Map(patterns.map((pattern) => [pattern.replaceAll(/\{\w+/g, '{'), pattern])).values()];
}

/** The rules, applied one by one to every route. */
function linearMatch(patterns: readonly string[], path: string): string | undefined {
  const parts = path === '/' ? [] : path.slice(1).split('/');
  const fitting = patterns.filter((pattern) => {
    const segments = pattern === '/' ? [] : pattern.slice(1).split('/');
    const rest = segments.at(-1) === '{rest+}';
    const fixed = rest ? segments.slice(0, -1) : segments;
    if (rest ? parts.length <= fixed.length || parts[fixed.length] === '' : parts.length !== fixed.length) return false;
    return fixed.every((segment, index) => (segment.startsWith('{') ? parts[index] !== '' : parts[index] === segment));
  });
  const rank = (pattern: string) => {
    const segments = pattern === '/' ? [] : pattern.slice(1).split('/');
    const rest = segments.at(-1) === '{rest+}' ? 1 : 0;
    const statics = segments.filter((segment) => !segment.startsWith('{')).length;
    return [-statics, -(segments.length - statics - rest), rest, -segments.length, patterns.indexOf(pattern)];
  };
  return fitting.sort((a, b) => compare(rank(a), rank(b)))[0];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, place) => value !== b[place]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

/** A repeatable source of numbers in 0..1. */
function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe('a pattern with a slash at its end', () => {
  const router = new Router<string>();
  for (const text of ['/mcp', '/{team}/mcp', '/a/{rest+}', '/a/b']) {
    const pattern = parsePattern(text);
    router.add(pattern, text);
    const slashed = withTrailingSlash(pattern);
    if (slashed) router.add(slashed, text);
  }
  router.add(parsePattern('/plain/{id}'), '/plain/{id}');

  it.each<[string, string | undefined, string[]]>([
    ['/mcp', '/mcp', []],
    ['/mcp/', '/mcp', []],
    ['/mcp//', undefined, []],
    ['//mcp', undefined, []],
    ['/mcp/x', undefined, []],
    ['/red/mcp', '/{team}/mcp', ['red']],
    ['/red/mcp/', '/{team}/mcp', ['red']],
    ['/red/mcp//', undefined, []],
    ['//mcp/', undefined, []],
    ['/a/b', '/a/b', []],
    ['/a/b/', '/a/b', []],
    ['/a/c/', '/a/{rest+}', ['c/']],
    ['/a/', undefined, []],
    ['/plain/1/', undefined, []],
    ['/plain/', undefined, []],
    ['/', undefined, []],
  ])('%s leads to %s', (path, value, params) => {
    // Twice: data that the router caches in the first look-up must not change the second.
    for (let again = 0; again < 2; again += 1) {
      const match = router.match(path);
      expect([match?.value, match?.params ?? []]).toEqual([value, params]);
    }
  });

  it('is empty for the root', () => {
    expect(withTrailingSlash(parsePattern('/'))).toBeUndefined();
  });
});

it('routes without options share their parsed options, which nothing can change', () => {
  const options = parseOpenRest([]);
  expect(parseOpenRest([undefined] as never)).toBe(options);
  expect(Object.isFrozen(options)).toBe(true);
  expect(parseOpenRest([{}])).not.toBe(options);
  expect(() => parseOpenRest([undefined, 1] as never)).toThrow('framework: too many arguments, expected handle(');
});
