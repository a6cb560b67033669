import fc from 'fast-check';
import { fromConsole } from '../src/log-adapters.js';
import {
  createLogger,
  createSanitizer,
  sanitizeError,
  sanitizeFieldValue,
  sanitizeJson,
  sanitizeValue,
  sanitizeXml,
  scrubFreeText,
} from '../src/observability.js';
import { cleanText, LightWalk, scrubWords } from '../src/sanitize/internal/light.js';
import { countAltered } from './altered.js';
import { ALL_CARDS, groupCard } from './cards.js';
import { createRandom, IDENTIFIERS, orderNumber } from './identifiers.js';

const SEED = 20_261_123;
const light = (value: unknown) => new LightWalk().value(value);

describe('identifiers', () => {
  // `npm run identifiers` counts a million of each kind.
  it.each(Object.entries(IDENTIFIERS))('remain, 5,000 of the kind: %s', (_, make) => {
    expect(countAltered(make, 5000, SEED)).toBe(0);
  });

  it('remain at every place', () => {
    const kinds = fc.constantFrom(...Object.values(IDENTIFIERS));
    const places = fc.constantFrom(
      (id: string) => `${id}`,
      (id: string) => `retry of ${id}; see ${id}.`,
      (id: string) => `https://api.example/v1/things/${id}/parts`,
      (id: string) => `{"id":"${id}","n":1}`,
    );
    fc.assert(
      fc.property(kinds, places, fc.nat(), (make, place, seed) => {
        const id = make(createRandom(seed));
        const text = place(String(id).replaceAll('"', ''));
        expect([scrubFreeText(text), cleanText(text)]).toEqual([text, text]);
        expect([sanitizeFieldValue('id', id), light(id)]).toEqual([id, id]);
      }),
      { numRuns: 2000 },
    );
  });

  it('of 16 random digits are hidden in at most 3 of 100 cases, and never under a key of keepKeys', () => {
    const { sanitizeFieldValue: keep } = createSanitizer({ keepKeys: ['order_id'] });
    const random = createRandom(SEED);
    let hidden = 0;
    for (let index = 0; index < 20_000; index += 1) {
      const id = orderNumber(random);
      if (sanitizeFieldValue('order_id', id) !== id) hidden += 1;
      if (keep('orderId', id) !== id) throw new Error(`${id} is hidden under a key of keepKeys`);
    }
    expect(hidden).toBeGreaterThan(0);
    expect(hidden).toBeLessThanOrEqual(600);
  });

  it.each([
    ['a UUID whose digits look like a card', 'a1b2c3d4-4111-4111-8111-1111d2e3f4a5'],
    ['a hash that begins with one', '4111111111111111abcd'],
    ['a hash that ends with one', 'abcd4111111111111111'],
    ['a traceparent whose parent is one', '00-0af7651916cd43dd8448eb211c80319c-4111111111111111-01'],
    [
      'a tracing header whose parent is one',
      'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=4111111111111111;Sampled=1',
    ],
    ['a file that is named so', 'at run (/app/4111111111111111/index.js:1:2)'],
    ['a module that is named so', 'at async file:///app/node_modules/x@1/4111111111111111.mjs:10:20'],
    ['a file on Windows', 'at run (C:\\app\\4111111111111111.js:1:2)'],
    ['a fraction', 'took 0.4111111111111111 s'],
    ['a date behind groups of digits', '4111 1111 1111 2028-10-01'],
    ['a time in milliseconds and one more', '1700000000000-1700000000001'],
    ['20 digits', '41111111111111111111'],
  ])('remain: %s', (_, text) => {
    expect([scrubFreeText(text), cleanText(text)]).toEqual([text, text]);
  });

  it('remain in the stack of an error, with line and column of files that have names of secrets', () => {
    const frames = [
      'at save (/var/task/node_modules/.pnpm/pino@9.6.0_4ikpqbohktyhrcj3g6xmhxmkqu/node_modules/pino/token.js:10:5)',
      'at async check (file:///var/task/src/auth/password.mjs:7:11)',
      'at Object.<anonymous> (/var/task/node_modules/next@15.0.0-rc.alpha/jwt.js:1:1)',
    ];
    const error = new Error('no');
    error.stack = ['Error: no', ...frames.map((frame) => `    ${frame}`)].join('\n');
    expect(sanitizeError(error).stack).toEqual(frames);
    expect(new LightWalk().error(error).stack).toEqual(frames);
  });

  it.each(['password=hunter2', 'token: hunter2', 'at x (token.js: hunter2)', 'see /a/password: hunter2 now'])(
    'do not keep a secret that is only near a path: %s',
    (text) => {
      expect([scrubFreeText(text), cleanText(text)].join()).not.toContain('hunter2');
    },
  );
});

describe('card numbers', () => {
  const PLACES: readonly [string, (card: string) => string][] = [
    ['alone', (card) => card],
    ['in a sentence', (card) => `paid with ${card}, thank you`],
    ['before a date', (card) => `${card} 12/26 123`],
    ['after an amount', (card) => `100 ${card}`],
    ['after letters', (card) => `card${card}`],
    ['between letters', (card) => `x${card}yz`],
    ['in JSON', (card) => `{"a":{"value":"${card}"},"b":[1]}`],
    ['in XML', (card) => `<pay><value>${card}</value></pay>`],
    ['in an attribute of XML', (card) => `<pay value="${card}"/>`],
    ['in a path of a URL', (card) => `https://shop.example/cards/${card}/use?x=1`],
    ['in a query', (card) => `https://shop.example/pay?n=${card}&x=1`],
    ['in an encoded path', (card) => `/cards/${encodeURIComponent(`a ${card}`)}`],
    ['in a form', (card) => `n=a+${card.replaceAll(' ', '+')}&x=1`],
    ['in a URL of a stack frame', (card) => `at x (https://shop.example/cards/${card}/a.js:1:2)`],
    ['after a UUID', (card) => `0795c825-d3cf-45c0-9654-395775630704 ${card}`],
    ['after an ISO date', (card) => `2026-11-23T08:12:59.123Z ${card} 2026-11-23`],
  ];
  const spellings = (card: string) => [card, groupCard(card, ' '), groupCard(card, '-')];
  const digits = (text: unknown) =>
    JSON.stringify(text)
      .replaceAll('%20', '')
      .replace(/[^0-9]/g, '');
  const leaks = (text: unknown, card: string) => digits(text).includes(card);

  it.each(PLACES)('are hidden %s: every published test card in every spelling', (_, place) => {
    const shown = ALL_CARDS.flatMap((card) =>
      spellings(card).filter((spelling) => {
        const text = place(spelling);
        const outputs = [
          scrubFreeText(text),
          sanitizeFieldValue('note', text),
          sanitizeValue({ [text.slice(0, 100)]: 1 }),
          cleanText(text),
          light({ note: [text] }),
          ...(text.startsWith('{') ? [sanitizeJson(text)] : []),
          ...(text.startsWith('<') ? [sanitizeXml(text)] : []),
          ...(text.startsWith('/') ? [scrubWords(text, 1024)] : []),
        ];
        return outputs.some((output) => leaks(output, card));
      }),
    );
    expect(shown).toEqual([]);
  });

  it('are hidden as numbers of 15 and 16 digits', () => {
    const numbers = ALL_CARDS.filter(({ length }) => length === 15 || length === 16);
    expect(numbers.length).toBeGreaterThan(50);
    for (const card of numbers) {
      const number = Number(card);
      const outputs = [
        sanitizeValue({ n: [number] }),
        light({ n: number }),
        sanitizeJson(`{"n":${card}}`),
        sanitizeValue(BigInt(card)),
        light(BigInt(card)),
      ];
      expect(outputs.filter((output) => leaks(output, card))).toEqual([]);
    }
  });

  it('are hidden between any other characters', () => {
    const around = fc.string({ maxLength: 20 }).map((text) => text.replace(/[0-9a-f]/gi, '_'));
    const card = fc
      .constantFrom(...ALL_CARDS)
      .chain((number) => fc.constantFrom(...spellings(number).map((s) => [number, s])));
    fc.assert(
      fc.property(around, card, around, (before, [number = '', spelling = ''], after) => {
        const text = before + spelling + after;
        expect([scrubFreeText(text), cleanText(text)].filter((output) => leaks(output, number))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('show the first 6 and the last 4 digits in the full sanitizer', () => {
    expect(scrubFreeText('3782-822463-10005')).toBe('378282*****0005');
    expect(sanitizeValue(4111111111111111)).toBe('411111******1111');
    expect(sanitizeValue([4111111111111112, 36227206271667])).toEqual([4111111111111112, 36227206271667]);
  });
});

describe('the option keepKeys', () => {
  const CARD = '4111111111111111';
  const {
    sanitizeValue: clean,
    sanitizeJson: cleanJson,
    sanitizeXml: cleanXml,
    scrubFreeText: scrub,
  } = createSanitizer({
    keepKeys: ['order_id'],
  });

  it.each([
    ['a string', { orderId: CARD }],
    ['a number', { 'Order-Id': 4111111111111111 }],
    ['a list', { order_id: [CARD, 4111111111111111] }],
  ])('keeps %s under a key in any spelling', (_, value) => {
    expect(JSON.stringify(clean(value))).toBe(JSON.stringify(value));
  });

  it('keeps a pair in prose, in a query, in JSON and in XML', () => {
    expect(scrub(`order_id=${CARD} and "orderId": "${CARD}"`)).toBe(`order_id=${CARD} and "orderId": "${CARD}"`);
    expect(scrub(`/pay?order_id=${CARD}&n=${CARD}`)).toBe(`/pay?order_id=${CARD}&n=411111******1111`);
    expect(cleanJson(`{"order_id":${CARD}}`)).toBe(`{"order_id":${CARD}}`);
    expect(cleanXml(`<a><orderId>${CARD}</orderId></a>`)).toBe(`<a><orderId>${CARD}</orderId></a>`);
    expect(cleanXml(`<a orderId="${CARD}" n="${CARD}"/>`)).toBe(`<a orderId="${CARD}" n="411111******1111"/>`);
  });

  it('keeps nothing under other keys, and no member of an object', () => {
    expect(JSON.stringify(clean({ id: CARD, order_id: { value: CARD }, card_number: CARD }))).not.toContain(CARD);
  });

  it('opens no key that is always masked', () => {
    const { sanitizeValue: value } = createSanitizer({ keepKeys: ['card_number', 'password'] });
    expect(value({ card_number: CARD, password: CARD })).toEqual({
      card_number: '411111******1111',
      password: '[REDACTED]',
    });
  });

  it('belongs to the logger and to the adapters', () => {
    const lines: unknown[] = [];
    createLogger({ keepKeys: ['order_id'], write: (line) => lines.push(JSON.parse(line)) }).info('a', {
      order_id: CARD,
    });
    const write = (_: string, fields: object) => lines.push(fields);
    fromConsole({ debug: write, info: write, warn: write, error: write }, { keepKeys: ['order_id'] }).info('b', {
      order_id: CARD,
    });
    expect(lines).toEqual([expect.objectContaining({ order_id: CARD }), expect.objectContaining({ order_id: CARD })]);
  });

  it('is rejected together with a sanitizer', () => {
    expect(() => createLogger({ keepKeys: ['a'], sanitizer: createSanitizer() })).toThrow(/option "keepKeys"/);
  });
});
