import type { FullClock } from '@sallyport/core';
import { membersOf } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import { count, type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';
import { RETRY_DELAYS_MS, type Violate } from '../internal/members.js';

/** Options of `simulate` for custom resources. */
export interface CustomResourceSimulation {
  /** Number of PUTs that the response URL rejects with a 503 before it accepts an answer. Default: 0. */
  readonly refuse?: number;
  /** Response time of the response URL, in milliseconds. Default: 0. */
  readonly delayMs?: number;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link CustomResourceSimulation}. */
export const CUSTOM_RESOURCE_SIMULATION = defineOptions<CustomResourceSimulation>()({
  refuse: count.default(0),
  delayMs: count.default(0),
  timeoutMs: positive.default(30_000),
});

/** A response URL in S3, as in CloudFormation's requests. */
const PLACE = 'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/';

/** Sends one request; the part of `fetch` that a custom resource needs. */
export type ResponseFetch = (
  url: string | URL,
  init: { readonly method?: string; readonly body?: unknown; readonly signal?: AbortSignal | null },
) => Promise<Response>;

const ENDPOINTS = new WeakMap<object, Endpoint>();

/**
 * The `fetch` with which the app of a simulation of custom resources sends its answers.
 *
 * @param env the environment that `simulate` passes to `buildApp`
 * @throws Error for any other environment
 * @example
 * const buildApp = (env: TestEnv) =>
 *   env.app({ surfaces: [customResource(handlers, { fetch: responseFetch(env) })] });
 */
export function responseFetch(env: { readonly clock: FullClock }): ResponseFetch {
  const endpoint = ENDPOINTS.get(env.clock);
  if (!endpoint) throw new Error('responseFetch needs the environment of a simulation of custom resources');
  return (url, init) => endpoint.take(new URL(url), init);
}

/** Receiver of the answers of one simulation. */
export class Endpoint {
  readonly #answers = new Map<string, Data>();
  readonly #clock: FullClock;
  readonly #delayMs: number;
  readonly #violate: Violate;
  #refuse: number;

  constructor(clock: FullClock, { refuse, delayMs }: Required<CustomResourceSimulation>, violate: Violate) {
    this.#clock = clock;
    this.#refuse = refuse;
    this.#delayMs = delayMs;
    this.#violate = violate;
    ENDPOINTS.set(clock, this);
  }

  answerTo(id: string): Data | undefined {
    return this.#answers.get(id);
  }

  async take(url: URL, { method, body, signal }: Parameters<ResponseFetch>[1]): Promise<Response> {
    if (this.#delayMs > 0) await this.#pass(signal ?? undefined);
    if (method !== 'PUT' || !url.href.startsWith(PLACE)) return new Response(null, { status: 403 });
    if (this.#refuse > 0) {
      this.#refuse -= 1;
      return new Response(null, { status: 503 });
    }
    const answer = membersOf(JSON.parse(await new Response(body as string).text()));
    const id = url.searchParams.get('request') ?? '';
    if (this.#answers.has(id)) {
      this.#violate('answered-twice', id, `${id} was answered twice: send one answer for each request`);
    }
    this.#answers.set(id, answer);
    return new Response(null, { status: 200 });
  }

  #pass(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#clock.after(this.#delayMs, resolve);
      signal?.addEventListener('abort', () => {
        stop();
        reject(signal.reason);
      });
    });
  }
}

/** The requests; the requests of one resource are a lane. */
export function customResourceItems(events: readonly Data[]): readonly Item[] {
  return events.map((event, index) => {
    const id = `request-${index + 1}`;
    const part = { ...event, RequestId: id, ResponseURL: `${PLACE}answer?request=${id}` };
    return { id, lane: String(event.LogicalResourceId ?? ''), part };
  });
}

/** The behaviour of Lambda and CloudFormation: a failed invocation is retried, and the stack waits for one answer to each request. */
export function customResourceModel(endpoint: Endpoint, violate: Violate): BatchModel {
  const physical = new Map<string, unknown>();
  return {
    batchSize: 1,
    eventOf: ([item]) => {
      const event = membersOf(item?.part);
      const known = physical.get(item?.lane ?? '');
      const takesId = event.RequestType !== 'Create' && known !== undefined;
      return takesId ? { ...event, PhysicalResourceId: known } : event;
    },
    judge: (outcome, delivered) =>
      delivered.map(({ item: { id, lane }, deliveries }) => {
        const againMs = RETRY_DELAYS_MS[deliveries - 1];
        if ('error' in outcome && againMs !== undefined) return { againMs };
        const answer = endpoint.answerTo(id);
        if (!answer) {
          violate(
            'never-answered',
            id,
            `${id} was not answered, so the stack waits for an hour: send an answer to its ResponseURL, even after a failure`,
          );
          return 'discarded';
        }
        physical.set(lane, answer.PhysicalResourceId);
        return answer.Status === 'SUCCESS' ? 'done' : 'dead-letter';
      }),
  };
}
