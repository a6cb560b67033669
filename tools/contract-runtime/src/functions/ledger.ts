import { createMemoryEventBusStore, createMemoryJobLedger, toErrorEnvelope } from '@sallyport/jobs';

type Args = Readonly<Record<string, unknown>>;

/** One call of a ledger: a method in snake_case, its input, and the name of its answer in later steps. */
interface WireStep {
  readonly call: string;
  /** Milliseconds after `start`. */
  readonly at_ms: number;
  readonly input: unknown;
  /** A lease, slot or idempotency handle of an earlier step, by its place. */
  readonly of_step?: number;
}

/** `{ "start": "…", "steps": [{ "call": "create_job", "at_ms": 0, "input": { … } }] }` on a ledger in memory. */
export async function ledgerSteps({ start, steps }: Args): Promise<unknown[]> {
  return run(createMemoryJobLedger, start as string, steps as WireStep[]);
}

/** The same on an event store in memory. */
export async function eventBusSteps({ start, steps }: Args): Promise<unknown[]> {
  return run(createMemoryEventBusStore, start as string, steps as WireStep[]);
}

/** `{ "error": { "name": "…", "message": "…", "code": "…", "retryable": true, "fields": { … } } }` */
export function errorEnvelope({ error }: Args): unknown {
  return toErrorEnvelope(error);
}

type Create = (options: { clock: { now(): Date }; ids: { newId(): string } }) => object;

async function run(create: Create, start: string, steps: readonly WireStep[]): Promise<unknown[]> {
  let now = new Date(start);
  let ids = 0;
  const subject = create({
    clock: { now: () => now },
    ids: {
      newId() {
        ids += 1;
        return `id-${ids}`;
      },
    },
  }) as Record<string, (...args: readonly unknown[]) => Promise<unknown>>;
  const given: unknown[] = [];
  const answers: unknown[] = [];
  for (const { call, at_ms, input, of_step } of steps) {
    now = new Date(Date.parse(start) + at_ms);
    const method = subject[camelCase(call)];
    if (!method) throw new Error(`a ledger has no ${call}`);
    const own = typeof input === 'object' ? toCamel(input) : input;
    const earlier = of_step === undefined ? undefined : handleOf(given[of_step]);
    const args = [earlier, own].filter((argument) => argument !== undefined && argument !== null);
    const outcome = await settle(() => method(...args));
    given.push(outcome.answer);
    answers.push(outcome.wire);
  }
  return answers;
}

/** The handle to refresh, release or complete: the answer itself, or the handle in it. */
function handleOf(answer: unknown): unknown {
  return (answer as { handle?: unknown }).handle ?? answer;
}

async function settle(call: () => Promise<unknown>): Promise<{ answer: unknown; wire: unknown }> {
  try {
    const answer = await call();
    return { answer, wire: toSnake(answer) ?? null };
  } catch (error) {
    const { code, reason, details } = error as { code: string; reason: string; details?: unknown };
    return {
      answer: undefined,
      wire: { error: { code, reason, ...(details !== undefined && { details: toSnake(details) }) } },
    };
  }
}

/** Members whose keys the user chooses. */
const OPAQUE = ['result', 'payload', 'metadata', 'fields'];

function toCamel(value: unknown): unknown {
  return mapKeys(value, camelCase);
}

function toSnake(value: unknown): unknown {
  return mapKeys(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function mapKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [rename(key), OPAQUE.includes(key) ? member : mapKeys(member, rename)] as const);
  return Object.fromEntries(entries);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
