import { inspect } from 'node:util';
import { ManualClock } from '@sallyport/core/testing';
import {
  ACCOUNT_CODES,
  type AccountFailure,
  type AssumeFirstResult,
  type AssumeRoleRequest,
  assertAccount,
  assumeFirst,
  type CallerIdentityAPI,
} from '@sallyport/objectstore/account';
import { identityDocument, roleDocument, type StsAnswer, StsServer } from './support/sts.js';

const ACCOUNT = '123456789012';
const OTHER = '210987654321';
const REQUEST: AssumeRoleRequest = {
  roleArn: `arn:aws:iam::${ACCOUNT}:role/teams/reader`,
  roleSessionName: 'notes',
  expectedAccountId: ACCOUNT,
};
const sts = new StsServer();

beforeAll(() => sts.start());
afterAll(() => sts.stop());

beforeEach(() => {
  sts.calls.length = 0;
  sts.answers = { AssumeRole: roleDocument(), GetCallerIdentity: identityDocument(ACCOUNT) };
});

const assume = (part: object = {}): Promise<AssumeFirstResult> =>
  assumeFirst({ sts: sts.client(), callerIdentity: (credentials) => sts.client(credentials) }, {
    ...REQUEST,
    ...part,
  } as AssumeRoleRequest);

describe('the account of a client', () => {
  it.each<[string, string, StsAnswer | undefined, string, string, number]>([
    ['is verified when it is the expected one', ACCOUNT, undefined, 'verified', ACCOUNT, 1],
    ['is a mismatch when it is another', OTHER, undefined, 'mismatch', ACCOUNT, 1],
    ['is not asked for without an expected account', '', undefined, 'not-configured', '', 0],
    ['is not asked for with a blank expected account', '   ', undefined, 'not-configured', '', 0],
    ['is not asked for when eleven digits are expected', '12345678901', undefined, 'not-configured', '', 0],
    ['is not asked for when a line feed is expected', `${ACCOUNT}\n`, undefined, 'not-configured', '', 0],
    ['is unavailable when STS refuses', ACCOUNT, { status: 403, code: 'AccessDenied' }, 'unavailable', '', 1],
    ['is unavailable when STS fails', ACCOUNT, { status: 500, code: 'InternalFailure' }, 'unavailable', '', 1],
    ['is unavailable when STS names no account', ACCOUNT, identityDocument(''), 'unavailable', '', 1],
    ['is unavailable when STS names a blank account', ACCOUNT, identityDocument('  '), 'unavailable', '', 1],
  ])('%s', async (_name, expectedAccountId, answer, state, actualAccountId, calls) => {
    if (answer !== undefined) sts.answers.GetCallerIdentity = answer;
    const assertion = await assertAccount(sts.client(), expectedAccountId);
    expect(assertion).toEqual({ state, expectedAccountId, actualAccountId });
    expect(sts.calls).toHaveLength(calls);
  });

  it('is unavailable without a client', async () => {
    expect((await assertAccount(undefined, ACCOUNT)).state).toBe('unavailable');
  });

  it('is not waited for longer than the deadline', async () => {
    sts.answers.GetCallerIdentity = 'silence';
    const clock = new ManualClock();
    const call = assertAccount(sts.client(), ACCOUNT, { clock, timeoutMs: 500 });
    while (sts.calls.length === 0) await new Promise(setImmediate);
    await clock.advance(500);
    expect((await call).state).toBe('unavailable');
  });

  it('rejects with the reason of a caller who gave up', async () => {
    const reason = new Error('gone');
    const call = assertAccount(sts.client(), ACCOUNT, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });

  it('rejects an unknown option', async () => {
    await expect(assertAccount(sts.client(), ACCOUNT, { retries: 1 } as never)).rejects.toMatchObject({
      code: 'app.invalid_configuration',
    });
  });
});

describe('a role that is assumed first', () => {
  it('returns its credentials when STS confirms the expected account', async () => {
    const result = await assume({ externalId: 'ext:1', durationSeconds: 900 });
    if (result.state !== 'verified') throw result.error;
    expect([result.expectedAccountId, result.actualAccountId]).toEqual([ACCOUNT, ACCOUNT]);
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = result.credentials;
    expect([accessKeyId, secretAccessKey, sessionToken]).toEqual(['ASIATESTASSUMED', 'ASSUMEDSECRET', 'ASSUMEDTOKEN']);
    expect(expiration).toEqual(new Date('2026-11-22T11:00:00Z'));
    expect(sts.calls.map(({ action, accessKeyId: key, sessionToken: token }) => [action, key, token])).toEqual([
      ['AssumeRole', 'AKIATESTCALLER', undefined],
      ['GetCallerIdentity', 'ASIATESTASSUMED', 'ASSUMEDTOKEN'],
    ]);
    expect(Object.fromEntries(sts.calls[0]?.parameters ?? [])).toMatchObject({
      RoleArn: REQUEST.roleArn,
      RoleSessionName: 'notes',
      ExternalId: 'ext:1',
      DurationSeconds: '900',
    });
  });

  it.each<[string, object, Record<string, StsAnswer>, AccountFailure, number]>([
    ['no expected account', { expectedAccountId: undefined }, {}, 'not-configured', 0],
    ['an expected account that is no id', { expectedAccountId: 'notes' }, {}, 'not-configured', 0],
    ['a role of another account', { roleArn: `arn:aws:iam::${OTHER}:role/reader` }, {}, 'mismatch', 0],
    ['another partition and another account', { roleArn: `arn:aws-us-gov:iam::${OTHER}:role/r` }, {}, 'mismatch', 0],
    ['no role', { roleArn: undefined }, {}, 'assume-failed', 0],
    ['the ARN of a user', { roleArn: `arn:aws:iam::${ACCOUNT}:user/ada` }, {}, 'assume-failed', 0],
    ['a role with a line feed', { roleArn: `${REQUEST.roleArn}\n` }, {}, 'assume-failed', 0],
    ['a session name of one character', { roleSessionName: 'n' }, {}, 'assume-failed', 0],
    ['a session name of 65 characters', { roleSessionName: 'n'.repeat(65) }, {}, 'assume-failed', 0],
    ['a session name with a space', { roleSessionName: 'a b' }, {}, 'assume-failed', 0],
    ['an empty external id', { externalId: '' }, {}, 'assume-failed', 0],
    ['an external id with a space', { externalId: 'a b' }, {}, 'assume-failed', 0],
    ['899 seconds', { durationSeconds: 899 }, {}, 'assume-failed', 0],
    ['43,201 seconds', { durationSeconds: 43_201 }, {}, 'assume-failed', 0],
    ['half a second more', { durationSeconds: 900.5 }, {}, 'assume-failed', 0],
    ['another member', { policy: '{}' }, {}, 'assume-failed', 0],
    ['a refusal of STS', {}, { AssumeRole: { status: 403, code: 'AccessDenied' } }, 'assume-failed', 1],
    [
      'no credentials',
      {},
      { AssumeRole: '<AssumeRoleResponse><AssumeRoleResult/></AssumeRoleResponse>' },
      'assume-failed',
      1,
    ],
    ['no access key', {}, { AssumeRole: roleDocument({ AccessKeyId: '' }) }, 'assume-failed', 1],
    ['no secret', {}, { AssumeRole: roleDocument({ SecretAccessKey: '' }) }, 'assume-failed', 1],
    ['no session token', {}, { AssumeRole: roleDocument({ SessionToken: '' }) }, 'assume-failed', 1],
    ['credentials of another account', {}, { GetCallerIdentity: identityDocument(OTHER) }, 'mismatch', 2],
    [
      'a refusal to say the account',
      {},
      { GetCallerIdentity: { status: 403, code: 'AccessDenied' } },
      'unavailable',
      2,
    ],
    ['a blank account', {}, { GetCallerIdentity: identityDocument(' ') }, 'unavailable', 2],
  ])('with %s ends without credentials', async (_name, part, answers, state, calls) => {
    sts.answers = { ...sts.answers, ...answers };
    const result = await assume(part);
    expect(result.state).toBe(state);
    expect('credentials' in result).toBe(false);
    expect(result).toMatchObject({
      error: { name: 'AccountError', state, code: `account.${state.replace('-', '_')}` },
    });
    expect(sts.calls).toHaveLength(calls);
    expect(inspect(result, { depth: 10, showHidden: true }) + JSON.stringify(result)).not.toMatch(
      /ASSUMEDSECRET|ASSUMEDTOKEN/,
    );
  });

  it('ends without credentials when there is no client, or when creating it fails', async () => {
    const factories: (() => CallerIdentityAPI | undefined)[] = [
      () => undefined,
      () => {
        throw new Error('ASSUMEDSECRET');
      },
    ];
    for (const callerIdentity of factories) {
      const result = await assumeFirst({ sts: sts.client(), callerIdentity }, REQUEST);
      expect(result).toMatchObject({ state: 'unavailable', error: { code: 'account.unavailable' } });
      expect(inspect(result, { depth: 10 })).not.toContain('ASSUMEDSECRET');
    }
  });

  it('is not waited for longer than the deadline', async () => {
    sts.answers.AssumeRole = 'silence';
    const clock = new ManualClock();
    const call = assumeFirst({ sts: sts.client(), callerIdentity: () => undefined }, REQUEST, {
      clock,
      timeoutMs: 500,
    });
    while (sts.calls.length === 0) await new Promise(setImmediate);
    await clock.advance(500);
    expect((await call).state).toBe('assume-failed');
  });

  it('shows its credentials neither to inspect nor to JSON nor to a copy', async () => {
    const result = await assume();
    const { credentials } = result as Extract<AssumeFirstResult, { state: 'verified' }>;
    const shown = [
      inspect(result, { depth: 10, showHidden: true }),
      JSON.stringify(result),
      inspect({ ...credentials }),
    ];
    expect(shown.join()).not.toMatch(/ASSUMED(SECRET|TOKEN)|ASIATESTASSUMED/);
  });
});

it('the codes of an account are its states', () => {
  expect(ACCOUNT_CODES).toEqual([
    'account.not_configured',
    'account.assume_failed',
    'account.unavailable',
    'account.mismatch',
  ]);
});
