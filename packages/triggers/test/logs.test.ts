import { createApp } from '@sallyport/dispatch/app';
import { text } from '@sallyport/http';
import { createTestEnv } from '@sallyport/testkit';
import type { TriggerSurface } from '@sallyport/triggers';
import { contextOf, EVENTS, SURFACES } from './kinds.js';
import { errorsIn } from './support.js';

describe.each([
  ['is handled', false, []],
  ['fails', true, ['disk full']],
] as const)('an event that %s', (_what, fails, expected) => {
  it.each(EVENTS)(`of %s logs the errors ${JSON.stringify(expected)}`, async (kind, event) => {
    const env = createTestEnv();
    const ran = () => {
      if (fails) throw new Error('disk full');
      return undefined;
    };
    const surface = SURFACES[kind]?.(ran) as TriggerSurface;
    const app = createApp({ ...env.options(), surfaces: [surface] }).get('/', () => text(200, String(ran())));
    await app.handleLambda(event, contextOf(kind)).catch(() => undefined);
    expect(errorsIn(env)).toEqual(expected);
  });
});
