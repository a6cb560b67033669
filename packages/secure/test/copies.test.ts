import { registerCopy } from '@sallyport/core/internal';
import { json, text } from '@sallyport/http';
import { buildWebSocketEvent } from '@sallyport/testkit';
import { Authenticated, Public, SecureApp } from '../src/index.js';
import type * as Marks from '../src/internal/resolver-marks.js';
import type * as Postures from '../src/postures/posture.js';
import { isPosture } from '../src/postures/posture.js';

/** A second copy of the module that makes postures. */
const OTHER = '../src/postures/posture.js?copy=2';
const other = (await import(OTHER)) as typeof Postures;

// Jest reports the same path for both evaluations of a module.
registerCopy('@sallyport/secure', '9.9.9', Object.assign(new Error(), { stack: 'Error\n    at /app/other.js:1:2' }));

it('rejects a posture of another copy of the package, and names both copies', () => {
  const posture = other.sealPosture('public');
  expect([isPosture(posture), other.isPosture(posture), isPosture(Public())]).toEqual([false, true, true]);
  expect(() => new SecureApp().get('/', () => json(200, 1), posture)).toThrow(
    /^framework: invalid auth posture: GET \/ has a posture that is of another copy of @sallyport\/secure; two copies of @sallyport\/secure: \d+\.\d+\.\d+ at \S+posture\.\w+, 9\.9\.9 at \/app\/other\.js; install one version: npm ls @sallyport\/secure$/,
  );
});

it('rejects what only has the mark of a posture', () => {
  const forged = { kind: 'public', scopes: [], [Symbol.for('sallyport.secure.posture/1')]: true };
  expect(() => new SecureApp().get('/', () => json(200, 1), forged as never)).toThrow(
    /another copy of @sallyport\/secure/,
  );
  expect(isPosture(forged)).toBe(false);
});

it('runs what a resolver of another copy of the package registered for a caller that passes', async () => {
  const MARKS = '../src/internal/resolver-marks.js?copy=2';
  const marks = (await import(MARKS)) as typeof Marks;
  const app = new SecureApp({
    principalResolver(ctx) {
      marks.whenPassed(ctx, async () => void passed.push('ada'));
      return { identity: 'ada' };
    },
  });
  const passed: string[] = [];
  app.webSocket('$connect', () => text(200, ''), Authenticated());
  await app.handleLambda(buildWebSocketEvent({ routeKey: '$connect' }));
  expect(passed).toEqual(['ada']);
});
