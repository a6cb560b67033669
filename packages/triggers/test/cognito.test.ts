import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { cognitoTrigger } from '@sallyport/triggers';
import { buildCognitoEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

describe.each(HOSTS)('a Cognito trigger in %s', (_name, host) => {
  it('answers the event with the result merged into its response', async () => {
    const { handleLambda } = host(() => cognitoTrigger().on('PreSignUp_*', () => ({ autoConfirmUser: true })));
    const event = buildCognitoEvent({ triggerSource: 'PreSignUp_AdminCreateUser' });
    await expect(handleLambda(event)).resolves.toEqual({
      ...event,
      response: { autoConfirmUser: true, autoVerifyEmail: false, autoVerifyPhone: false },
    });
  });

  it('prefers the exact source, and rejects a source that is not registered', async () => {
    const make = () =>
      cognitoTrigger()
        .on('PreSignUp_*', () => ({ from: 'all' }))
        .on('PreSignUp_SignUp', () => ({ from: 'one' }));
    await expect(host(make).handleLambda(buildCognitoEvent())).resolves.toMatchObject({ response: { from: 'one' } });
    await expect(
      host(make).handleLambda(buildCognitoEvent({ triggerSource: 'PostConfirmation_ConfirmSignUp' })),
    ).rejects.toMatchObject({ code: 'triggers.no_handler' });
  });

  it('passes its response to a custom sender', async () => {
    const { handleLambda } = host(() => cognitoTrigger().on('CustomEmailSender_*', () => undefined));
    const event = buildCognitoEvent({ triggerSource: 'CustomEmailSender_SignUp', response: null });
    await expect(handleLambda(event)).resolves.toEqual({ ...event, response: {} });
  });

  it.each<[string, unknown, string]>([
    ['an error', new Error('row 7 of table users'), 'internal error'],
    ['a text', 'secret', 'internal error'],
    ['a FrameworkError', new FrameworkError('app.forbidden', 'Use your work address.'), 'Use your work address.'],
  ])('shows only the public message of %s to the user', async (_what, thrown, text) => {
    const { handleLambda } = host(() =>
      cognitoTrigger().on('PreSignUp_SignUp', () => {
        throw thrown;
      }),
    );
    await expect(handleLambda(buildCognitoEvent())).rejects.toMatchObject({ message: text, code: 'triggers.denied' });
  });

  it('accepts the event as the result, as in the samples by AWS', async () => {
    const { handleLambda } = host(() =>
      cognitoTrigger().on('PreSignUp_SignUp', (_ctx, event) => {
        Object.assign(event.response as object, { autoConfirmUser: true });
        return event;
      }),
    );
    const event = buildCognitoEvent();
    await expect(handleLambda(structuredClone(event))).resolves.toEqual({
      ...event,
      response: { autoConfirmUser: true, autoVerifyEmail: false, autoVerifyPhone: false },
    });
  });

  it('returns only the changes in the response of the event', async () => {
    const { handleLambda } = host(() =>
      cognitoTrigger().on('PreSignUp_SignUp', (_ctx, event) => {
        Object.assign(event, { userName: 'root', userPoolId: 'other' });
        Object.assign(event.request, { admin: true });
        Object.assign(event.response as object, { failAuthentication: true });
      }),
    );
    const event = buildCognitoEvent();
    await expect(handleLambda(structuredClone(event))).resolves.toEqual({
      ...event,
      response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false, failAuthentication: true },
    });
  });

  it.each<[string, unknown]>([
    ['true', true],
    ['text', 'ok'],
    ['a list', [{ autoConfirmUser: true }]],
    ['a BigInt in it', { n: 10n }],
    ['a function', () => undefined],
  ])('denies for a result that is %s', async (_what, result) => {
    const { handleLambda } = host(() => cognitoTrigger().on('PreSignUp_SignUp', () => result as never));
    await expect(handleLambda(buildCognitoEvent())).rejects.toMatchObject({
      message: 'internal error',
      code: 'triggers.denied',
    });
  });

  it.each([undefined, null])('answers the response of the event for %p', async (result) => {
    const { handleLambda } = host(() => cognitoTrigger().on('PreSignUp_SignUp', () => result as never));
    const event = buildCognitoEvent();
    await expect(handleLambda(event)).resolves.toEqual(event);
  });

  it('ignores a member __proto__ of a result', async () => {
    const { handleLambda } = host(() =>
      cognitoTrigger().on('PreSignUp_SignUp', () => JSON.parse('{"__proto__":{"autoConfirmUser":true},"x":1}')),
    );
    const answer = (await handleLambda(buildCognitoEvent())) as { response: Record<string, unknown> };
    expect(answer.response).toEqual({ autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false, x: 1 });
    expect(Object.getPrototypeOf(answer.response)).toBe(Object.prototype);
  });
});

it('has at most five seconds, regardless of the function timeout', async () => {
  const env = createTestEnv();
  const surface = cognitoTrigger().on('PreSignUp_SignUp', (ctx) => {
    deadlines.push(ctx.deadline?.toISOString());
    return new Promise(() => {});
  });
  const deadlines: (string | undefined)[] = [];
  const app = createApp({ ...env.options(), surfaces: [surface] });
  const answer = app.handleLambda(buildCognitoEvent(), env.lambdaContext({ remainingMs: 30_000 }));
  const rejected = expect(answer).rejects.toMatchObject({ message: 'internal error' });
  await env.clock.advance(4_750);
  await rejected;
  expect(deadlines).toEqual(['1970-01-01T00:00:04.500Z']);
});

it.each([
  ['PreSignUp*', 'which are CreateAuthChallenge_*, CustomEmailSender_*, '],
  ['*', 'UserMigration_*, VerifyAuthChallengeResponse_*'],
  ['Pre_Sign_*', '"Pre_Sign_*" is not a source of Cognito'],
  ['', '"" is not a source of Cognito'],
  ['constructor_*', '"constructor_*" is not a source of Cognito'],
  [
    'PreSignup',
    'did you mean PreSignUp_AdminCreateUser or PreSignUp_ExternalProvider or PreSignUp_SignUp or PreSignUp_*?',
  ],
  ['PreSignUp', 'did you mean PreSignUp_AdminCreateUser'],
  ['PreSignUp_signUp', 'did you mean PreSignUp_AdminCreateUser'],
  ['PreSignUp_Sign_Up', 'did you mean PreSignUp_AdminCreateUser'],
  ['PostConfirmation_SignUp', 'did you mean PostConfirmation_ConfirmForgotPassword or PostConfirmation_ConfirmSignUp'],
])('the source %j is rejected with the sources that Cognito has', (source, text) => {
  expect(() => cognitoTrigger().on(source as 'PreSignUp_*', () => ({}))).toThrow(
    expect.failure('app.invalid_configuration', 'trigger source', text),
  );
});

it('a source that Cognito does not have does not compile', () => {
  // @ts-expect-error the name is PreSignUp_SignUp
  expect(() => cognitoTrigger().on('PreSignup', () => ({}))).toThrow();
});
