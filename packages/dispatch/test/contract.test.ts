import { FrameworkError, silentLogger } from '@sallyport/core';
import { createDispatcherWith, detect, explain } from '@sallyport/dispatch';
import { loadFixtures, toMatcher } from './support/fixtures.js';

const eventSurface = {
  serves: ['queue', 'table-stream', 'stream', 'topic', 'event-bus'],
  serve: async () => ({ batchItemFailures: [] }),
};

const calls: Record<string, (event: unknown) => unknown> = {
  detect,
  explain,
  dispatch: (event) => createDispatcherWith({ log: silentLogger }, eventSurface).handleLambda(event),
};

async function run(call: string, event: unknown): Promise<unknown> {
  try {
    return { result: await calls[call]?.(event) };
  } catch (error) {
    if (!(error instanceof FrameworkError)) throw error;
    return { error: { message: error.message, code: error.code } };
  }
}

describe.each(['detection', 'explain'])('the contract fixtures of %s', (area) => {
  it.each(loadFixtures(area).map((fixture) => [fixture.id, fixture] as const))('%s', async (_id, fixture) => {
    const answer = await run(fixture.call, fixture.event);

    expect(answer).toEqual(toMatcher(fixture.outcome));
    for (const text of fixture.forbidden) expect(JSON.stringify(answer)).not.toContain(text);
  });
});
