import { registerCopy } from '@sallyport/core/internal';
import type * as Callers from '../src/controller/caller.js';
import { factsOf, internalCaller } from '../src/controller/caller.js';
import type * as Tokens from '../src/provider/secret-token.js';
import { revealToken, SecretToken } from '../src/provider/secret-token.js';

const [CALLERS, TOKENS] = ['../src/controller/caller.js?copy=2', '../src/provider/secret-token.js?copy=2'];
const callers = (await import(CALLERS)) as typeof Callers;
const tokens = (await import(TOKENS)) as typeof Tokens;
const NAMES = { identity: 'nightly', tenantId: 't1', namespace: 'default' };

// In Jest both evaluations of a module have the same path.
registerCopy('@sallyport/microvm', '9.9.9', Object.assign(new Error(), { stack: 'Error\n    at /app/other.js:1:2' }));

const twoCopies = expect.objectContaining({
  code: 'app.internal',
  cause: expect.objectContaining({ message: expect.stringContaining('two copies of @sallyport/microvm: ') }),
});

it('rejects a caller of another copy of the package, and names the copies', () => {
  expect(() => factsOf(callers.internalCaller(NAMES))).toThrow(twoCopies);
  expect(factsOf(internalCaller(NAMES))).toMatchObject(NAMES);
});

it('grants no rights to a caller that only has the mark', () => {
  const forged = { ...NAMES, requestId: 'r', [Symbol.for('sallyport.microvm.caller/1')]: true };
  expect(() => factsOf(forged as never)).toThrow(twoCopies);
  expect(() => factsOf({ ...NAMES, requestId: 'r' } as never)).toThrow('unauthorized');
});

it('rejects a token of another copy of the package: its value is never empty', () => {
  expect(() => revealToken(new tokens.SecretToken('secret') as never)).toThrow(twoCopies);
  expect(revealToken(new SecretToken('secret'))).toBe('secret');
});
