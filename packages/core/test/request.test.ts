import { unknownProvenance } from '../src/request/provenance.js';
import {
  canonicalMethod,
  canonicalPath,
  IncomingRequest,
  type RequestSource,
  toHeaderMap,
} from '../src/request/request.js';

/** A source that counts how often each view is made. */
function source(over: Partial<RequestSource> & { readonly head?: Record<string, string | string[]> } = {}) {
  const calls = { headers: 0, header: 0, query: 0, cookies: 0 };
  const map = toHeaderMap(over.head);
  const made: RequestSource = {
    headers: () => {
      calls.headers += 1;
      return map;
    },
    header: (name) => {
      calls.header += 1;
      return map[name] ?? [];
    },
    query: () => {
      calls.query += 1;
      return toHeaderMap({ a: '1' });
    },
    cookieValues: () => {
      calls.cookies += 1;
      return map.cookie ?? [];
    },
    rawBody: '',
    isBase64: false,
    provenance: unknownProvenance,
    ...over,
  };
  return { calls, request: new IncomingRequest('GET', '/x', '/raw/x', made) };
}

describe('IncomingRequest', () => {
  it('makes no view before it is read, and each at most once', () => {
    const { calls, request } = source({ head: { a: '1' } });
    expect([request.method, request.path, request.rawPath]).toEqual(['GET', '/x', '/raw/x']);
    expect(calls).toEqual({ headers: 0, header: 0, query: 0, cookies: 0 });
    expect(request.query).toBe(request.query);
    expect(request.headers).toBe(request.headers);
    expect(request.cookies).toBe(request.cookies);
    expect(request.cookieList).toBe(request.cookieList);
    expect(calls).toEqual({ headers: 1, header: 0, query: 1, cookies: 1 });
  });

  it('reads one header without building the map, and from the map once it is there', () => {
    const { calls, request } = source({ head: { a: ['1', '2'] } });
    expect(request.headerValues('a')).toEqual(['1', '2']);
    expect(request.headerValues('b')).toEqual([]);
    expect(calls.headers).toBe(0);
    void request.headers;
    expect(request.headerValues('a')).toEqual(['1', '2']);
    expect(request.headerValues('b')).toEqual([]);
    expect(calls.header).toBe(2);
  });

  it.each([
    ['a=1; b=2', { a: '1', b: '2' }, ['a=1', 'b=2']],
    ['a=1; a=2', { a: '2' }, ['a=1', 'a=2']],
    ['a=x=y==', { a: 'x=y==' }, ['a=x=y==']],
    ['a="q, 1"; b=', { a: '"q, 1"', b: '' }, ['a="q, 1"', 'b=']],
    ['=v; flag; ;', {}, ['=v', 'flag']],
    ['a=%20', { a: '%20' }, ['a=%20']],
    [' a = 1 ', { a: '1' }, ['a = 1']],
  ])('splits the cookies %j', (header, cookies, list) => {
    const { request } = source({ head: { cookie: header } });
    expect({ ...request.cookies }).toEqual(cookies);
    expect(request.cookieList).toEqual(list);
  });

  it('accepts the names of Object.prototype as cookie names', () => {
    const { request } = source({ head: { cookie: '__proto__=p; constructor=c' } });
    expect(Object.getPrototypeOf(request.cookies)).toBeNull();
    expect(Object.entries(request.cookies)).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
  });

  it('returns text as bytes and base64 as the bytes it stands for', () => {
    expect([...source({ rawBody: 'é' }).request.body]).toEqual([0xc3, 0xa9]);
    expect(source({ rawBody: 'é' }).request.text).toBe('é');
    const encoded = source({ rawBody: 'w6k=', isBase64: true }).request;
    expect([...encoded.body]).toEqual([0xc3, 0xa9]);
    expect(encoded.text).toBe('é');
    expect(encoded.isBase64).toBe(true);
    expect(encoded.body).toBe(encoded.body);
    const bytes = Uint8Array.of(1, 2);
    expect(source({ rawBody: bytes }).request.body).toBe(bytes);
    expect(source({ rawBody: Uint8Array.of(0xc3, 0xa9) }).request.text).toBe('é');
    expect(source({ rawBody: '', isBase64: true }).request.body).toHaveLength(0);
  });

  it('rejects a body that is not the base64 it claims to be', () => {
    const { request } = source({ rawBody: '%%%%', isBase64: true });
    expect(() => request.body).toThrow('invalid base64');
    expect(() => request.text).toThrow('invalid base64');
  });

  it('reads the trace id from the first valid header', () => {
    const head = { traceparent: 'x', 'x-amzn-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793' };
    expect(source({ head }).request.traceId).toBe('1-5759e988-bd862e3fe1be46a994272793');
    expect(source().request.traceId).toBe('');
  });
});

describe('canonicalMethod', () => {
  it.each([
    [' get ', 'GET'],
    ['PATCH', 'PATCH'],
    ['', ''],
  ])('writes %j as %j', (method, expected) => {
    expect(canonicalMethod(method)).toBe(expected);
  });
});

describe('canonicalPath', () => {
  it.each([
    ['', '/'],
    ['  ', '/'],
    ['a', '/a'],
    [' /a/ ', '/a/'],
    ['/a?b=c?d', '/a'],
    ['?a', '/'],
    ['//host/x', '//host/x'],
    ['/a/../%2e%2E//B', '/a/../%2e%2E//B'],
  ])('writes %j as %j', (path, expected) => {
    expect(canonicalPath(path)).toBe(expected);
  });
});
