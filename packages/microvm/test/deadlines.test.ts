import { ManualClock } from '@sallyport/core/testing';
import { createMicrovmController, mountMicrovmController } from '@sallyport/microvm';
import {
  createFakeMicrovmProvider,
  createMemoryMicrovmRegistry,
  type FakeMicrovmProvider,
  type FakeWorkload,
} from '@sallyport/microvm/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { watchLeaks } from './support/leaks.js';
import { ADA } from './support/service.js';
import { IMAGE } from './support/wire.js';

const watch = watchLeaks();

/** A service with a stopped clock whose `silent` methods never respond. */
function create(silent: readonly (keyof FakeMicrovmProvider | 'send')[] = [], workload?: FakeWorkload) {
  const clock = new ManualClock(new Date('2026-11-22T00:00:00Z'));
  const fake = createFakeMicrovmProvider({ clock, ...(workload && { workload }) });
  watch.secrets(() => fake.secrets);
  const aborted: string[] = [];
  const never =
    (name: string) =>
    (...args: readonly unknown[]) => {
      const signal = args.at(-1) as AbortSignal;
      signal.addEventListener('abort', () => aborted.push(name));
      return new Promise<never>(() => {});
    };
  const methods = ['run', 'get', 'list', 'suspend', 'resume', 'terminate', 'authToken', 'shellAuthToken'] as const;
  const bound = methods.map((name) => [name, silent.includes(name) ? never(name) : fake[name].bind(fake)]);
  const transport = silent.includes('send') ? { send: never('send') } : fake.transport;
  const controller = createMicrovmController({
    provider: { ...Object.fromEntries(bound), transport } as never,
    registry: createMemoryMicrovmRegistry({ clock }),
    images: [{ ref: IMAGE }],
    environment: {},
    clock,
    onLifecycleEvent: watch.event,
  });
  const app = new SecureApp({ principalResolver: () => ADA, clock, log: watch.logger });
  mountMicrovmController(app, controller, { posture: Authenticated(), shellPosture: Authenticated() });
  const end = (ms: number) => clock.monotonicMs() + ms;
  const call = (method: string, path: string, remainingMs: number, body = '') => {
    const until = end(remainingMs);
    const context = { getRemainingTimeInMillis: () => until - clock.monotonicMs() };
    const answer = app.serve({ method, path, body }, context).then(async (response) => {
      const error = JSON.parse(Buffer.from(response.body).toString() || '{}') as { error?: { code: string } };
      return watch.keep([response.status, error.error?.code]);
    });
    return answer;
  };
  return { app, call, clock, aborted, fake };
}

/** The answer of a call, and after how many milliseconds it came. */
async function answered(clock: ManualClock, answer: Promise<unknown>): Promise<readonly [unknown, number]> {
  const from = clock.monotonicMs();
  let result: unknown;
  void answer.then((value) => {
    result = value;
  });
  for (let step = 0; result === undefined && step < 400; step += 1) await clock.advance(100);
  return [result, clock.monotonicMs() - from];
}

describe('a service that never answers', () => {
  it.each([
    ['with much time: 5 seconds', 60_000, 5000],
    ['with little time: 500 ms before the end', 3000, 2500],
  ])('is left in time, %s', async (_, remainingMs, expectedMs) => {
    const { call, clock, aborted } = create(['get']);
    await call('POST', '/microvms', 60_000, '{"session_id":"s1"}');
    const [result, ms] = await answered(clock, call('GET', '/microvms/s1', remainingMs));
    expect(result).toEqual([503, 'microvm.provider_unavailable']);
    expect(ms).toBeLessThanOrEqual(expectedMs + 100);
    expect(aborted).toEqual(['get']);
  });

  it('is not called when no time is left', async () => {
    const { call, fake } = create();
    await call('POST', '/microvms', 60_000, '{"session_id":"s1"}');
    fake.clear();
    expect(await call('GET', '/microvms/s1', 400)).toEqual([503, 'microvm.provider_unavailable']);
    expect(fake.calls).toEqual([]);
  });

  it('leaves a run reserved, after its repetition', async () => {
    const { call, clock, aborted } = create(['run']);
    const [result] = await answered(clock, call('POST', '/microvms', 60_000, '{"session_id":"s1"}'));
    expect(result).toEqual([503, 'microvm.provider_unavailable']);
    expect(aborted).toEqual(['run', 'run']);
  });
});

describe('a program that never answers', () => {
  it('is left 500 ms before the end of the invocation, and its request is stopped', async () => {
    const { call, clock, aborted } = create(['send']);
    await call('POST', '/microvms', 60_000, '{"session_id":"s1"}');
    const [result, ms] = await answered(clock, call('GET', '/microvms/s1/invoke', 4000));
    expect(result).toEqual([504, 'microvm.workload_timeout']);
    expect(ms).toBeLessThanOrEqual(3600);
    expect(aborted).toEqual(['send']);
  });

  it('does not keep a token that takes too long from ending the request', async () => {
    const { call, clock, aborted } = create(['authToken']);
    await call('POST', '/microvms', 60_000, '{"session_id":"s1"}');
    const [result] = await answered(clock, call('GET', '/microvms/s1/invoke', 60_000));
    expect(result).toEqual([503, 'microvm.provider_unavailable']);
    expect(aborted).toEqual(['authToken']);
  });
});

describe('the answer of a program', () => {
  /** Two pieces, and then what the case names. */
  async function* body(end: () => unknown): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first');
    yield Buffer.from('second');
    await end();
  }

  it.each<readonly [string, number, () => unknown]>([
    ['is read to its end', 3, () => undefined],
    ['is left in the middle', 1, () => undefined],
    [
      'breaks off',
      3,
      () => {
        throw new Error('broken');
      },
    ],
  ])('that %s leaves no timer, and its request is stopped', async (_, pieces, end) => {
    const signals: AbortSignal[] = [];
    const { app, call, clock } = create([], async (_request, signal) => {
      signals.push(signal);
      return { status: 200, headers: [], body: body(end) };
    });
    await call('POST', '/microvms', 60_000, '{"session_id":"s1"}');
    const { bodyStream } = await app.serve(
      { method: 'GET', path: '/microvms/s1/invoke' },
      { getRemainingTimeInMillis: () => 60_000 },
    );
    expect(signals[0]?.aborted).toBe(false);
    let read = 0;
    const reading = (async () => {
      for await (const _piece of bodyStream ?? []) if (++read === pieces) break;
    })();
    await reading.catch(() => undefined);
    expect([signals[0]?.aborted, clock.pendingTimers]).toEqual([true, 0]);
  });
});
