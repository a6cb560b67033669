import type { ManualClock } from '@sallyport/core/testing';
import { MicrovmError } from '../../errors.js';
import type { MicrovmProvider } from '../../provider/provider.js';
import type { MicrovmRegistry } from '../../registry/registry.js';
import type { MicrovmSetup } from '../harness.js';

/** A fault of one call: a lost response, or an outage that starts with the call. */
export interface CallFault {
  /** The number of the call, from 0. */
  readonly at: number;
  /** Duration of the outage of registry and service in milliseconds; 0 for a lost response. */
  readonly awayMs: number;
}

/** One step of fake time. */
const STEP_MS = 50;

/** A registry and a service whose calls are counted and can fail, in fake time. */
export class Outages {
  readonly registry: MicrovmRegistry;
  readonly provider: MicrovmProvider;
  readonly #clock: ManualClock;
  #fault: CallFault | undefined;
  #calls = 0;
  #awayUntil = 0;
  #isWaiting = false;

  constructor({ registry, provider }: MicrovmSetup, clock: ManualClock) {
    this.#clock = clock;
    const away = () => new MicrovmError('microvm.registry_unavailable', 'registry away');
    this.registry = this.#wrap(registry, away);
    const timeout = () => Object.assign(new Error('no answer'), { name: 'TimeoutError' });
    this.provider = Object.assign(this.#wrap(provider, timeout), { transport: provider.transport });
  }

  /** Runs an operation with a fault, advances the clock while it waits, and returns the number of calls. */
  async run<T>(
    fault: CallFault | undefined,
    operation: () => Promise<T>,
  ): Promise<{ outcome: PromiseSettledResult<T>; calls: number }> {
    this.#fault = fault;
    this.#calls = 0;
    this.#isWaiting = false;
    let settled: PromiseSettledResult<T> | undefined;
    const work = Promise.allSettled([operation()]).then(([outcome]) => {
      settled = outcome;
    });
    while (settled === undefined) {
      await new Promise(setImmediate);
      if (this.#isWaiting) await this.#clock.advance(STEP_MS);
    }
    await work;
    this.#fault = undefined;
    this.#awayUntil = 0;
    return { outcome: settled, calls: this.#calls };
  }

  #wrap<T extends object>(target: T, toError: () => Error): T {
    const call = (run: (...args: unknown[]) => Promise<unknown>) => {
      return async (...args: unknown[]) => {
        const at = this.#calls;
        this.#calls += 1;
        this.#isWaiting = false;
        const isHit = this.#fault?.at === at;
        if (isHit && this.#fault?.awayMs === 0) await run.apply(target, args);
        if (isHit) this.#awayUntil = this.#clock.monotonicMs() + (this.#fault?.awayMs ?? 0);
        if (!isHit && this.#clock.monotonicMs() >= this.#awayUntil) return run.apply(target, args);
        this.#isWaiting = true;
        throw toError();
      };
    };
    const methods = [...REGISTRY_METHODS, ...PROVIDER_METHODS].flatMap((name) => {
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? [[name, call(method as never)] as const] : [];
    });
    return Object.fromEntries(methods) as T;
  }
}

const REGISTRY_METHODS = ['get', 'reserve', 'confirm', 'change', 'list', 'listPending', 'findByMicrovmId'];
const PROVIDER_METHODS = ['run', 'suspend', 'resume', 'terminate', 'authToken', 'shellAuthToken'];
