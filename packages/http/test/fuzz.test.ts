import { FrameworkError } from '@sallyport/core';
import fc from 'fast-check';
import { parseDuration } from '../src/bind/internal/convert.js';
import {
  bind,
  encodeSseEvent,
  etag,
  htmlStream,
  json,
  matchesIfNoneMatch,
  redirect,
  safeJsonForHtml,
  vary,
} from '../src/index.js';
import { compareCodePoints, generateOpenAPIJSON, type OpenApiField, toCanonicalJson } from '../src/openapi.js';
import { contextOf } from './support/context.js';

/** Any text: whole characters, halves of them, line ends, controls. */
const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const hostile = fc.oneof(
  anyText,
  fc.stringMatching(/^[\r\n\0 ,;:"\\W/*a-]{0,30}$/),
  fc.constantFrom('__proto__', 'constructor'),
);

/** The parsing of WHATWG HTML section 9.2.6, written down independently. */
function parseEventStream(stream: string): { id: string; event: string; data: string }[] {
  const events: { id: string; event: string; data: string }[] = [];
  let data: string[] = [];
  let event = '';
  let id = '';
  for (const line of stream.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) events.push({ id, event: event || 'message', data: data.join('\n') });
      data = [];
      event = '';
      continue;
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
    if (name === 'data') data.push(value);
    if (name === 'event') event = value;
    if (name === 'id' && !value.includes('\0')) id = value;
  }
  return events;
}

describe('helpers accept any input', () => {
  it('an event is read unchanged by a client, or is rejected', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ id: hostile, event: hostile, data: hostile }), { maxLength: 5 }), (events) => {
        const sent: { id: string; event: string; data: string }[] = [];
        let stream = '';
        let id = '';
        for (const event of events) {
          const unsafe = /[\r\n\0]/.test(event.id + event.event);
          if (unsafe) {
            expect(() => encodeSseEvent(event)).toThrow('internal error');
            continue;
          }
          stream += encodeSseEvent(event);
          id = event.id || id;
          sent.push({ id, event: event.event || 'message', data: event.data.replace(/\r\n|\r/g, '\n') });
        }
        expect(parseEventStream(stream)).toEqual(sent);
      }),
    );
  });

  it('a page has the same bytes for any division into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.array(fc.nat(60), { maxLength: 8 }), async (page, cuts) => {
        const edges = [0, ...cuts.map((cut) => Math.min(cut, page.length)).sort((a, b) => a - b), page.length];
        const pieces = edges.slice(1).map((edge, index) => page.slice(edges[index], edge));
        const chunks: Uint8Array[] = [];
        for await (const chunk of htmlStream(200, pieces).bodyStream as AsyncIterable<Uint8Array>) chunks.push(chunk);
        expect(Buffer.concat(chunks).equals(Buffer.from(page, 'utf8'))).toBe(true);
      }),
    );
  });

  it('if-none-match finds a tag in any list of tags, and accepts any other text without an error', () => {
    const tag = fc.stringMatching(/^[!#-~]{0,10}$/).map((text) => `"${text}"`);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('', 'W/'), tag), { maxLength: 6 }), tag, (list, wanted) => {
        const header = list.map(([weak, text]) => weak + text).join(', ');
        expect(matchesIfNoneMatch(header, wanted)).toBe(list.some(([, text]) => text === wanted));
      }),
    );
    fc.assert(fc.property(hostile, tag, (header, wanted) => typeof matchesIfNoneMatch(header, wanted) === 'boolean'));
  });

  it('an entity tag is the same for text and for its bytes', () => {
    fc.assert(fc.property(anyText, (body) => expect(etag(body)).toBe(etag(Buffer.from(body, 'utf8')))));
  });

  it('a redirect has a location of visible ASCII that means the target, or is rejected', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: 'grapheme' })), (target) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is rejected.
        if (/[\u0000-\u001f\u007f]/.test(target)) {
          expect(() => redirect(target)).toThrow('internal error');
          return;
        }
        const [location = ''] = redirect(target).headers.location ?? [];
        expect(location).toMatch(/^[!-~]*$/);
        const well = Buffer.from(target, 'utf8').toString('utf8');
        expect(location.replace(/%[0-9A-F]{2}/g, '').length).toBeLessThanOrEqual(well.length);
        if (!target.includes('%')) expect(decodeURIComponent(location)).toBe(well);
      }),
    );
  });

  it('JSON for a page parses to the value, and contains no text that ends a script element', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = safeJsonForHtml(value);
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('vary is the same for any repetition and order of added names', () => {
    const name = fc.stringMatching(/^[A-Za-z-]{1,6}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        const once = vary(json(200, 1), ...names).headers.vary;
        const again = vary(vary(json(200, 1), ...[...names].reverse()), ...names).headers.vary;
        expect(again).toEqual(once);
      }),
    );
  });
});

describe('bind accepts any input', () => {
  const handler = bind(
    {
      params: { p: { type: 'int' } },
      query: { q: { type: 'float' }, l: { type: 'bool', array: true } },
      headers: { h: { type: 'duration' } },
      body: {
        s: { type: 'string' },
        i: { type: 'int' },
        l: { type: 'float', array: true },
        d: { type: 'duration' },
        constructor: { type: 'bool' },
      },
    },
    (_ctx, input) => input,
  );

  it('every request is answered or rejected in words', async () => {
    const texts = fc.oneof(hostile, fc.constantFrom('1', '-2.5', 'true', '5s', ''));
    const key = fc.constantFrom('s', 'i', 'l', 'd', 'constructor', '__proto__', 'x');
    const body = fc.oneof(
      fc
        .dictionary(key, fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(1, 'a', '5s', true, [1.5], null)))
        .map((value) => JSON.stringify(value)),
      fc.json(),
      hostile,
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.array(texts, { maxLength: 3 }), texts, body, async (p, q, h, text) => {
        const ctx = contextOf({
          method: 'POST',
          params: { p },
          query: { q, l: q },
          headers: { h, 'content-type': 'application/json' },
          body: text,
        });
        try {
          expect((await handler(ctx)).status).toBe(200);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameworkError);
          expect([400, 422]).toContain((error as FrameworkError).status);
          expect((error as FrameworkError).message).toMatch(
            /^(request body is empty|invalid json|validation failed|invalid (params|query|headers|body) binding for [a-z]+)$/,
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a duration is finite or absent', () => {
    const near = fc.stringMatching(/^-?[PT0-9.hmsuµnWDHMS]{0,12}$/);
    fc.assert(
      fc.property(fc.oneof(near, hostile), (text) => {
        const ms = parseDuration(text);
        expect(ms === undefined || Number.isFinite(ms)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['digits', '9'.repeat(200_000)],
    ['parts', '1h'.repeat(100_000)],
    ['parts that end badly', `${'1h'.repeat(100_000)}x`],
    ['ISO digits', `PT${'9'.repeat(200_000)}`],
  ])('a long text of %s is read in one pass', (_, text) => {
    expect(parseDuration(text) === undefined || Number.isFinite(parseDuration(text))).toBe(true);
    expect(matchesIfNoneMatch(`"${text}`.repeat(2), '"a"')).toBe(false);
  });
});

describe('OpenAPI accepts any input', () => {
  it('canonical JSON parses to the value, its keys in order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = toCanonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(toCanonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('code points order as UTF-32 does', () => {
    const utf32 = (text: string) =>
      [...text].map((character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const [left, right] = [utf32(a), utf32(b)];
        expect(Math.sign(compareCodePoints(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    );
  });

  it('any set of fields is written, each with its name, in one form for any order', () => {
    const field: fc.Arbitrary<OpenApiField> = fc.record({
      field: fc.constantFrom('a', 'b'),
      source: fc.constantFrom('query', 'header', 'body'),
      name: fc.oneof(fc.constantFrom('__proto__', 'constructor', '1', '10'), fc.stringMatching(/^[a-z]{1,4}$/)),
      type: fc.constantFrom('string', 'int', 'float', 'bool', 'duration'),
      array: fc.boolean(),
    });
    const fields = fc.uniqueArray(field, { selector: ({ source, name }) => `${source} ${name}`, maxLength: 6 });
    fc.assert(
      fc.property(fields, (list) => {
        const write = (order: readonly OpenApiField[]) =>
          generateOpenAPIJSON({
            title: 't',
            version: '1',
            routes: [{ method: 'POST', path: '/a', operationId: 'a', request: { fields: order } }],
          });
        const text = write(list);
        expect(write([...list].reverse())).toBe(text);
        const { post } = JSON.parse(text).paths['/a'];
        const parameters = (post.parameters ?? []).map(
          (parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`,
        );
        const properties = Object.keys(post.requestBody?.content['application/json'].schema.properties ?? {}).map(
          (name) => `body ${name}`,
        );
        expect([...parameters, ...properties].sort()).toEqual(
          list.map(({ source, name }) => `${source} ${name}`).sort(),
        );
      }),
    );
  });
});
