import type { FullClock } from '@sallyport/core';
import { isText, membersOf } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import { type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';
import { RETRY_DELAYS_MS, type Violate } from '../internal/members.js';

/** Options of `simulate` for jobs of CodePipeline. */
export interface PipelineJobSimulation {
  /** Milliseconds until CodePipeline continues a job with its token. Default: 30,000. */
  readonly continueMs?: number;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link PipelineJobSimulation}. */
export const PIPELINE_JOB_SIMULATION = defineOptions<PipelineJobSimulation>()({
  continueMs: positive.default(30_000),
  timeoutMs: positive.default(30_000),
});

/** A job without success fails after this time: https://docs.aws.amazon.com/codepipeline/latest/userguide/limits.html. */
const MAX_JOB_MS = 86_400_000;

/** The used part of a client of CodePipeline. */
export interface JobClient {
  /** Receives `PutJobSuccessResult` and `PutJobFailureResult`. */
  send(command: object): Promise<unknown>;
}

const DESKS = new WeakMap<object, JobDesk>();

/**
 * The client with which the app of a simulation of CodePipeline reports its results.
 *
 * @param env the environment that `simulate` passes to `buildApp`
 * @throws Error for any other environment
 * @example
 * const buildApp = (env: TestEnv) => env.app({ surfaces: [codePipelineJob(handler, { client: jobClient(env) })] });
 */
export function jobClient(env: { readonly clock: FullClock }): JobClient {
  const desk = DESKS.get(env.clock);
  if (!desk) throw new Error('jobClient needs the environment of a simulation of CodePipeline jobs');
  return desk;
}

/** The result of one report; a token continues the job. */
type Report = { readonly ok: boolean; readonly token: string | undefined };

/** Receiver of the results of one simulation. */
export class JobDesk implements JobClient {
  readonly #reports = new Map<string, Report>();
  readonly #closed = new Set<string>();
  readonly #violate: Violate;

  constructor(clock: FullClock, violate: Violate) {
    this.#violate = violate;
    DESKS.set(clock, this);
  }

  async send(command: object): Promise<unknown> {
    const { jobId, continuationToken } = membersOf((command as { readonly input?: unknown }).input);
    const id = String(jobId);
    if (this.#closed.has(id) || this.#reports.has(id)) {
      this.#violate('answered-twice', id, `${id} was reported twice: report one result for each invocation of a job`);
      throw Object.assign(new Error('the job has a result'), { name: 'InvalidJobStateException' });
    }
    const ok = command.constructor.name === 'PutJobSuccessResultCommand';
    this.#reports.set(id, { ok, token: isText(continuationToken) ? continuationToken : undefined });
    return {};
  }

  /** Removes the report of a job; a report without a token closes the job. */
  take(id: string): Report | undefined {
    const report = this.#reports.get(id);
    this.#reports.delete(id);
    if (report && report.token === undefined) this.#closed.add(id);
    return report;
  }
}

/** The jobs; each event gets the id `job-<n>`. */
export function pipelineJobItems(events: readonly Data[]): readonly Item[] {
  return events.map((event, index) => {
    const id = `job-${index + 1}`;
    const job = membersOf(event['CodePipeline.job']);
    return { id, lane: '', part: { ...event, 'CodePipeline.job': { ...job, id } } };
  });
}

/**
 * The behaviour of Lambda and CodePipeline: a failed invocation is retried, a job with a token continues for at most a day, and a job without
 * a result fails after 20 minutes.
 */
export function pipelineJobModel(
  desk: JobDesk,
  clock: FullClock,
  { continueMs }: Required<PipelineJobSimulation>,
  violate: Violate,
): BatchModel {
  const tokens = new Map<string, string>();
  const begun = new Map<string, number>();
  const failures = new Map<string, number>();
  return {
    batchSize: 1,
    eventOf([{ id, part } = { id: '', part: {} }]) {
      begun.set(id, begun.get(id) ?? clock.monotonicMs());
      const token = tokens.get(id);
      if (token === undefined) return part;
      const job = membersOf(membersOf(part)['CodePipeline.job']);
      const data = { ...membersOf(job.data), continuationToken: token };
      return { ...membersOf(part), 'CodePipeline.job': { ...job, data } };
    },
    judge: (outcome, delivered) =>
      delivered.map(({ item: { id } }) => {
        const report = desk.take(id);
        if (report?.token !== undefined) {
          const isOver = clock.monotonicMs() + continueMs - (begun.get(id) ?? 0) > MAX_JOB_MS;
          tokens.set(id, report.token);
          failures.delete(id);
          return isOver ? 'dead-letter' : { againMs: continueMs };
        }
        if (report) return report.ok ? 'done' : 'dead-letter';
        const failed = failures.get(id) ?? 0;
        failures.set(id, failed + 1);
        const againMs = RETRY_DELAYS_MS[failed];
        if ('error' in outcome && againMs !== undefined) return { againMs };
        const text = `${id} has no result, so the action fails after 20 minutes: report a result, even after a failure`;
        violate('never-answered', id, text);
        return 'discarded';
      }),
  };
}
