import { createTestEnv, type FakeParameters, fakeParameters } from '@sallyport/testkit';
import fc from 'fast-check';
import { z } from 'zod';
import { createParameters, Secret } from '../src/index.js';

const NAMES = ['a', 'b', 'c'];
const TTL_MS = 10_000;
const MAX_AGE_MS = 60_000;

type Step =
  | { readonly kind: 'write'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove' | 'deny' | 'allow' | 'read' | 'refresh'; readonly name: string }
  | { readonly kind: 'fail'; readonly error: string }
  | { readonly kind: 'tick'; readonly ms: number };

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), name, value: fc.constantFrom('1', '2', '3', '4', 'wrong') }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'deny' as const, 'allow' as const), name }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('read' as const, 'refresh' as const), name }) },
  fc.record({
    kind: fc.constant('fail' as const),
    error: fc.constantFrom('ThrottlingException', 'InternalServerError', 'ExpiredTokenException', 'Unknown'),
  }),
  // The clock of a machine can also be set back.
  fc.record({
    kind: fc.constant('tick' as const),
    ms: fc.constantFrom(-90_000_000, -5000, 1, 999, 5000, 9999, 10_000, 60_000, 90_000_000),
  }),
);

const SERVICES = {
  parameter: {
    write: (aws: FakeParameters, key: string, value: string) => aws.setParameter(`/${key}`, value),
    idOf: (key: string) => `/${key}`,
  },
  secret: {
    write: (aws: FakeParameters, key: string, value: string) => aws.setSecret(key, value),
    idOf: (key: string) => key,
  },
} as const;

/** A value that is replaced, and read after twice the maximum age. */
const STALE: Step[] = [
  ...NAMES.map((key) => ({ kind: 'write' as const, name: key, value: '1' as const })),
  { kind: 'tick', ms: 2 * (MAX_AGE_MS + TTL_MS) },
  ...NAMES.map((key) => ({ kind: 'read' as const, name: key })),
  ...NAMES.map((key) => ({ kind: 'write' as const, name: key, value: '2' as const })),
  { kind: 'tick', ms: 2 * (MAX_AGE_MS + TTL_MS) },
  ...NAMES.map((key) => ({ kind: 'read' as const, name: key })),
];

/** A name that is removed and written again in the same millisecond of the tests' clock. */
const REPLACED: Step[] = [
  { kind: 'write', name: 'b', value: '1' },
  { kind: 'read', name: 'a' },
  { kind: 'remove', name: 'b' },
];

/** The values that a reader may return: values that were current within the maximum age, unless a fault has prevented a call since. */
class Ages {
  readonly #now: () => number;
  /** By name: the time at which each value was last the current one, and the current one. */
  readonly #current = new Map<string, string>();
  readonly #lastCurrent = new Map<string, Map<string, number>>();
  readonly #denied = new Set<string>();
  readonly #troubledAt = new Map<string, number>();
  /** Injected failures that no call has received yet. */
  #failures = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  apply(one: Step): void {
    if (one.kind === 'fail') this.#failures += 1;
    else if (one.kind === 'tick' && one.ms < 0) this.#trouble(NAMES);
    else if (one.kind === 'write') this.#write(one.name, one.value);
    else if (one.kind === 'remove') this.#write(one.name, undefined);
    else if (one.kind === 'deny') this.#denied.add(one.name);
    else if (one.kind === 'allow') this.#denied.delete(one.name);
    const isTroubled = (name: string) => this.#denied.has(name) || (this.#current.get(name) ?? 'wrong') === 'wrong';
    // The failure of one name can delay the next call of all.
    if (this.#failures > 0 || NAMES.some(isTroubled)) this.#trouble(NAMES);
  }

  called(times: number): void {
    if (this.#failures > 0) this.#trouble(NAMES);
    this.#failures = Math.max(0, this.#failures - times);
  }

  isAllowed(name: string, value: string): boolean {
    const now = this.#now();
    if (now - (this.#troubledAt.get(name) ?? now) < MAX_AGE_MS + TTL_MS) return true;
    if (this.#current.get(name) === value) return true;
    return now - (this.#lastCurrent.get(name)?.get(value) ?? Number.NEGATIVE_INFINITY) <= MAX_AGE_MS;
  }

  #write(name: string, value: string | undefined): void {
    const before = this.#current.get(name);
    const times = this.#lastCurrent.get(name) ?? new Map<string, number>();
    if (before !== undefined) times.set(before, this.#now());
    this.#lastCurrent.set(name, times);
    if (value === undefined) this.#current.delete(name);
    else this.#current.set(name, value);
  }

  #trouble(names: readonly string[]): void {
    for (const name of names) this.#troubledAt.set(name, this.#now());
  }
}

it.each(['parameter', 'secret'] as const)(
  'under random faults and clocks a %s is always a value that was written and fits, never older than the rules allow, and calls are bounded',
  async (service) => {
    const { write, idOf } = SERVICES[service];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const env = createTestEnv({ now: 1_000_000_000 });
        const aws = fakeParameters({ clock: env.clock });
        const { clock, log, observability } = env.options();
        const values = createParameters({
          clients: aws.clients,
          ttlMs: TTL_MS,
          maxAgeMs: MAX_AGE_MS,
          clock,
          log,
          observability,
        });
        const schema = z.coerce.number();
        const readers = new Map(
          NAMES.map((key) => {
            const reader =
              service === 'secret' ? values.secret(idOf(key), schema) : values.parameter(idOf(key), schema);
            return [key, reader];
          }),
        );
        const written = new Map<string, Set<number>>(NAMES.map((key) => [key, new Set()]));
        const had = new Set<string>();
        const ages = new Ages(() => env.clock.monotonicMs());
        for (const one of steps) {
          ages.apply(one);
          if (one.kind === 'write') {
            write(aws, one.name, one.value);
            if (one.value !== 'wrong') written.get(one.name)?.add(Number(one.value));
          } else if (one.kind === 'remove') aws.remove(idOf(one.name));
          else if (one.kind === 'deny') aws.deny(idOf(one.name));
          else if (one.kind === 'allow') aws.allow(idOf(one.name));
          else if (one.kind === 'fail') aws.failNext(Object.assign(new Error('injected'), { name: one.error }));
          else if (one.kind === 'tick') {
            env.clock.tick(Math.max(0, one.ms));
            if (one.ms < 0) env.clock.set(new Date(env.clock.now().getTime() + one.ms));
          } else {
            const before = aws.calls.length;
            const reader = readers.get(one.name);
            const got = await (one.kind === 'read' ? reader?.get() : reader?.refresh())?.then(
              (value: unknown) => ({ value: value instanceof Secret ? value.reveal() : value }),
              (error: { code?: string }) => ({ code: error.code }),
            );
            const isAllowed = !got || !('value' in got) || ages.isAllowed(one.name, String(got.value));
            expect([one.name, got, isAllowed]).toEqual([one.name, got, true]);
            await env.clock.advance(0);
            ages.called(aws.calls.length - before);
            // At most one call for all names, and one for each name if one of them fails the call.
            expect(aws.calls.length - before).toBeLessThanOrEqual(1 + NAMES.length);
            if (got && 'value' in got) {
              expect(written.get(one.name)?.has(Number(got.value))).toBe(true);
              had.add(one.name);
            } else {
              // A reader that had a value always has a value.
              expect(had.has(one.name)).toBe(false);
              expect(String(got?.code)).toMatch(/^parameters\./);
            }
          }
        }
        // Without further faults, every value is the current one after the maximum age.
        await env.clock.advance(0);
        for (const key of NAMES) {
          aws.allow(idOf(key));
          write(aws, key, '9');
        }
        const numberOf = (value: unknown) => (value instanceof Secret ? value.reveal() : value);
        const isCurrent = async () => {
          const all = await Promise.all([...readers.values()].map((reader) => reader.get().then(numberOf, () => 0)));
          return all.every((value) => value === 9);
        };
        for (let turn = 0; turn < 70 && !(await isCurrent()); turn += 1) await env.clock.advance(MAX_AGE_MS);
        expect(await isCurrent()).toBe(true);
        expect(env.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 60, examples: [[STALE], [REPLACED]] },
    );
  },
);
