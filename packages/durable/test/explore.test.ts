import { readFile } from 'node:fs/promises';
import { type DurableContext, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { type BuildDurable, explore, type FindingKind, runDurable } from '@sallyport/durable/testing';
import { SAMPLES } from './samples.js';

type Code = (ctx: DurableContext, input: { items: string[] }) => Promise<unknown>;

const raw =
  (code: Code): BuildDurable =>
  () =>
    withDurableExecution((input: { items: string[] }, ctx) => code(ctx, input));

const step = (ctx: DurableContext, name: string, value: unknown = name) => ctx.step(name, async () => value);
const steps =
  (...names: string[]): Code =>
  async (ctx) => {
    for (const name of names) {
      await step(ctx, name);
      await ctx.wait(`after ${name}`, { seconds: 5 });
    }
  };

interface Planted {
  readonly title: string;
  readonly build: BuildDurable;
  readonly next?: BuildDurable;
  readonly kind: FindingKind;
}

/** A counter in the module of each invocation. */
const counted: BuildDurable = () => {
  let count = 0;
  return withDurableExecution(async (_: unknown, ctx) => {
    count += 1;
    await step(ctx, 'a');
    await ctx.wait('pause', { seconds: 5 });
    return count;
  });
};

/** `finally` does not run when the execution is suspended in it. */
const waitInFinally: BuildDurable = () => {
  let open = 0;
  return withDurableExecution(async (_: unknown, ctx) => {
    open += 1;
    try {
      await step(ctx, 'a');
    } finally {
      await ctx.wait('cool off', { seconds: 5 });
      open -= 1;
    }
    return open;
  });
};

const PLANTED: readonly Planted[] = [
  {
    title: 'an id in plain code',
    build: raw(async (ctx) => {
      const id = crypto.randomUUID();
      await step(ctx, 'a', id);
      return id;
    }),
    kind: 'random',
  },
  {
    title: 'the time in plain code',
    build: raw(async (ctx) => {
      await step(ctx, 'a');
      return new Date().toISOString();
    }),
    kind: 'clock',
  },
  {
    title: 'a step that depends on chance',
    build: raw(async (ctx) => {
      await step(ctx, 'a');
      if (Math.random() < 0.5) await step(ctx, 'b');
      await step(ctx, 'c');
    }),
    kind: 'order',
  },
  { title: 'a captured counter', build: counted, kind: 'captured' },
  {
    title: 'a race of two steps',
    build: raw(async (ctx) => Promise.race([step(ctx, 'left'), step(ctx, 'right')])),
    kind: 'answer',
  },
  {
    title: 'a variable of the environment',
    build: raw(async (ctx) => step(ctx, process.env.STAGE ?? 'dev')),
    kind: 'environment',
  },
  {
    title: 'a file that plain code reads',
    build: raw(async (ctx) => {
      const text = await readFile(new URL(import.meta.url), 'utf8');
      return step(ctx, 'a', text.length);
    }),
    kind: 'io',
  },
  {
    title: 'steps in the order in which others ended',
    build: raw(async (ctx, { items }) => {
      const done: string[] = [];
      await Promise.all(items.map(async (item) => done.push(String(await step(ctx, `get ${item}`, item)))));
      for (const item of done) await step(ctx, `save ${item}`);
    }),
    kind: 'order',
  },
  { title: 'a wait in finally', build: waitInFinally, kind: 'captured' },
  { title: 'a renamed step', build: raw(steps('a', 'b')), next: raw(steps('a', 'c')), kind: 'version' },
  { title: 'a removed step', build: raw(steps('a', 'b', 'c')), next: raw(steps('a', 'c')), kind: 'version' },
  { title: 'an inserted step', build: raw(steps('a', 'b')), next: raw(steps('x', 'a', 'b')), kind: 'version' },
];

describe('explore', () => {
  test.each(PLANTED)('finds $title', async ({ build, next, kind }) => {
    const findings = await explore(build, { items: ['a', 'b', 'c'] }, next ? { next } : {});
    expect(findings.map((finding) => finding.kind)).toContain(kind);
  });

  test.each(SAMPLES)('finds nothing in $title', async ({ build, event, options, result }) => {
    expect(await runDurable(build, event, options)).toMatchObject({ status: 'SUCCEEDED', result });
    expect(await explore(build, event, { seeds: 2, ...options })).toEqual([]);
  });

  test('finds nothing in a next version that adds a step at the end', async () => {
    expect(await explore(raw(steps('a')), {}, { seeds: 0, next: raw(steps('a', 'b')) })).toEqual([]);
  });
});
