import { ManualClock } from '@sallyport/core/testing';
import type { Service, ServiceFault } from '@sallyport/testkit/services';
import { createTitanEmbedder, type TitanEmbedderOptions, type VectorStoreError } from '@sallyport/vectors';
import { startModel, wireEmbedder } from './support/wire.js';

let service: Service;

beforeAll(async () => {
  service = await startModel();
});

beforeEach(() => service.clear());

afterAll(() => service.stop());

const TEXTS = Array.from({ length: 200 }, (_, at) => `text number ${at}`);
const SECRET = 'words of the model';
const error = (name: string, status: number): ServiceFault => ({ kind: 'error', name, status, message: SECRET });
const answer = (body: string): ServiceFault => ({ kind: 'answer', status: 200, body });
const numbers = (count: number, value: unknown = 0.5) => JSON.stringify({ embedding: Array(count).fill(value) });
const bodiesOf = () => service.requests.map(({ input }) => String(input.body));
const textsOf = () => bodiesOf().map((body) => (JSON.parse(body) as { inputText: string }).inputText);

async function arrived(count: number): Promise<void> {
  while (service.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
}

/** Advances a clock each time the embedder waits for the clock, until the call has ended. */
async function finish<T>(call: Promise<T>, clock: ManualClock): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  call.then(over, over);
  while (!isOver) await clock.advance(1);
  return call;
}

describe('one text', () => {
  it('is one request with dimensions and normalize, trimmed', async () => {
    const vector = await wireEmbedder(service, { dimensions: 256, normalize: false }).embed('  milk ');
    expect(vector).toBeInstanceOf(Float32Array);
    expect(vector).toHaveLength(256);
    expect(service.requests.map(({ operation, input }) => [operation, input.modelId])).toEqual([
      ['InvokeModel', 'amazon.titan-embed-text-v2:0'],
    ]);
    expect(bodiesOf()).toEqual(['{"inputText":"milk","dimensions":256,"normalize":false}']);
    expect(service.requests[0]?.input).toMatchObject({ contentType: 'application/json', accept: 'application/json' });
  });

  it.each([
    ['nothing', undefined],
    ['a blank text', ' \n '],
    ['a number', 1],
    ['50,001 characters', 'x'.repeat(50_001)],
  ])('%s is rejected before anything is sent', async (_name, text) => {
    const call = wireEmbedder(service).embed(text as string);
    await expect(call).rejects.toMatchObject({ code: 'vectorstore.invalid_input' });
    await expect(wireEmbedder(service).embedBatch(['a', text as string])).rejects.toMatchObject({
      code: 'vectorstore.invalid_input',
    });
    expect(service.requests).toEqual([]);
  });

  it('two surrogates count as one of 50,000 characters', async () => {
    expect(await wireEmbedder(service).embed('😀'.repeat(50_000))).toHaveLength(1024);
  });

  it.each([
    ['no JSON', answer('<html>'), 'embedding_failed'],
    ['null', answer('null'), 'embedding_failed'],
    ['no embedding', answer('{}'), 'embedding_failed'],
    ['an empty embedding', answer('{"embedding":[]}'), 'embedding_failed'],
    ['a text for an embedding', answer('{"embedding":"1"}'), 'embedding_failed'],
    ['texts for numbers', answer(numbers(1024, '1')), 'embedding_failed'],
    ['numbers that are infinite in 32 bits', answer(numbers(1024, 1e39)), 'embedding_failed'],
    ['too few numbers', answer(numbers(512)), 'dimension_mismatch'],
    ['a refused request', error('ValidationException', 400), 'embedding_failed'],
    ['no permission', error('AccessDeniedException', 403), 'embedding_failed'],
    ['no such model', error('ResourceNotFoundException', 404), 'embedding_failed'],
    ['a full account', error('ServiceQuotaExceededException', 400), 'embedding_failed'],
  ])('is not tried again after %s', async (_name, fault, code) => {
    service.inject(fault);
    const failed = (await wireEmbedder(service)
      .embed('the input text')
      .catch((thrown: unknown) => thrown)) as VectorStoreError;
    expect(failed).toMatchObject({ code: `vectorstore.${code}`, retryable: false });
    expect(failed.message).not.toMatch(/the input text|words of the model/);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['throttling', error('ThrottlingException', 429)],
    ['an error of the service', error('InternalServerException', 500)],
    ['a service that is away', error('ServiceUnavailableException', 503)],
    ['a model that took too long', error('ModelTimeoutException', 408)],
    ['a model that is not ready', error('ModelNotReadyException', 429)],
    ['a closed connection', { kind: 'reset' } as const],
    ['a lost answer', { kind: 'lost-answer' } as const],
  ])('is tried five times after %s, and the client itself does not try again', async (_name, fault) => {
    const clock = new ManualClock();
    service.inject(fault);
    const call = wireEmbedder(service, { clock, timeoutMs: 900_000 }).embed('milk');
    const failed = await finish(call, clock).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: 'vectorstore.embedding_failed', retryable: true });
    expect(service.requests).toHaveLength(5);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is embedded when the third attempt succeeds', async () => {
    const clock = new ManualClock();
    service.inject(error('ThrottlingException', 429), { times: 2 });
    expect(await finish(wireEmbedder(service, { clock }).embed('milk'), clock)).toHaveLength(1024);
    expect(service.requests).toHaveLength(3);
  });

  it('ends at its deadline when the service is silent at every attempt', async () => {
    const clock = new ManualClock();
    service.inject({ kind: 'silence' });
    const options: TitanEmbedderOptions = { clock, requestTimeoutMs: 1000, timeoutMs: 2500, maxAttempts: 10 };
    const failed = wireEmbedder(service, options)
      .embed('milk')
      .catch((thrown: unknown) => thrown);
    const start = clock.monotonicMs();
    expect(await finish(failed, clock)).toMatchObject({ code: 'vectorstore.embedding_failed', retryable: true });
    expect(clock.monotonicMs() - start).toBeLessThanOrEqual(2501);
  });

  it('ends with the reason of the caller’s signal while the service is silent', async () => {
    const controller = new AbortController();
    service.inject({ kind: 'silence' });
    const call = wireEmbedder(service, { clock: new ManualClock() }).embed('milk', { signal: controller.signal });
    await arrived(1);
    controller.abort(new Error('caller left'));
    await expect(call).rejects.toThrow('caller left');
  });

  it('ends with the reason of the caller’s signal, also while it waits for the next attempt', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    service.inject(error('ThrottlingException', 429));
    const call = wireEmbedder(service, { clock }).embed('milk', { signal: controller.signal });
    await arrived(1);
    while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('caller left'));
    await expect(call).rejects.toThrow('caller left');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('200 strings', () => {
  it('are 200 requests, at most 16 at the same time, and their vectors have the order of the strings', async () => {
    const embedder = wireEmbedder(service);
    const release = service.hold();
    const batch = embedder.embedBatch(TEXTS);
    await arrived(16);
    release();
    const vectors = await batch;
    expect(service.requests).toHaveLength(200);
    expect(service.mostAtOnce).toBe(16);
    service.clear();
    expect(vectors[0]).toEqual(await embedder.embed('text number 0'));
    expect(vectors[199]).toEqual(await embedder.embed('text number 199'));
    expect(new Set(vectors.map(String)).size).toBe(200);
  });

  it('are all embedded in order although every tenth request is throttled, with less concurrency from then on', async () => {
    const clock = new ManualClock();
    for (let after = 9; after < 200; after += 10)
      service.inject(error('ThrottlingException', 429), { after, times: 1 });
    const vectors = await finish(
      wireEmbedder(service, { clock, dimensions: 256, timeoutMs: 900_000 }).embedBatch(TEXTS),
      clock,
    );
    expect(service.requests.length).toBeGreaterThan(210);
    service.clear();
    const embedder = wireEmbedder(service, { dimensions: 256 });
    for (const at of [0, 9, 100, 199]) expect(vectors[at]).toEqual(await embedder.embed(`text number ${at}`));
  });

  it('a throttled request halves the concurrency from then on', async () => {
    const clock = new ManualClock();
    service.inject(error('ThrottlingException', 429), { times: 2 });
    const first = service.hold();
    const batch = wireEmbedder(service, { clock, concurrency: 2 }).embedBatch(TEXTS.slice(0, 6));
    await arrived(2);
    const second = service.hold();
    first();
    while (service.requests.length < 4) await clock.advance(1);
    // Both throttled requests are in progress again. When they end, the width allows one request.
    const third = service.hold();
    second();
    await arrived(5);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(service.requests).toHaveLength(5);
    third();
    await finish(batch, clock);
    expect(service.requests).toHaveLength(8);
  });

  it('equal strings are embedded once, and each gets its own copy of the vector', async () => {
    const vectors = await wireEmbedder(service).embedBatch(['milk', ' milk ', 'bread', 'milk']);
    expect(textsOf().toSorted()).toEqual(['bread', 'milk']);
    expect(vectors[0]).toEqual(vectors[3]);
    expect(vectors[0]).not.toBe(vectors[3]);
  });

  it('the first final failure ends the rest', async () => {
    service.inject(error('AccessDeniedException', 403), { after: 20, times: 1 });
    const failed = await wireEmbedder(service, { concurrency: 4 })
      .embedBatch(TEXTS)
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: 'vectorstore.embedding_failed', retryable: false });
    expect(service.requests.length).toBeLessThan(30);
  });

  it('the caller’s signal ends the batch with its reason', async () => {
    const controller = new AbortController();
    const release = service.hold();
    const batch = wireEmbedder(service, { clock: new ManualClock() }).embedBatch(TEXTS, { signal: controller.signal });
    await arrived(16);
    controller.abort(new Error('caller left'));
    await expect(batch).rejects.toThrow('caller left');
    release();
    expect(service.requests).toHaveLength(16);
  });

  it('no text has no vector', async () => {
    expect(await wireEmbedder(service).embedBatch([])).toEqual([]);
  });
});

it.each([
  [{ dimensions: 100 }, /option "dimensions" must be 256, 512 or 1024/],
  [{ modelId: ' ' }, /option "modelId"/],
  [{ concurrency: 65 }, /option "concurrency" must be a whole number from 1 to 64/],
  [{ maxInputChars: 50_001 }, /option "maxInputChars"/],
  [{ endpoint: 'x' }, /unknown option "endpoint"/],
])('the options %j are rejected', (options, message) => {
  expect(() => createTitanEmbedder(options as TitanEmbedderOptions)).toThrow(
    expect.objectContaining({ code: 'vectorstore.invalid_config', message: expect.stringMatching(message) as string }),
  );
});
