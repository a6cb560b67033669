import { copyPlain, isPlainObject, snapshotPlain } from '../src/internal.js';

class Box {
  value = 1;
}

describe('copyPlain', () => {
  it.each<[string, unknown, unknown]>([
    ['null', null, null],
    ['a text', 'a', 'a'],
    ['a number', 1.5, 1.5],
    ['a boolean', false, false],
    ['a bigint', 5n, 5n],
    ['nested data', { a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }],
    ['members that are no data', { f: () => 1, s: Symbol('s'), u: undefined, ok: 1 }, { ok: 1 }],
    ['instances of classes', { box: new Box(), date: new Date(0), map: new Map(), ok: [new Box(), 1] }, { ok: [1] }],
    ['an inheriting object', { child: Object.create({ inherited: 1 }), ok: 1 }, { ok: 1 }],
  ])('copies %s', (_, value, copy) => {
    expect(copyPlain(value)).toEqual(copy);
  });

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['an instance', new Box()],
    ['nothing', undefined],
  ])('returns nothing for %s', (_, value) => {
    expect(copyPlain(value)).toBeUndefined();
  });

  it('returns objects without a prototype, so that __proto__ is a key like any other', () => {
    const copy = copyPlain(JSON.parse('{"__proto__":{"admin":true},"deep":{"__proto__":{"admin":true}}}')) as Record<
      string,
      Record<string, unknown>
    >;
    expect(Object.getPrototypeOf(copy)).toBeNull();
    expect(Object.keys(copy)).toEqual(['__proto__', 'deep']);
    expect(Object.getPrototypeOf(copy.deep)).toBeNull();
    expect([copy.admin, copy.deep?.admin, ({} as { admin?: boolean }).admin]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('cuts cycles, in objects and in lists', () => {
    const list: unknown[] = [1];
    list.push(list);
    const cyclic: Record<string, unknown> = { name: 'a', list, inner: { up: null as unknown } };
    cyclic.self = cyclic;
    (cyclic.inner as { up: unknown }).up = cyclic;
    expect(copyPlain(cyclic)).toEqual({ name: 'a', list: [1], inner: {} });
  });

  it('copies repeated values once, so that shared data does not grow', () => {
    let node: unknown = 'leaf';
    for (let level = 0; level < 40; level += 1) node = [node, node];
    const copy = copyPlain({ node }) as { node: unknown[] };
    expect(copy.node[0]).toBe(copy.node[1]);
  });

  it('keeps 64 levels', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    let copy = copyPlain(deep) as { deep?: unknown } | undefined;
    let levels = 0;
    while (copy !== undefined) {
      levels += 1;
      copy = copy.deep as typeof copy;
    }
    expect(levels).toBe(64);
  });

  it('reads every member once', () => {
    let reads = 0;
    const source = {
      get changing() {
        reads += 1;
        return reads;
      },
    };
    expect(copyPlain(source)).toEqual({ changing: 1 });
    expect(reads).toBe(1);
  });
});

describe('snapshotPlain', () => {
  const cyclic: Record<string, unknown> = { name: 'a', inner: {} };
  (cyclic.inner as { up: unknown }).up = cyclic;

  it.each<[string, Record<string, unknown>, unknown]>([
    ['flat data', { a: 'b', n: 1, yes: true, none: null }, { a: 'b', n: 1, yes: true, none: null }],
    ['nested data', { list: [1, ['b']], map: { a: 1 } }, { list: [1, ['b']], map: { a: 1 } }],
    ['members that are no data', { f: () => 1, s: Symbol('s'), u: undefined, d: new Date(0), ok: 5n }, { ok: 5n }],
    ['cycles', cyclic, { name: 'a', inner: {} }],
    ['an own __proto__', JSON.parse('{"__proto__":{"admin":true}}'), JSON.parse('{"__proto__":{"admin":true}}')],
  ])('keeps %s', (_, source, snapshot) => {
    expect(snapshotPlain(source)).toEqual(snapshot);
  });

  it('keeps its prototype with any __proto__ in the data', () => {
    const snapshot = snapshotPlain(JSON.parse('{"__proto__":{"admin":true}}'));
    expect([snapshot.admin, Object.keys(snapshot)]).toEqual([undefined, ['__proto__']]);
  });

  it('ignores a polluted prototype', () => {
    const polluted = Object.prototype as { injected?: unknown };
    polluted.injected = { admin: true };
    try {
      expect(Object.keys(snapshotPlain({ a: 1 }))).toEqual(['a']);
    } finally {
      delete polluted.injected;
    }
  });

  it('shares nothing with its source', () => {
    const source = { list: [1], map: { deep: { a: 1 } } };
    const snapshot = snapshotPlain(source);
    source.list.push(2);
    source.map.deep.a = 2;
    expect(snapshot).toEqual({ list: [1], map: { deep: { a: 1 } } });
  });
});

describe('isPlainObject', () => {
  it.each<[string, unknown, boolean]>([
    ['a literal', {}, true],
    ['an object without a prototype', Object.create(null), true],
    ['an object of another realm', structuredClone({}), true],
    ['an inheriting object', Object.create({}), false],
    ['an instance', new Box(), false],
    ['a list', [], false],
    ['null', null, false],
    ['a text', 'a', false],
  ])('reports %s', (_, value, plain) => {
    expect(isPlainObject(value)).toBe(plain);
  });
});
