import { FrameworkError, type ResponseInput } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import { binary, type OpenPipelineOptions, text } from '../src/index.js';
import {
  albMulti,
  albSingle,
  functionUrl,
  gatewayV1,
  gatewayV2,
  routerWith,
  send,
  type TestDoor,
} from './support/doors.js';

/** Lambda's limit for a buffered function, and the load balancer's limit for a target: bytes of the serialised answer. */
const LAMBDA_CAP = 6_291_556;
const LOAD_BALANCER_CAP = 1_048_576;

const DOORS: readonly [TestDoor, number][] = [
  [gatewayV2, LAMBDA_CAP],
  [functionUrl, LAMBDA_CAP],
  [gatewayV1, LAMBDA_CAP],
  [albSingle, LOAD_BALANCER_CAP],
  [albMulti, LOAD_BALANCER_CAP],
];

const TOO_LARGE = '{"error":{"code":"app.too_large","message":"response too large","request_id":"req-1"}}';

/** Answers up to 8 KiB below the limit, by the parts that count in addition to the body. */
const SHAPES: readonly [string, (room: number) => ResponseInput][] = [
  ['plain text', (room) => text(200, 'x'.repeat(room))],
  ['quotes, which JSON writes with two bytes', (room) => text(200, '"'.repeat(room / 2))],
  ['control characters, which JSON writes with six', (room) => text(200, '\u0001'.repeat(room / 6))],
  ['characters of three bytes', (room) => text(200, '€'.repeat(room / 3))],
  ['characters of four bytes', (room) => text(200, '😀'.repeat(room / 4))],
  ['half of a character of four bytes', (room) => text(200, '\ud83d'.repeat(room / 3))],
  ['bytes as base64', (room) => binary(200, Buffer.alloc((room / 4) * 3 - 2, 0xff))],
  ['text that is bytes', (room) => ({ body: Buffer.alloc(room, 'y') })],
  ['a stream that is collected', (room) => ({ bodyStream: [Buffer.alloc(room, 'y')] })],
  ['a header of 6 KB', (room) => ({ body: 'x'.repeat(room - 6_000), headers: { 'x-big': 'h'.repeat(6_000) } })],
  ['a header of quotes', (room) => ({ body: 'x'.repeat(room - 6_000), headers: { 'x-big': '"'.repeat(3_000) } })],
  [
    'headers that repeat, and cookies',
    (room) => ({
      body: 'x'.repeat(room - 6_000),
      headers: { 'x-list': new Array(100).fill('value') },
      cookies: Array.from({ length: 40 }, (_, index) => `name${index}=${'v'.repeat(90)}; Path=/; HttpOnly`),
    }),
  ],
];

const CASES = DOORS.flatMap(([door, cap]) =>
  SHAPES.map(([shape, make]) => ({ door, name: door.name, cap, shape, make })),
);

const sizeOf = (raw: unknown) => Buffer.byteLength(JSON.stringify(raw));

describe('an answer', () => {
  it.each(CASES)('of $shape passes $name at $cap bytes of JSON and not at one more', async ({ door, cap, make }) => {
    const room = Math.floor((cap - 8_192) / 12) * 12;
    const router = routerWith((http) =>
      http.get('/{pad}', (ctx) => {
        const answer = make(room);
        return { ...answer, headers: { ...answer.headers, 'x-pad': 'p'.repeat(Number(ctx.param('pad'))) } };
      }),
    );
    const get = (pad: number) => send(router, door, { path: `/${pad}` });
    const pad = 1 + cap - sizeOf((await get(1)).raw);
    expect(pad).toBeGreaterThan(1);
    const fits = await get(pad);
    expect([fits.status, sizeOf(fits.raw)]).toEqual([200, cap]);
    const over = await get(pad + 1);
    expect([over.status, over.body.toString()]).toEqual([413, TOO_LARGE]);
  });

  const MEBIBYTE = 1024 * 1024;
  const rows = (bytes: number) =>
    JSON.stringify(
      Array.from({ length: bytes / 64 }, (_, id) => ({
        id: 1e6 + id,
        name: `row number ${1e6 + id}`,
        tags: ['a', 'b', 'c'],
      })),
    );

  it.each<[string, TestDoor, () => ResponseInput, number]>([
    ['JSON rows of 4.5 MiB', gatewayV2, () => text(200, rows(4.5 * MEBIBYTE)), 200],
    ['JSON rows of 5.5 MiB', gatewayV2, () => text(200, rows(5.5 * MEBIBYTE)), 413],
    ['4,718,592 bytes as base64', gatewayV2, () => binary(200, Buffer.alloc(4_718_592, 0xff)), 413],
    ['768 KiB as base64', albSingle, () => binary(200, Buffer.alloc(768 * 1024, 0xff)), 413],
    ['768 KiB as base64', albMulti, () => binary(200, Buffer.alloc(768 * 1024, 0xff)), 413],
  ])('of %s through $name is accepted by the service, or rejected', async (_shape, door, answer, status) => {
    const got = await send(
      routerWith((http) => http.get('/', answer)),
      door,
      {},
    );
    expect(got.status).toBe(status);
  });

  it.each(DOORS)(
    'of a stream larger than the limit of $name is an error, and its source is closed',
    async (door, cap) => {
      let closed = false;
      async function* chunks() {
        try {
          for (;;) yield Buffer.alloc(cap / 2);
        } finally {
          closed = true;
        }
      }
      const got = await send(
        routerWith((http) => http.get('/', () => ({ bodyStream: chunks() }))),
        door,
        {},
      );
      expect([got.status, closed]).toEqual([500, true]);
    },
  );

  it.each<[string, OpenPipelineOptions, ResponseInput, (bytes: number) => string]>([
    [
      "the container's limit",
      { limits: { maxResponseBytes: 4 } },
      text(200, 'abcde'),
      () => 'the answer has 5 bytes, at most 4 are allowed',
    ],
    [
      'the cap of the front door',
      {},
      text(200, 'x'.repeat(LAMBDA_CAP)),
      (bytes) => `the answer has ${bytes} bytes, at most ${LAMBDA_CAP} are allowed`,
    ],
  ])('past %s is logged with its size and the bound', async (_name, options, answer, said) => {
    const lines: string[] = [];
    const log = createLogger({ write: (line) => lines.push(line), environment: {} });
    const { status, body } = await send(
      routerWith((http) => http.get('/', () => answer), { ...options, log }),
      gatewayV2,
      {},
    );
    expect([status, body.toString()]).toEqual([413, TOO_LARGE]);
    const whole = sizeOf(
      (
        await send(
          routerWith((http) => http.get('/', () => text(200, ''))),
          gatewayV2,
          {},
        )
      ).raw,
    );
    const { error } = JSON.parse(lines[0] ?? '{}');
    expect([lines.length, error.message, error.cause.message]).toEqual([
      1,
      'response too large',
      said(whole + LAMBDA_CAP),
    ]);
  });

  it('of an error is limited by the cap too', async () => {
    const router = routerWith((http) =>
      http.get('/', () => {
        throw new FrameworkError('app.conflict', 'large', { details: 'x'.repeat(LAMBDA_CAP) });
      }),
    );
    const got = await send(router, gatewayV2, {});
    expect([got.status, got.body.toString()]).toEqual([413, TOO_LARGE]);
  });
});
